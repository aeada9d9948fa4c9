import { z } from 'zod'
import { fromBase64, type Hash, leafOf, toBase64 } from './hash.ts'
import { isSealedBy, type SignedHead } from './head.ts'
import { inclusionPath, rootOfPath, type TreeSource } from './paths.ts'

/** The proof that an event stands in the sealed log: all that is needed to check it, except the public key. */
export type Proof = z.infer<typeof proofShape>

const PROOF_FORMAT = 'daybook-proof/1'

export const headShape = z.strictObject({
  log: z.string(),
  size: z.int().positive(),
  order: z.string(),
  root: z.string(),
  chain: z.string(),
  sealedAt: z.string(),
  keyId: z.string(),
  signature: z.string(),
})

export const proofShape = z.strictObject({
  format: z.literal(PROOF_FORMAT),
  /** The event as a line of the log, to the letter. */
  line: z.string(),
  /** Its index in the log, from 0. */
  index: z.int().nonnegative(),
  /** Hashes beside the way up to the root, the lowest first, base64. */
  path: z.array(z.string()).max(64),
  head: headShape,
})

export const proofOf = async (source: TreeSource, line: string, index: number, head: SignedHead): Promise<Proof> => ({
  format: PROOF_FORMAT,
  line,
  index,
  path: (await inclusionPath(source, index, head.size)).map(toBase64),
  head,
})

/** Says why a proof does not hold; undefined when it does. Takes any JSON value. */
export const faultOf = (proof: unknown, publicKey: string): string | undefined => {
  const { data, error } = proofShape.safeParse(proof)
  if (!data) return `it is no proof: ${z.prettifyError(error).replaceAll('\n', ' ')}`
  const path = data.path.map(fromBase64)
  if (!path.every((hash) => hash !== undefined)) return 'its path holds something that is no hash'
  if (!isSealedBy(publicKey, data.head)) return 'its head is not signed by that key'
  const root = rootOfPath(leafOf(data.line), data.index, data.head.size, path as readonly Hash[])
  if (root === undefined) return 'its path does not lead from that place to the root'
  return toBase64(root) === data.head.root ? undefined : 'that event is not at that place of the sealed log'
}
