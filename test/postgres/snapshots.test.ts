import test from 'ava'
import fc from 'fast-check'
import { createSnapshots, stateFromJson, stateToJson } from '../../adapters/postgres/snapshots.ts'
import { anyCharacter } from '../support/any-character.ts'
import { testDatabase } from '../support/postgres.ts'

const state = {
  open: true,
  total: 10n ** 40n,
  legs: [
    { amount: -1n, note: '#1' },
    { amount: 0n, note: '##' },
  ],
  none: null,
}

test('A saved state is loaded as it was, bigints at every depth included', async (t) => {
  const snapshots = await createSnapshots((await testDatabase(t)).sql)
  t.is(await snapshots.load('account-1', 1), undefined)
  await snapshots.save('account-1', 1, 2n ** 60n, state)
  t.deepEqual(await snapshots.load('account-1', 1), { revision: 2n ** 60n, state })
  t.is(await snapshots.load('account-2', 1), undefined)
})

test('A state of another version is not loaded', async (t) => {
  const snapshots = await createSnapshots((await testDatabase(t)).sql)
  await snapshots.save('account-1', 1, 5n, 'old shape')
  t.is(await snapshots.load('account-1', 2), undefined)
  await snapshots.save('account-1', 2, 5n, 'new shape')
  t.deepEqual(await snapshots.load('account-1', 2), { revision: 5n, state: 'new shape' })
})

test('An older revision never overwrites a newer one', async (t) => {
  const snapshots = await createSnapshots((await testDatabase(t)).sql)
  await snapshots.save('account-1', 1, 7n, 'newer')
  await snapshots.save('account-1', 1, 6n, 'older')
  await snapshots.save('account-1', 1, 7n, 'again')
  t.deepEqual(await snapshots.load('account-1', 1), { revision: 7n, state: 'newer' })
  await Promise.all([8n, 10n, 9n].map((revision) => snapshots.save('account-1', 1, revision, `${revision}`)))
  t.deepEqual(await snapshots.load('account-1', 1), { revision: 10n, state: '10' })
})

test('Any tree of JSON values and bigints survives the codec', (t) => {
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      fc.bigInt(),
      fc.string({ unit: anyCharacter }),
      fc.string().map((text) => `#${text}`),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('node'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).node
  fc.assert(
    fc.property(tree, (value) => void t.deepEqual(stateFromJson(stateToJson(value)), value)),
    { numRuns: 300 },
  )
  t.throws(() => stateToJson(undefined), { message: 'A state must be a JSON value' })
})

test('Control characters and broken surrogates in a state survive the table', async (t) => {
  const snapshots = await createSnapshots((await testDatabase(t)).sql)
  const odd = { text: '\u0000\u001f\ud800"\\' }
  await snapshots.save('account-1', 1, 1n, odd)
  t.deepEqual(await snapshots.load('account-1', 1), { revision: 1n, state: odd })
})
