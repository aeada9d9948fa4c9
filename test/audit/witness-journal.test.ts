/**
 * The journal of heads: it only grows, it is there before a head is shown, and whatever a crash has left of it is
 * borne.
 */
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { sealGuard } from '../../adapters/audit/seal-guard.ts'
import { sealUpTo } from '../../adapters/audit/sealer.ts'
import { SEALS_STREAM } from '../../domain/audit/seals.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startSealer, witnessedHere } from '../../src/engine/sealing.ts'
import { compareHeads } from '../../src/parts/witnessed.ts'
import {
  readSealWitness,
  sealWitnessesIn,
  sealWitnessIn,
  takeOverSealWitness,
  writeSealWitness,
} from '../../src/settings/seal-witness.ts'
import { newEvent } from '../store/events.ts'
import { newDirectory } from '../store/open.ts'
import { everything } from '../support/ledger.ts'
import { sealedLog } from '../support/sealed-log.ts'

test('heads are appended, readable by their owner alone, and the newest is read from the end', async (t) => {
  const log = sealedLog(t)
  await log.write(30)
  await log.seal(3)
  const journal = sealWitnessIn(newDirectory(t))
  t.is(readSealWitness(journal), undefined)
  for (const witness of log.witnesses) {
    writeSealWitness(journal, witness)
    t.deepEqual(readSealWitness(journal), witness)
  }
  t.is(statSync(journal).mode & 0o777, 0o600)
  t.deepEqual([...sealWitnessesIn(journal)], [...log.witnesses])
  // However long the journal is: what stands before its end is not read.
  const last = log.witnesses.at(-1)
  writeFileSync(journal, `${'x'.repeat(100)}\n`.repeat(50_000) + readFileSync(journal, 'utf8'))
  t.deepEqual(readSealWitness(journal), last)
  t.deepEqual([...sealWitnessesIn(journal)], [...log.witnesses])
})

test('a line that a crash has cut is passed over, and the next head stands in a line of its own', async (t) => {
  const log = sealedLog(t)
  await log.write(6)
  await log.seal(2)
  const [first, second, third] = log.witnesses
  if (!first || !second || !third) return t.fail()
  const journal = sealWitnessIn(newDirectory(t))
  writeSealWitness(journal, first)
  const whole = statSync(journal).size
  writeSealWitness(journal, second)
  const end = statSync(journal).size
  for (let size = end - 1; size >= whole; size -= 37) {
    truncateSync(journal, size)
    // Only its line feed may be missing: then the head itself is there.
    t.deepEqual(readSealWitness(journal), size === end - 1 ? second : first)
  }
  writeSealWitness(journal, third)
  t.deepEqual([...sealWitnessesIn(journal)], [first, third])
  t.deepEqual(readSealWitness(journal), third)
})

test('the file of the version before is taken over at the first start, and counts until then', async (t) => {
  const log = sealedLog(t)
  await log.write(4)
  await log.seal(2)
  const dir = newDirectory(t)
  const [journal, former] = [sealWitnessIn(dir), join(dir, 'seal-witness.json')]
  const { head, publicKeys } = log.witnesses.at(-1) ?? {}
  writeFileSync(former, `${JSON.stringify({ head, publicKeys })}\n`)
  t.like(readSealWitness(journal), { head, publicKeys })
  t.is([...sealWitnessesIn(journal)].length, 1)
  t.like(await compareHeads({ store: log.sealing.store, lines: log.sealing.lines }, journal), { fits: true, left: 0 })
  takeOverSealWitness(journal)
  t.false(existsSync(former))
  t.like(readSealWitness(journal), { head, publicKeys })
  // A version before that ran once more has written a newer head into its own file.
  await log.write(2)
  await log.seal()
  const newer = log.witnesses.at(-1)
  writeFileSync(former, JSON.stringify({ head: newer?.head, publicKeys: newer?.publicKeys }))
  t.like(readSealWitness(journal), { head: newer?.head })
  writeFileSync(former, '{"head":{"size":"7"}}')
  t.throws(() => readSealWitness(journal), { message: /seal-witness\.json is not a head of the log/ })
})

