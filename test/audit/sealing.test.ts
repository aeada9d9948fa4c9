/** How seals come into the log: once each, whoever writes them and whatever breaks, and in every copy of it. */
import test, { type ExecutionContext } from 'ava'
import { type Hash, hashBytes, hashesIn, toBase64 } from '../../adapters/audit/hash.ts'
import { inclusionPath, rootOfPath } from '../../adapters/audit/paths.ts'
import { type SealerParts, sealUpTo } from '../../adapters/audit/sealer.ts'
import { trustedKeys } from '../../adapters/audit/trusted-keys.ts'
import { type LogVerification, verifier } from '../../adapters/audit/verify.ts'
import { placeOf } from '../../adapters/store/node/embedded-bytes.ts'
import { LOG_ID } from '../../domain/audit/log.ts'
import { SEALS, type SealEvents } from '../../domain/audit/seals.ts'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'
import { copyEvents } from '../../src/migration/copy.ts'
import { newEvent } from '../store/events.ts'
import { newCore } from '../store/open.ts'
import { around, everything, ledgerOn } from '../support/ledger.ts'
import { type SealedLog, sealedLog } from '../support/sealed-log.ts'
import { fixedWorld } from '../support/world.ts'

const verified = async (
  { lines, store }: Pick<SealerParts, 'lines' | 'store'>,
  pins: readonly string[] = [],
): Promise<LogVerification> => {
  const verify = verifier(trustedKeys(pins))
  for await (const page of lines(-1n, await store.head())) for (const line of page) verify.add(line)
  return verify.end()
}

const sealsIn = async ({ sealing }: SealedLog): Promise<SealEvents['LogSealed'][]> =>
  (await everything(sealing.store))
    .filter(({ type }) => type === 'LogSealed')
    .map(({ data }) => data as SealEvents['LogSealed'])

/** Many events at little cost: a hundred an append. */
const fill = async ({ sealing: { store } }: SealedLog, hundreds: number) => {
  for (let n = 0; n < hundreds; n++)
    await store.append(
      `fill-${n}`,
      -1n,
      Array.from({ length: 100 }, (_, i) => newEvent('Filled', { n, i })),
    )
}

test('a log that was there before is sealed a thousand events at a time, and the rest when it is late', async (t) => {
  const log = sealedLog(t)
  await fill(log, 23)
  const seal = async (whole: boolean) => sealUpTo(log.sealing, await log.sealing.store.head(), whole)
  t.is(await seal(true), 300)
  t.deepEqual(
    log.heads.map(({ head }) => head.size),
    [1_000, 2_000],
  )
  await seal(false)
  // The seals themselves are events, but no reason to seal again.
  t.is(await seal(false), 1)
  t.is(await seal(false), 1)
  t.like(await verified(log.sealing), { wrong: undefined, seals: 3, end: 2_304 })
})

test('what seals say of large subtrees is enough to prove an event without the others', async (t) => {
  const log = sealedLog(t)
  await fill(log, 42)
  await log.seal()
  const seals = await sealsIn(log)
  const size = seals.at(-1)?.size ?? 0
  const leaves = seals.flatMap((seal) => hashesIn(hashBytes(seal.leaves) ?? Buffer.alloc(0)))
  const nodes = new Map(seals.flatMap((seal) => seal.nodes.map(([level, index, hash]) => [`${level}/${index}`, hash])))
  t.deepEqual([...nodes.keys()], ['10/0', '10/1', '11/0', '10/2', '10/3', '11/1', '12/0'])
  const asked: number[] = []
  const source = {
    leaves: async (from: number, to: number) => {
      asked.push(to - from)
      return leaves.slice(from, to)
    },
    node: async (level: number, index: number) => {
      const hash = nodes.get(`${level}/${index}`)
      return hash === undefined ? undefined : Buffer.from(hash, 'base64').toString('latin1')
    },
  }
  for (const index of [0, 1_500, 4_095, 4_096, size - 1]) {
    const root = rootOfPath(leaves[index] as Hash, index, size, await inclusionPath(source, index, size))
    t.is(root && toBase64(root), seals.at(-1)?.root)
  }
  t.true(asked.every((count) => count <= 1_024))
})

