/**
 * What an operator tries who has the log, its key and its machine, looked at in each of the four ways in which a log is
 * verified.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { hashBytes, hashesIn } from '../../adapters/audit/hash.ts'
import { HeadNotContinued, sealGuard } from '../../adapters/audit/seal-guard.ts'
import { sealUpTo } from '../../adapters/audit/sealer.ts'
import type { StoredBytes } from '../../adapters/store/base/bytes.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { placeOf } from '../../adapters/store/node/embedded-bytes.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { checkConsistency } from '../../src/commands/audit/check-proofs.ts'
import { writeCheckpoint } from '../../src/commands/audit/checkpoint.ts'
import { sealNow } from '../../src/commands/audit/seal.ts'
import type { Output } from '../../src/console/output.ts'
import { keeping, witnessedHere } from '../../src/engine/sealing.ts'
import { type SealWitness, sealWitnessIn, writeSealWitness } from '../../src/settings/seal-witness.ts'
import { connectionString, newDirectory } from '../store/open.ts'
import { inProcess } from '../support/commands.ts'
import {
  changed,
  honestLog,
  linesOf,
  looks,
  resealed,
  type Verdict,
  WAYS,
  withoutSeals,
  writeLog,
} from '../support/forged-log.ts'
import { testDatabase } from '../support/postgres.ts'
import { sealingOn } from '../support/sealed-log.ts'
import { fixedWorld } from '../support/world.ts'

/** A checkpoint of a head, as an auditor keeps it. */
const checkpointOf = (t: ExecutionContext, witness: SealWitness | undefined): string => {
  const file = join(newDirectory(t), 'old.checkpoint')
  if (!witness) throw new Error('no head')
  const frontier = hashesIn(hashBytes(witness.frontier ?? '') ?? Buffer.alloc(0))
  writeCheckpoint(file, { edge: { head: witness.head, frontier }, keys: witness.publicKeys })
  return file
}

const each = (
  t: ExecutionContext,
  verdicts: Readonly<Record<string, Verdict>>,
  see: (verdict: Verdict, way: string) => void,
) => {
  t.deepEqual(Object.keys(verdicts), [...WAYS])
  for (const [way, verdict] of Object.entries(verdicts)) see(verdict, way)
}

test('an untouched log is whole in every way, with its checkpoints, its journal and its keys', async (t) => {
  const { events, witnesses, keys } = await honestLog(t)
  const sealed = witnesses.at(-1)?.head.size
  for (const witness of [witnesses[0], witnesses[3], witnesses.at(-1)])
    each(t, await looks(t, events, { from: checkpointOf(t, witness) }, witnesses), ({ whole, said }, way) => {
      t.true(whole, way)
      t.like(said, { sealed, wrong: null, parting: null, not_sealed: null }, way)
    })
  each(t, await looks(t, events, { key: keys }), ({ whole }, way) => t.true(whole, way))
})

test('B1: a log whose seals were dropped, and an empty one, are not whole by the true key', async (t) => {
  const { events, keys, witnesses } = await honestLog(t)
  const forged = withoutSeals(events.with(4, changed(events[4] ?? t.fail())))
  for (const log of [forged, []]) {
    each(t, await looks(t, log, { key: keys }), ({ whole, said }, way) => {
      t.false(whole, way)
      t.like(
        said,
        { sealed: 0, not_sealed: 'nothing in this log is sealed by the keys that were brought along or remembered' },
        way,
      )
    })
    // Nor with a word for logs that are being born: who has a key knows that the log was sealed.
    each(t, await looks(t, log, { key: keys, unsealedOk: true }), ({ whole }, way) => t.false(whole, way))
    each(t, await looks(t, log, {}), ({ whole, said }, way) => {
      t.false(whole, way)
      t.regex(said.not_sealed ?? '', /^nothing in this log is sealed, so nothing of it is proved/, way)
    })
    each(t, await looks(t, log, { unsealedOk: true }), ({ whole }, way) => t.true(whole, way))
  }
  const size = witnesses[1]?.head.size ?? 0
  each(t, await looks(t, [], { from: checkpointOf(t, witnesses[1]), unsealedOk: true }), ({ whole, said }, way) => {
    t.false(whole, way)
    t.like(said.parting, { size, end: 0, why: 'shorter' }, way)
  })
})