test('a file that holds no head of ours is refused, and one whose newest head nobody signed', async (t) => {
  const log = sealedLog(t)
  await log.write(2)
  await log.seal()
  const journal = sealWitnessIn(newDirectory(t))
  writeFileSync(journal, 'no head\n')
  t.throws(() => readSealWitness(journal), { message: /ends with what is no head of the log/ })
  const [witness] = log.witnesses
  if (!witness) return t.fail()
  for (const edit of [{ size: witness.head.size - 1 }, { root: witness.head.chain }, { log: 'x' }, { order: '0' }]) {
    writeFileSync(journal, `${JSON.stringify({ ...witness, head: { ...witness.head, ...edit } })}\n`)
    t.throws(() => readSealWitness(journal), { message: /the file was edited/ }, JSON.stringify(edit))
  }
})

test('a head is in the journal before its event is in the log, and a crash between the two is borne', async (t) => {
  const log = sealedLog(t)
  const journal = sealWitnessIn(newDirectory(t))
  const { store } = log.sealing
  const asked = { store, lines: log.sealing.lines }
  await log.write(5)
  await log.seal()
  for (const witness of log.witnesses) writeSealWitness(journal, witness)
  const sealsOf = async () => (await everything(store)).filter(({ stream }) => stream === SEALS_STREAM).length
  for (let round = 0; round < 3; round++) {
    await log.write(4)
    const before = await sealsOf()
    const crashing = {
      ...log.sealing,
      witness: (witness: Parameters<typeof log.sealing.witness>[0]) => {
        writeSealWitness(journal, witness)
        throw new Error('ended')
      },
    }
    await t.throwsAsync(sealUpTo(crashing, await store.head(), false), { message: 'ended' })
    t.is(await sealsOf(), before)
    t.like(await compareHeads(asked, journal), { fits: true, left: 0 })
  }
  await log.seal()
  t.like(await compareHeads(asked, journal), { fits: true, left: 0 })
  // The tail of a half line changes nothing.
  appendFileSync(journal, '{"head":{"log":')
  t.like(await compareHeads(asked, journal), { fits: true })
})

test('what was sealed after the newest witnessed head is verified, also behind a rotated key', async (t) => {
  const log = sealedLog(t)
  const journal = sealWitnessIn(newDirectory(t))
  const asked = { store: log.sealing.store, lines: log.sealing.lines }
  await log.write(6)
  await log.seal(3)
  // A head that covers the publishing of its own key, so that only the journal tells which key seals there.
  await log.write(3)
  await log.seal()
  const first = log.witnesses.at(-1)
  if (!first) return t.fail()
  writeSealWitness(journal, first)
  await log.rotate()
  await log.write(6)
  await log.seal(3)
  const newest = log.witnesses.at(-1)
  const found = await compareHeads(asked, journal)
  t.like(found, { fits: true, left: 0, witnessed: first.head, log: { head: newest?.head } })
  t.deepEqual(found.fits && found.log?.publicKeys.toSorted(), newest?.publicKeys.toSorted())
  const left = (newest?.head.size ?? 0) - first.head.size
  t.like(await compareHeads(asked, journal, left - 1), { fits: true, left })
  t.like(await compareHeads(asked, journal, left), { fits: true, left: 0 })
  // What a start has verified stands in the journal as if this process had sealed it.
  if (found.fits && found.log) writeSealWitness(journal, found.log)
  t.like(await compareHeads(asked, journal, 0), { fits: true, left: 0 })
})

