/** Whoever reads waits for what anybody was answered; who pays waits for no row. */
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { connect } from '../../../adapters/postgres/connect.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { SIMULATE, testSale } from '../../support/sandbox.ts'
import { activeSeller, ok } from '../../support/seller.ts'

/** Milliseconds for which the rows do not come; shorter than the 2 s for which a read waits for them. */
const HELD_MS = 400
/** Milliseconds after which a read model that has not come counts as far behind (src/engine/keeping-up.ts). */
const BEHIND_MS = 2_000
/** Milliseconds within which a call that waits for no row is answered: one that waits takes 2 s. */
const AT_ONCE_MS = 1_500

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

/** Keeps a read model where it is until the promise that is answered is called. */
const hold = async (t: ExecutionContext, readModel: string): Promise<() => Promise<void>> => {
  const sql = connect(app.databaseUrl, { max: 1 })
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  // A test that fails has not released it.
  t.teardown(async () => {
    release()
    await over
    await sql.end({ timeout: 1 })
  })
  let begun = () => {}
  const holding = new Promise<void>((resolve) => (begun = resolve))
  const over = sql.begin(async (tx) => {
    await tx`select from daybook.checkpoints where name = ${readModel} for update`
    begun()
    await held
  })
  await holding
  return async () => {
    release()
    await over
  }
}

test.serial('N-173 to mint a challenge and to play its payment waits for no row', async (t) => {
  const { key, resId } = await testSale(app)
  const release = await hold(t, 'resources')
  const took: number[] = []
  for (let n = 0; n < 3; n++) {
    const at = performance.now()
    const { json } = await ok(app.call('POST', '/v1/challenge', { key, body: { res_id: resId } }))
    const paid = await ok(app.call('POST', SIMULATE, { key, body: { challengeId: json.accepts[0].challengeId } }))
    t.true(paid.json.settled)
    took.push(performance.now() - at)
  }
  await release()
  // The first call finds all rows there. A busy machine may be late for other reasons, so one is proof enough.
  t.true(Math.min(...took.slice(1)) < AT_ONCE_MS, took.join())
})

test.serial('N-173 where a read model is far behind who sells waits for it, and no other call does', async (t) => {
  const [{ key, resId, challengeId }, { email }] = await Promise.all([testSale(app), activeSeller(app)])
  const mint = () => ok(app.call('POST', '/v1/challenge', { key, body: { res_id: resId } }))
  // Who reads waits for all rows of what was written until here; else the first call below would wait for them.
  await ok(app.call('GET', '/v1/resources', { key }))
  const release = await hold(t, 'resources')
  await ok(app.call('POST', SIMULATE, { key, body: { challengeId } }))
  await sleep(BEHIND_MS)
  // A busy machine may write a letter for longer than a sale waits, so one is proof enough.
  const answers: string[] = []
  for (let n = 0; n < LETTERS_MAX && !answers.includes(PROOF); n++) {
    // The first such call finds that what was written before the read model was held has come, others that it is late.
    await mint()
    await sleep(BEHIND_MS)
    const answered: string[] = []
    const at = performance.now()
    const selling = mint().then(() => answered.push(performance.now() - at < AT_ONCE_MS ? 'sale at once' : 'sale late'))
    await app.call('POST', '/recover-key', { body: { email } }).then(({ status }) => answered.push(`letter ${status}`))
    await selling
    answers.push(answered.join())
  }
  t.is(answers.at(-1), PROOF, answers.join('; '))
  await release()
})
const LETTERS_MAX = 8
const PROOF = 'letter 200,sale late'

test.serial('N-173 J-DOOR-04 a door that was paid for a moment ago answers 200, however late its row is', async (t) => {
  const { key, resId, challengeId } = await testSale(app)
  t.is((await app.call('GET', `/r/${resId}`)).status, 402)
  const release = await hold(t, 'resources')
  await ok(app.call('POST', SIMULATE, { key, body: { challengeId } }))
  // The sale says all that it changes of the row in memory, so that the door need not wait for the one in the database.
  t.is((await app.call('GET', `/r/${resId}`)).status, 200)
  await release()
})

test.serial('N-173 whoever reads rows waits for them, known or not', async (t) => {
  const { key, challengeId } = await testSale(app)
  const release = await hold(t, 'transactions')
  const paid = await ok(app.call('POST', SIMULATE, { key, body: { challengeId } }))
  const answered: string[] = []
  const [listed] = await Promise.all([
    app.call('GET', '/v1/transactions?is_test=1', { key }).finally(() => answered.push('owner')),
    app.call('GET', '/v1/market').finally(() => answered.push('stranger')),
    (async () => {
      await sleep(HELD_MS)
      t.deepEqual(answered, [])
      await release()
    })(),
  ])
  t.true(JSON.stringify(listed.json).includes(paid.json.hash))
})