test('B2: a log cut behind the checkpoint, or sealed anew, is told with the size at which they part', async (t) => {
  const { events, witnesses } = await honestLog(t)
  const witness = witnesses.at(-2)
  const size = witness?.head.size ?? 0
  const from = checkpointOf(t, witness)
  for (const end of [0, 10, size - 1])
    each(t, await looks(t, events.slice(0, end), { from }), ({ whole, said }, way) => {
      t.false(whole, `${way} ${end}`)
      t.like(said, { wrong: { what: 'ended', index: end }, parting: { why: 'shorter', size, end } }, `${way} ${end}`)
    })
  const forged = await resealed(t, events.with(20, changed(events[20] ?? t.fail())))
  // The seal before the edited event is another one already, because it was signed anew.
  const [honest, written] = [linesOf(events), linesOf(forged)]
  const other = honest.findIndex((line, at) => line !== written[at])
  each(t, await looks(t, forged, { from }), ({ whole, said }, way) => {
    t.false(whole, way)
    t.like(said.parting, { why: 'forked', size }, way)
    const { from: first = -1, to = -1 } = said.parting ?? {}
    t.true(first <= other && other < to, `${way}: ${first} to ${to}`)
  })
  // The journal has heads in between, so that the place is told more closely.
  each(t, await looks(t, forged, {}, witnesses), ({ whole, said }, way) => {
    if (way === 'file') return
    t.false(whole, way)
    const { from: first = -1, to = -1 } = said.parting ?? {}
    t.true(first <= other && other < to && to - first <= 8, `${way}: ${first} to ${to}`)
  })
})

/** What an operator could put in the place of an honest log, and what is said of it. */
const forgeriesOf = async (t: ExecutionContext, events: readonly StoredBytes[]) => {
  const edited = events.with(4, changed(events[4] ?? t.fail()))
  const other = await honestLog(t)
  return Object.entries({
    'edited, without its seals': [withoutSeals(edited), /the log ends after \d+ events/],
    'cut short': [events.slice(0, 20), /the log ends after 20 events/],
    'edited, and sealed anew by a forger': [await resealed(t, edited), /they part/],
    'another log': [other.events, /is of another log/],
    empty: [[], /the log ends after 0 events/],
  } as const)
}

test('B3: no seal is written over a log that lost its seals, and the journal stays as it is', async (t) => {
  const { events, witnesses } = await honestLog(t)
  const newest = witnesses.at(-1)?.head
  for (const [what, [forged, why]] of await forgeriesOf(t, events)) {
    const dir = newDirectory(t)
    const journal = sealWitnessIn(dir)
    for (const witness of witnesses) writeSealWitness(journal, witness)
    const before = readFileSync(journal, 'utf8')
    const core = openCore(join(dir, 'events.db'))
    await writeLog(core, forged)
    const honest = sealingOn(core, fixedWorld('product'))
    const sealing = { ...honest, guard: sealGuard(() => witnessedHere(journal)), ...keeping(journal) }
    const head = await sealing.store.head()
    const refused = await t.throwsAsync(sealUpTo(sealing, head, false), { instanceOf: HeadNotContinued }, what)
    t.regex(refused?.message ?? '', why, what)
    t.true(refused?.message.includes(`the head of ${newest?.size} events, root ${newest?.root}`), what)
    t.regex(refused?.message ?? '', /daybook log accept-older --reason/, what)
    t.is(await sealing.store.head(), head, what)
    t.is(readFileSync(journal, 'utf8'), before, what)
    await core.close()
  }
})

test('B3: `audit seal` refuses them in a DATA_DIR and over the protocol of EventStoreDB, and writes nothing', async (t) => {
  const { events, witnesses } = await honestLog(t)
  const masterKey = randomBytes(32)
  for (const [what, [forged, why]] of await forgeriesOf(t, events)) {
    const dir = newDirectory(t)
    const journal = sealWitnessIn(dir)
    for (const witness of witnesses) writeSealWitness(journal, witness)
    const before = readFileSync(journal, 'utf8')
    // The database is new to each of them: one that knows the log says no before the seals do.
    const place = { DATA_DIR: dir, DATABASE_URL: (await testDatabase(t)).url, LOG_MIRROR: 'off' }
    const seal = (env: Readonly<Record<string, string>>) =>
      inProcess({ ...place, ...env }, (books, out) => sealNow(books, out, () => masterKey, journal))
    const core = openCore(join(dir, 'events.db'))
    await writeLog(core, forged)
    const head = await placeOf(core, 'log.db').store.head()
    await core.close()
    await t.throwsAsync(seal({}), { instanceOf: HeadNotContinued, message: why }, what)

    const served = openCore(join(dir, 'events.db'))
    const protocol = await serveProtocol(served, '127.0.0.1:0')
    const env = { EVENTSTORE_URL: connectionString(protocol.address) }
    await t.throwsAsync(seal(env), { instanceOf: HeadNotContinued, message: why }, what)
    t.is(await placeOf(served, 'log.db').store.head(), head, what)
    await protocol.stop()
    await served.close()
    t.is(readFileSync(journal, 'utf8'), before, what)
  }
})