test('a log that is shorter than the witness, one with another history and another log are three things', async (t) => {
  const log = sealedLog(t)
  await log.write(10)
  await log.seal(5)
  const journal = sealWitnessIn(newDirectory(t))
  for (const witness of log.witnesses) writeSealWitness(journal, witness)
  const newest = log.witnesses.at(-1)?.head
  const empty = sealedLog(t)
  const words = async ({ sealing: { store, lines } }: Pick<typeof log, 'sealing'>) => {
    const found = await compareHeads({ store, lines }, journal)
    return found.fits ? undefined : found
  }
  t.is(await words(log), undefined)
  t.like(await words(empty), { why: 'shorter', witnessed: newest, log: undefined })
  await empty.write(30)
  t.like(await words(empty), { why: 'other-log' })
  await empty.seal()
  t.like(await words(empty), { why: 'other-log', log: empty.heads.at(-1)?.head })
})

test('a long tail is verified beside, readiness says so, and a tail that was changed refuses to be sealed', async (t) => {
  const log = sealedLog(t)
  const { store, lines } = log.sealing
  await log.write(3)
  await log.seal()
  const [first] = log.witnesses
  if (!first) return t.fail()
  for (let n = 0; n < 22; n++)
    await store.append(
      `fill-${n}`,
      -1n,
      Array.from({ length: 100 }, (_, i) => newEvent('Filled', { n, i })),
    )
  await log.seal()
  const quiet = { info: () => {}, warn: () => {}, error: () => {} }
  const begun = async (change: (line: string) => string) => {
    const journal = sealWitnessIn(newDirectory(t))
    writeSealWitness(journal, first)
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    async function* gated(after: bigint, until: bigint) {
      await gate
      for await (const page of lines(after, until)) yield page.map((line) => ({ ...line, line: change(line.line) }))
    }
    const settings = { everySeconds: 60, journal, log: quiet }
    const sealer = await startSealer(settings, { store, lines: gated }, new AbortController().signal)
    return { sealer, journal, open }
  }
  const honest = await begun((line) => line)
  t.like(honest.sealer.report(), { status: 'verifying' })
  t.regex(honest.sealer.report().reason ?? '', /^2\d{3} events that were sealed meanwhile are verified first$/)
  t.is(readSealWitness(honest.journal)?.head.size, first.head.size)
  honest.open()
  await eventually('the end of the verification', async () => honest.sealer.report().status === 'ok')
  t.is(readSealWitness(honest.journal)?.head.size, log.heads.at(-1)?.head.size)
  const forged = await begun((line) => line.replace('"n":9,"i":50', '"n":9,"i":51'))
  forged.open()
  await eventually('the refusal', async () => forged.sealer.report().status === 'refused')
  t.regex(
    forged.sealer.report().reason ?? '',
    /^nothing is sealed, because event \d+: this event is not the one that was sealed/,
  )
  t.is(readSealWitness(forged.journal)?.head.size, first.head.size)
})

test('a seal covers no less than the largest head that is known', async (t) => {
  const log = sealedLog(t)
  await log.write(4)
  const early = await log.sealing.store.head()
  await log.write(4)
  const journal = sealWitnessIn(newDirectory(t))
  const guard = sealGuard(() => witnessedHere(journal))
  const ended = {
    ...log.sealing,
    guard,
    witness: (witness: Parameters<typeof log.sealing.witness>[0]) => {
      writeSealWitness(journal, witness)
      throw new Error('ended')
    },
  }
  await t.throwsAsync(sealUpTo(ended, await log.sealing.store.head(), false), { message: 'ended' })
  t.is(readSealWitness(journal)?.head.size, 8)
  const sealing = { ...log.sealing, guard }
  t.is(await sealUpTo(sealing, early, false), 4)
  t.is(await sealUpTo(sealing, early, false, 2), 4)
  t.deepEqual(log.heads, [])
  await sealUpTo(sealing, await log.sealing.store.head(), false, 2)
  t.true((log.heads[0]?.head.size ?? 0) >= 8)
})
