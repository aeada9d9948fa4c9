import type { SealLeavesRow, SealRow } from '../../projections/audit/seals.ts'
import { fromBase64, HASH_BYTES, type Hash, hashesIn, leafOf } from './hash.ts'
import type { TreeSource } from './paths.ts'

/** The read model of the seals as the source that proofs are made from. */

/** The queries of `projections/audit/seals.ts` that proofs need. */
export type SealRows = {
  sealOver(order: bigint): Promise<(SealRow & { first: number }) | undefined>
  sealLeaves(from: number, to: number): Promise<SealLeavesRow[]>
  sealNode(level: number, place: number): Promise<string | undefined>
}

export const rowSource = (rows: SealRows): TreeSource => ({
  leaves: (from, to) => leavesOf(rows, from, to),
  async node(level, index) {
    const text = await rows.sealNode(level, index)
    return text === undefined ? undefined : fromBase64(text)
  },
})

/**
 * Index in the log at which an event was sealed; undefined when no seal covers it, or another event was sealed there.
 */
export const indexOf = async (rows: SealRows, order: bigint, line: string): Promise<number | undefined> => {
  const seal = await rows.sealOver(order)
  if (!seal) return undefined
  const at = (await leavesOf(rows, seal.first, seal.size)).indexOf(leafOf(line))
  return at === -1 ? undefined : seal.first + at
}

const leavesOf = async (rows: SealRows, from: number, to: number): Promise<readonly Hash[]> => {
  const found = await rows.sealLeaves(from, to)
  return found.flatMap(({ first, leaves }) => {
    const bytes = Buffer.from(leaves, 'base64')
    const end = Math.max(0, to - first) * HASH_BYTES
    return hashesIn(bytes.subarray(Math.max(0, from - first) * HASH_BYTES, end))
  })
}