test('B4: of two copies that part at one event each is whole alone, and exchanged checkpoints tell', async (t) => {
  const { events, witnesses, keys } = await honestLog(t)
  const [ours, theirs] = [events, await resealed(t, events.with(30, changed(events[30] ?? t.fail())))]
  for (const copy of [ours, theirs])
    each(t, await looks(t, copy, { key: keys }), ({ whole }, way) => t.true(whole, way))
  const [mine, newer] = [join(newDirectory(t), 'mine'), join(newDirectory(t), 'theirs')]
  await looks(t, ours, { key: keys, checkpoint: mine })
  await looks(t, theirs, { key: keys, checkpoint: newer })
  each(t, await looks(t, theirs, { from: mine }), ({ whole, said }, way) => {
    t.false(whole, way)
    t.is(said.parting?.size, witnesses.at(-1)?.head.size, way)
  })
  const told: { consistent: boolean; fault: string }[] = []
  const out: Output = {
    json: true,
    tell: async (value) => void told.push(value as (typeof told)[number]),
    remark: () => {},
  }
  const wish = { proof: undefined, keys: [] }
  t.true(await checkConsistency(out, { older: mine, newer: mine, ...wish }))
  t.false(await checkConsistency(out, { older: mine, newer, ...wish }))
  t.regex(told[1]?.fault ?? '', /two different histories of \d+ events were signed|need a proof|the later head covers/)
})

test('B5: what is not sealed is said, and more than a little of it is not whole', async (t) => {
  const { events, witnesses, keys } = await honestLog(t)
  const sealed = witnesses.at(-1)?.head.size ?? 0
  const late = events.slice(-1).map((event) => ({
    ...event,
    id: 'b7f0e7a2-5d0a-4b39-8f5e-0d3c1f6a9b11',
    stream: 'thing-late',
    revision: 0n,
    metadata: Buffer.from(String(Buffer.from(event.metadata)).replace('03:04:05.678', '03:04:46.678')),
  }))
  const log = [...events, ...late]
  const unsealed = log.length - sealed
  each(t, await looks(t, log, { key: keys }), ({ whole, said }, way) => {
    t.true(whole, way)
    t.like(said, { unsealed, unsealed_seconds: 41 }, way)
  })
  each(t, await looks(t, log, { key: keys, maxUnsealed: unsealed - 1 }), ({ whole, said }, way) => {
    t.false(whole, way)
    t.regex(said.not_sealed ?? '', new RegExp(`^${unsealed} events at the end are not sealed`), way)
  })
  each(t, await looks(t, log, { key: keys, maxUnsealedSeconds: 40 }), ({ whole, said }, way) => {
    t.false(whole, way)
    t.regex(said.not_sealed ?? '', /span 41 s, and at most 40 may be/, way)
  })
})

test('a journal that was put back or edited tells what it still can', async (t) => {
  const { events, witnesses } = await honestLog(t)
  // Put back: the older heads are in the log as well.
  each(t, await looks(t, events, {}, witnesses.slice(0, 2)), ({ whole }) => t.true(whole))
  const [first, ...rest] = witnesses
  if (!first) return t.fail()
  // Edited: a head that the log never had, before the newest one.
  const edited = { ...first, head: { ...first.head, root: witnesses[1]?.head.root ?? '' } }
  each(t, await looks(t, events, {}, [edited, ...rest]), ({ whole, said }, way) => {
    if (way === 'file') return
    t.false(whole, way)
    t.is(said.parting?.size, first.head.size, way)
  })
  const dir = newDirectory(t)
  writeFileSync(sealWitnessIn(dir), `${JSON.stringify({ ...first, head: { ...first.head, size: 3 } })}\n`)
  t.throws(() => witnessedHere(sealWitnessIn(dir)), { message: /the file was edited/ })
})
