import { userInfo } from 'node:os'
import { trustedKeys } from '../../adapters/audit/trusted-keys.ts'
import { verifier } from '../../adapters/audit/verify.ts'
import { wordsFor } from '../../adapters/audit/wrong.ts'
import type { LogPlace } from '../../adapters/store/base/bytes.ts'
import { type LogLine, lineOf } from '../../adapters/store/base/log-line.ts'
import { baseOf, HalfCopy, type LogStore } from '../../adapters/store/base/origin.ts'
import { mirrorEnd } from '../../adapters/store/mirror/mirror.ts'
import { mirroredBytes } from '../../adapters/store/mirror/stored-bytes.ts'
import { LOG_ID } from '../../domain/audit/log.ts'
import { operatorLedger } from '../books/operator-ledger.ts'
import { eventOf } from '../parts/log.ts'
import { readSealWitness } from '../settings/seal-witness.ts'
import { copyEvents } from './copy.ts'
import { MigrationRefusal } from './refused.ts'

/** The log of a store beside its mirror, which goes further. */
export type Refill = {
  readonly place: LogPlace
  /** The directory of the mirror. */
  readonly dir: string
  /** The id of the log, as its mirror has it. */
  readonly log: string
  /** The last line of the mirror, and of the log; and the position of the mirror up to which both are the same. */
  readonly end: LogLine
  readonly head: LogLine | undefined
  readonly common: bigint
  /** Events that are to be put back. */
  readonly missing: number
}

/** Called with how far a step has come, as a position of the mirror. */
type Watch = (position: bigint) => void

/**
 * Compares every event of the log with its mirror, and the mirror with the seals in it, before anything is written.
 * Throws MigrationRefusal when the log is not the beginning of the mirror, or there is nothing to put back.
 */
export const beginRefill = async (place: LogPlace, dir: string, witness: string, watch: Watch): Promise<Refill> => {
  const mirror = await mirrorEnd(dir)
  if (!mirror) throw new MigrationRefusal('mirror_empty', dir)
  const sealed = readSealWitness(witness)
  const verify = verifier(trustedKeys(sealed?.publicKeys ?? []))
  const originals = linesOf(storeLines(place))
  const found = {
    end: undefined as LogLine | undefined,
    head: undefined as LogLine | undefined,
    common: -1n,
    missing: 0,
  }
  for await (const line of linesOf(mirroredBytes(dir).readLines(-1n, mirror.position))) {
    const wrong = verify.add(line)
    if (wrong) throw new MigrationRefusal('mirror_unsealed', wordsFor(wrong))
    const there = found.missing > 0 ? undefined : (await originals.next()).value
    if (there && there.line !== line.line) throw new MigrationRefusal('mirror_parted', nameOf(there))
    if (there) Object.assign(found, { head: there, common: line.position })
    else found.missing++
    found.end = line
    watch(line.position)
  }
  const { wrong } = verify.end()
  if (wrong) throw new MigrationRefusal('mirror_unsealed', wordsFor(wrong))
  const more = (await originals.next()).value
  if (more) throw new MigrationRefusal('mirror_shorter', `the log goes on with ${nameOf(more)}`)
  const { end, missing } = found
  if (!end || missing === 0) throw new MigrationRefusal('mirror_shorter', 'the log ends where its mirror does')
  return { place, dir, log: mirror.origin, ...found, end }
}

/** Appends what the log lacks. It may be cut off at any event, and be run again from `beginRefill` on. */
export const carryOutRefill = async ({ place, dir, end, common }: Refill, watch: Watch): Promise<void> => {
  // Each event says its place in the ledger's order already, so that nothing is to be added to its position.
  const original = { bytes: { ...place.bytes, ...mirroredBytes(dir) }, head: end.position, base: 0n }
  await copyEvents(original, place.bytes, common, watch)
}

/** Compares log and mirror once more, now to the mirror's end; `onPair` is told where each event is in both. */
export const verifyRefill = async (
  { place, dir, end }: Refill,
  watch: Watch,
  onPair: (mirror: bigint, log: bigint) => void,
): Promise<void> => {
  const results = linesOf(storeLines(place))
  for await (const line of linesOf(mirroredBytes(dir).readLines(-1n, end.position))) {
    const there = (await results.next()).value
    if (there?.line !== line.line) throw new MigrationRefusal('mirror_parted', nameOf(there ?? line))
    onPair(line.position, there.position)
    watch(line.position)
  }
}

/** Writes the event that ends it; what is written from then on comes after everything that was put back. */
export const recordRefill = async ({ place, log, end, head, missing }: Refill, base: bigint): Promise<void> => {
  await operatorLedger(place.store).log.recordRefill(LOG_ID, {
    log,
    base: String(base),
    by: userInfo().username,
    from: String(head?.order ?? -1n),
    to: String(end.order),
    events: missing,
  })
}

/**
 * What the ledger's order adds to the positions of new events of this store. A log that kept its beginning keeps its
 * own; one that lost everything begins after what was put back. Throws MigrationRefusal where positions of this store
 * are so far behind that new events would come before old ones.
 */
export const baseAfter = async ({ place, end, head }: Refill): Promise<bigint> => {
  const base = head ? await knownBase(place.store) : undefined
  if (base === undefined) return end.order + 1n
  const position = await place.store.head()
  if (position + base < end.order) throw new MigrationRefusal('positions_behind', `${position + base} of ${end.order}`)
  return base
}

/**
 * The lines of the log. While a log that was lost altogether is being put back, only the places in the ledger's order
 * that its events name say where they belong.
 */
async function* storeLines({ store, bytes }: LogPlace): AsyncGenerator<readonly LogLine[]> {
  const base = (await knownBase(store)) ?? 0n
  for await (const page of bytes.readAll(-1n, await store.head())) yield page.map((event) => lineOf(event, base))
}

/** The base of a log; undefined while one that was lost altogether is being put back. */
const knownBase = (store: LogStore): Promise<bigint | undefined> =>
  baseOf(store).catch((error: unknown) => {
    if (error instanceof HalfCopy) return undefined
    throw error
  })

async function* linesOf(pages: AsyncIterable<readonly LogLine[]>): AsyncGenerator<LogLine, undefined> {
  for await (const page of pages) yield* page
  return undefined
}

/** An event in words for people. */
const nameOf = (line: LogLine): string => `event ${eventOf(line).id} (${line.type}, order ${line.order})`
