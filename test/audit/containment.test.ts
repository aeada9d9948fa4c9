/** Whether a log contains a head that was signed before, told from the seals around it. */
import test from 'ava'
import { containment, isHeadContained } from '../../adapters/audit/containment.ts'
import { sealUpTo } from '../../adapters/audit/sealer.ts'
import { newKeyPair } from '../../adapters/crypto/ed25519.ts'
import { sealedLog } from '../support/sealed-log.ts'

test('a head of the log that is by none of the known keys is not the one that was witnessed', async (t) => {
  const log = sealedLog(t)
  await log.write(4)
  await log.seal()
  const [witness] = log.witnesses
  if (!witness) return t.fail()
  const asked = { store: log.sealing.store, lines: log.sealing.lines }
  t.like(await containment(asked, witness, 'the test'), { fits: true })
  const { publicKey } = newKeyPair()
  t.like(await containment(asked, { ...witness, publicKeys: [publicKey] }, 'the test'), { fits: false, why: 'changed' })
})

test('that a log contains a head is told without what was sealed after it, also between two seals', async (t) => {
  const log = sealedLog(t)
  await log.write(7)
  await log.seal(3)
  const [witness] = log.witnesses
  const at = await log.sealing.store.head()
  await log.write(5)
  // It is kept, and the end of the process comes before its seal.
  const crashing = {
    ...log.sealing,
    witness: (head: Parameters<typeof log.sealing.witness>[0]) => {
      log.sealing.witness(head)
      throw new Error('ended')
    },
  }
  await t.throwsAsync(sealUpTo(crashing, await log.sealing.store.head(), false), { message: 'ended' })
  const between = log.witnesses.at(-1)
  await log.write(30)
  await log.seal(4)
  if (!witness || !between) return t.fail()
  t.false(
    log.heads.some(({ head }) => head.size === between.head.size),
    'no seal is of that head',
  )
  const { store, lines } = log.sealing
  let [pages, furthest] = [0, -1n]
  const asked = {
    lines: async function* (after: bigint, last: bigint) {
      for await (const page of lines(after, last)) {
        furthest = page.at(-1)?.position ?? furthest
        yield page
      }
    },
    store: Object.assign(Object.create(store) as typeof store, {
      async *read(...which: Parameters<typeof store.read>) {
        for await (const page of store.read(...which)) {
          pages++
          yield page
        }
      },
    }),
  }
  t.true(await isHeadContained(asked, witness, 'the test'))
  t.deepEqual([pages, furthest], [1, -1n], 'no event of the log is read for a head that is a seal')
  t.true(await isHeadContained(asked, between, 'the test'))
  t.true(furthest >= at && furthest < (await store.head()), 'the reading ends with the seal that covers it')
  const forged = { ...between, head: { ...between.head, root: witness.head.root } }
  t.false(await isHeadContained(asked, forged, 'the test'))
  t.false(await isHeadContained(asked, { ...witness, head: { ...witness.head, root: between.head.root } }, 'the test'))
  t.false(await isHeadContained(asked, { ...between, head: { ...between.head, size: 1_000 } }, 'the test'))
  t.false(await isHeadContained(asked, { ...witness, publicKeys: [newKeyPair().publicKey] }, 'the test'))
})