test('processes that seal at the same time make one history, with one key', async (t) => {
  const log = sealedLog(t)
  const other = (seed: string): SealerParts => {
    const world = fixedWorld(seed)
    return { ...log.sealing, world, ledger: ledgerOn(log.sealing.store, world) }
  }
  const all = [log.sealing, other('two'), other('three')]
  for (let round = 0; round < 8; round++) {
    await log.write(7)
    const head = await log.sealing.store.head()
    await Promise.all(all.map((each, i) => sealUpTo(each, head, i === 1, 3 + i)))
  }
  await log.seal()
  const seals = await sealsIn(log)
  t.deepEqual(
    seals.map(({ from }) => from),
    [0, ...seals.map(({ size }) => size)].slice(0, -1),
  )
  t.is((await everything(log.sealing.store)).filter(({ type }) => type === 'SealKeyPublished').length, 1)
  t.like(await verified(log.sealing), { wrong: undefined, seals: seals.length })
})

test('a seal whose answer is lost, before or after it was written, is written once', async (t) => {
  for (const lands of [false, true])
    for (let lost = 0; lost < 6; lost++) {
      const log = sealedLog(t)
      await log.write(12)
      let appends = 0
      const breaking = around(log.sealing.store, (go) => async (...given) => {
        if (appends++ !== lost) return go(...given)
        if (lands) await go(...given)
        throw new OutcomeUnknown('lost')
      })
      const store = { ...log.sealing.store, append: breaking.append }
      const broken = { ...log.sealing, ledger: ledgerOn(store, fixedWorld('broken')) }
      await sealUpTo(broken, await store.head(), false, 3).catch((error: unknown) =>
        t.true(error instanceof OutcomeUnknown),
      )
      await log.seal(3)
      const seals = await sealsIn(log)
      t.is(new Set(seals.map(({ size }) => size)).size, seals.length)
      t.like(await verified(log.sealing), { wrong: undefined, seals: seals.length })
    }
})

test('a log whose sealing key cannot be read takes no seal until its data key is given up', async (t) => {
  const log = sealedLog(t)
  await log.write(3)
  await log.seal()
  const before = await log.sealing.store.head()
  await log.write(3)
  const { vault } = log.sealing
  const { key } = await log.sealing.ledger.seals.read(SEALS)
  const unread = {
    ...vault,
    open: async (sealed: string) => (sealed === key?.privateKey ? undefined : vault.open(sealed)),
  }
  const locked: SealerParts = { ...log.sealing, vault: { ...unread, isLost: async () => false } }
  await t.throwsAsync(sealUpTo(locked, await log.sealing.store.head(), false), { message: /cannot be read/ })
  t.is((await everything(log.sealing.store, before)).length, 3)

  const lost: SealerParts = { ...log.sealing, vault: { ...unread, isLost: async () => true } }
  await sealUpTo(lost, await log.sealing.store.head(), false)
  const after = await everything(log.sealing.store, before)
  const published = after.filter(({ type }) => type === 'SealKeyPublished')
  t.deepEqual(
    published.map(({ data }) => (data as SealEvents['SealKeyPublished']).endorsement),
    [null],
  )
  t.is(after.filter(({ type }) => type === 'LogSealed').length, 1)
})

test('a copy of the log is whole by the same key, and its next seals go on from the last one', async (t) => {
  const log = sealedLog(t)
  await log.write(10)
  await log.seal(4)
  await log.write(2)
  const copy = await copied(t, log)
  const publicKey = log.heads[0]?.publicKey ?? ''
  t.like(await verified(copy, [publicKey]), { wrong: undefined, seals: log.heads.length })
  const sizes = log.heads.map(({ head }) => head.size)
  await sealUpTo(copy, await copy.store.head(), false, 4)
  const { wrong, edge, seals } = await verified(copy, [publicKey])
  t.deepEqual([wrong, edge?.head.log, seals], [undefined, log.heads[0]?.head.log, log.heads.length])
  t.true((edge?.head.size ?? 0) > (sizes.at(-1) ?? 0) + 2 && sizes.length < log.heads.length)
})

/** The same log in another file, as `daybook migrate` leaves it, with a sealer of its own; its positions are others. */
const copied = async (t: ExecutionContext, log: SealedLog): Promise<SealerParts> => {
  const { bytes } = placeOf(log.core, 'log.db')
  const head = await log.sealing.store.head()
  const place = placeOf(newCore(t), 'copy.db')
  await copyEvents({ bytes, base: 0n, head }, place.bytes, -1n, () => {})
  const origin = await log.sealing.store.origin()
  const ledger = ledgerOn(place.store, fixedWorld('copy'))
  await ledger.log.recordCopy(LOG_ID, { from: origin?.id ?? '', source: 'log.db', events: 0, lastOrder: String(head) })
  return { ...log.sealing, store: place.store, lines: place.bytes.readLines, ledger }
}
