import { SEALS_STREAM } from '../../domain/audit/seals.ts'
import type { ByteLog } from '../store/base/bytes.ts'
import { type LogStore, positionOf } from '../store/base/origin.ts'
import { hashBytes, hashesIn, joinedHashes, toBase64 } from './hash.ts'
import { isSealedBy, type SignedHead } from './head.ts'
import { type HeadDivergence, type KnownHead, partingText } from './known-heads.ts'
import { type FoundSeal, sealFrom } from './seal-lines.ts'
import { growingTree } from './tree.ts'
import { type TrustedKeys, trustedKeys } from './trusted-keys.ts'
import { type Edge, verifier } from './verify.ts'
import { wordsFor } from './wrong.ts'

/**
 * Finds out whether a log contains a head that was signed before, from the seals and from the events after the head
 * alone: the cost does not grow with the log. `audit verify` checks that no event before the head was changed.
 */

/** A head that was signed, with what makes it quick to find in a log. */
export type WitnessedHead = {
  readonly head: Pick<SignedHead, 'log' | 'size' | 'root'> & Partial<SignedHead>
  /** Keys whose seals after the head count, base64; the seals of a key that one of them endorses count as well. */
  readonly publicKeys: readonly string[]
  /** Right edge of its tree: hashes one after the other, base64. */
  readonly frontier?: string | undefined
  /** Events that the stream of the seals had when it was signed. */
  readonly seals?: number | undefined
}

type NewestHead = WitnessedHead & { readonly head: SignedHead }

export type SealedLog = {
  readonly store: Pick<LogStore, 'origin' | 'head' | 'read'>
  readonly lines: ByteLog['readLines']
}

export type Containment =
  | {
      readonly fits: true
      /** The newest seal of the log, with the keys that are trusted up to there; undefined when nothing is sealed. */
      readonly newest: NewestHead | undefined
      /** Events sealed after the head that were not verified, because they are more than the limit; else 0. */
      readonly left: number
    }
  | {
      readonly fits: false
      readonly why: HeadDivergence['why'] | 'changed'
      /** The explanation for people, with the sizes of both heads. */
      readonly words: string
      /** The newest head of the log; undefined when nothing in it is sealed. */
      readonly newest: SignedHead | undefined
    }

/**
 * Looks for a head in a log, and verifies what was sealed after it.
 * @param source who names the head, in words for people
 * @param limit sealed events after the head that are verified at most; when there are more, none is
 */
