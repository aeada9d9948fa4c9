import { z } from 'zod'
import { fromBase64, type Hash, toBase64 } from './hash.ts'
import type { SignedHead } from './head.ts'
import { consistencyPath, isConsistent, type TreeSource } from './paths.ts'

/** Proofs that the log of one head begins with the whole log of an earlier one (RFC 6962 §2.1.2). */

export type ConsistencyProof = z.infer<typeof shape>

const FORMAT = 'daybook-consistency/1'

const shape = z.strictObject({
  format: z.literal(FORMAT),
  /** Number of events that the earlier head covers (`from`) and the later one (`to`). */
  from: z.int().positive(),
  to: z.int().positive(),
  /** The hashes of the proof in the order of the RFC, base64. */
  path: z.array(z.string()).max(128),
})

export const consistencyProofOf = async (source: TreeSource, from: number, to: number): Promise<ConsistencyProof> => ({
  format: FORMAT,
  from,
  to,
  path: (await consistencyPath(source, from, to)).map(toBase64),
})

type ComparableHead = Pick<SignedHead, 'log' | 'size' | 'root'>

/**
 * Says why the later head does not go on from the earlier one; undefined when it does. Checks nothing else, such as who
 * signed them.
 * @param proof any JSON value; undefined when no proof was given, which is enough for two heads of the same size
 */
export const inconsistencyOf = (older: ComparableHead, newer: ComparableHead, proof: unknown): string | undefined => {
  const sizes = `the heads of ${older.size} and of ${newer.size} events`
  if (older.log !== newer.log) return `${sizes} are of different logs: ${older.log} and ${newer.log}`
  if (older.size > newer.size) return `the later head covers ${newer.size} events, and the earlier one ${older.size}`
  if (older.size === newer.size)
    return older.root === newer.root ? undefined : `two different histories of ${older.size} events were signed`
  if (proof === undefined)
    return `${sizes} need a proof: daybook audit prove --consistency <earlier checkpoint> --to <later checkpoint>`
  const { data } = shape.safeParse(proof)
  if (!data) return 'what was brought along is not a consistency proof'
  if (data.from !== older.size || data.to !== newer.size)
    return `the proof leads from ${data.from} to ${data.to} events, and not from ${older.size} to ${newer.size}`
  const path = data.path.map(fromBase64)
  const [old, now] = [rootedIn(older), rootedIn(newer)]
  const holds =
    old && now && path.every((hash) => hash !== undefined) && isConsistent(old, now, path as readonly Hash[])
  return holds
    ? undefined
    : `the log of ${newer.size} events does not begin with that of ${older.size}: they part before`
}

const rootedIn = ({ size, root }: ComparableHead) => {
  const hash = fromBase64(root)
  return hash === undefined ? undefined : { size, root: hash }
}
