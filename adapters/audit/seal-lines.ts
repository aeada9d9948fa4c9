import { z } from 'zod'
import type { SealEvents, SealedNode } from '../../domain/audit/seals.ts'
import { fromBase64, HASH_BYTES, type Hash, hashBytes, hashesIn } from './hash.ts'
import type { SignedHead } from './head.ts'

/** Seals as they are found in the lines of a log that nobody vouches for yet. */

/** A seal as a line of the log holds it. */
export type FoundSeal = {
  readonly head: SignedHead
  readonly from: number
  readonly root: Hash
  readonly chain: Hash
  /** The leaves that the seal lists, one after the other. */
  readonly leaves: Buffer
  readonly frontier: readonly Hash[]
  readonly nodes: readonly SealedNode[]
}

export type FoundKey = Pick<SealEvents['SealKeyPublished'], 'keyId' | 'publicKey' | 'previous' | 'endorsement'>

const decimal = z.string().regex(/^\d{1,19}$/)
const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/)
const size = z.int().nonnegative()

const sealData = z.strictObject({
  log: z.string(),
  size,
  from: size,
  order: decimal,
  root: base64,
  chain: base64,
  sealedAt: z.string(),
  keyId: z.string(),
  signature: base64,
  // The text is long, and its form is checked below anyway.
  leaves: z.string(),
  nodes: z.array(z.tuple([z.int(), z.int(), base64])),
  frontier: z.string(),
})

const keyData = z.strictObject({
  keyId: z.string(),
  publicKey: base64,
  privateKey: z.string(),
  previous: z.string().nullable(),
  endorsement: base64.nullable(),
})

/** Undefined when the line is not a whole seal, whatever else it may be. */
export const sealIn = (line: string): FoundSeal | undefined => sealFrom(dataIn(line))

/** The same for the data of an event. */
export const sealFrom = (value: unknown): FoundSeal | undefined => {
  const { data } = sealData.safeParse(value)
  if (!data || data.from >= data.size) return undefined
  const { from, leaves: list, frontier: edge, nodes, ...head } = data
  const [root, chain, leaves, frontier] = [
    fromBase64(head.root),
    fromBase64(head.chain),
    hashBytes(list),
    hashBytes(edge),
  ]
  if (!root || !chain || !leaves || !frontier || leaves.length !== (head.size - from) * HASH_BYTES) return undefined
  return { head, from, root, chain, leaves, frontier: hashesIn(frontier), nodes }
}

export const keyIn = (line: string): FoundKey | undefined => keyData.safeParse(dataIn(line)).data

/** The data of the event in a line; undefined when the line is not JSON. */
const dataIn = (line: string): unknown => {
  try {
    return (JSON.parse(line) as { data?: unknown }).data
  } catch {
    return undefined
  }
}