export const containment = async (
  log: SealedLog,
  witness: WitnessedHead,
  source: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<Containment> => {
  const known = knownHead(witness, source)
  const around = await sealsAround(log.store, witness, 'newest')
  const { below, newest } = around
  if (newest && newest.head.log !== known.log) {
    const place = { root: undefined, end: newest.head.size, from: 0, to: known.size }
    const words = partingText({ known, why: 'other-log', ...place })
    return { fits: false, why: 'other-log', words, newest: newest.head }
  }
  const start = below && edgeOf(below)
  if (below && (!start || !witness.publicKeys.some((key) => isSealedBy(key, below.head)))) {
    const words = `the seal of ${below.head.size} events in the log is not one by the keys that ${source} names`
    return { fits: false, why: 'changed', words, newest: newest?.head }
  }
  if (below && isOf(known, below)) {
    const left = (newest?.head.size ?? 0) - known.size
    if (left === 0 || left > limit) return { fits: true, newest: newestHead(around, witness.publicKeys), left }
  }
  return verifyFrom(log, known, trustedKeys(witness.publicKeys, start?.head.keyId), start, around)
}

/**
 * Whether a log contains a head; what was sealed after it is not verified. The reading ends with the first seal that
 * covers the head, so the cost is the same however old the head is. `containment` says why a head is not contained.
 * @param source who names the head, in words for people
 */
export const isHeadContained = async (log: SealedLog, witness: WitnessedHead, source: string): Promise<boolean> => {
  const known = knownHead(witness, source)
  const around = await sealsAround(log.store, witness, 'covering')
  const { below } = around
  const start = below && edgeOf(below)
  if (below && !(start && witness.publicKeys.some((key) => isSealedBy(key, below.head)))) return false
  if (below && isOf(known, below)) return true
  const keys = trustedKeys(witness.publicKeys, start?.head.keyId)
  return (await verifyFrom(log, known, keys, start, around)).fits
}

/** The head in the form that a verifier takes. */
export const knownHead = ({ head: { log, size, root }, frontier }: WitnessedHead, source: string): KnownHead => {
  const edge = frontier === undefined ? undefined : hashBytes(frontier)
  return { log, size, root, source, frontier: edge && hashesIn(edge) }
}

const verifyFrom = async (
  { store, lines }: SealedLog,
  known: KnownHead,
  keys: TrustedKeys,
  start: Edge | undefined,
  around: SealsAround,
): Promise<Containment> => {
  const verify = verifier(keys, { start, known: [known] })
  const begins = start ? BigInt(start.head.order) : -1n
  const after = start ? await positionOf(store, begins) : -1n
  const last = around.covering?.position ?? (await store.head())
  reading: for await (const page of lines(after, last))
    for (const line of page) if (line.order > begins && verify.add(line)) break reading
  const { wrong, parting } = verify.end()
  const publicKeys = keys.list().map(({ publicKey }) => publicKey)
  if (!wrong) return { fits: true, newest: newestHead(around, publicKeys), left: 0 }
  const words = parting ? partingText(parting) : `event ${wrong.index}: ${wordsFor(wrong)}`
  return { fits: false, why: parting?.why ?? 'changed', words, newest: around.newest?.head }
}

const newestHead = ({ newest, seals }: SealsAround, publicKeys: readonly string[]): NewestHead | undefined =>
  newest && { head: newest.head, publicKeys, frontier: joinedHashes(newest.frontier).toString('base64'), seals }

const isOf = (known: KnownHead, { head }: FoundSeal): boolean =>
  head.log === known.log && head.size === known.size && head.root === known.root

/** Undefined when the seal's edge is not that of its root. */
const edgeOf = ({ head, frontier }: FoundSeal): Edge | undefined => {
  try {
    return toBase64(growingTree(head.size, frontier).root()) === head.root ? { head, frontier } : undefined
  } catch {
    return undefined
  }
}

type SealsAround = {
  /** The newest seal that covers no more than the head. */
  readonly below: FoundSeal | undefined
  readonly newest: FoundSeal | undefined
  /** Events of the stream before the newest seal. */
  readonly seals: number
  /** The first seal that covers the head, when the reading was to end there. */
  readonly covering: { readonly position: bigint } | undefined
}

/** Whether all seals after the head are read, or those up to the first that covers it. */
type Until = 'newest' | 'covering'

/** Key rotations that may lie between a head and the seal before it; if there are more, all seals are read. */
const ROTATIONS_BETWEEN = 16

const sealsAround = async (
  store: SealedLog['store'],
  { head, seals = 0 }: WitnessedHead,
  until: Until,
): Promise<SealsAround> => {
  for (const from of [seals - 1, seals - 1 - ROTATIONS_BETWEEN]) {
    if (from <= 0) break
    const found = await sealsFrom(store, BigInt(from), head.size, until)
    if (found.below) return found
  }
  return sealsFrom(store, 0n, head.size, until)
}

const sealsFrom = async (store: SealedLog['store'], from: bigint, size: number, until: Until): Promise<SealsAround> => {
  let [below, newest]: (FoundSeal | undefined)[] = []
  let seals = 0
  for await (const page of store.read(SEALS_STREAM, from))
    for (const { type, data, revision, position } of page) {
      const seal = type === 'LogSealed' ? sealFrom(data) : undefined
      if (!seal) continue
      newest = seal
      seals = Number(revision)
      if (seal.head.size <= size) below = seal
      if (until === 'covering' && seal.head.size >= size) return { below, newest, seals, covering: { position } }
    }
  return { below, newest, seals, covering: undefined }
}
