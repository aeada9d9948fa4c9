import { createHash } from 'node:crypto'
import type { SignedCheckpoint } from '../../../domain/audit/cosignatures.ts'
import type { Exchange } from '../../outbound/signed-post.ts'
import { checkpointNote } from '../witness/log-note.ts'

/** An answer with the chain of certificates has some 6 KB. */
const RESPONSE_BYTES_MAX = 32_768

export type Stamp = { readonly stampedAt: string; readonly response: Buffer }

/**
 * Has a checkpoint stamped: the note as the log alone has signed it, so that the stamp covers the log's signature.
 * @param nonce above 0
 * @returns the stamp, or a fault in words when no usable one came
 */
export const askStamp = async (
  exchange: Exchange,
  url: string,
  checkpoint: SignedCheckpoint,
  nonce: bigint,
): Promise<Stamp | { readonly fault: string }> => {
  const { STAMP_QUERY_TYPE, stampIn, stampRequest } = await import('./tsp.ts')
  const imprint = createHash('sha256').update(stampedBytes(checkpoint)).digest()
  const request = { imprint, nonce }
  const answer = await exchange(url, stampRequest(request), STAMP_QUERY_TYPE, RESPONSE_BYTES_MAX)
  if (answer.status === undefined) return { fault: `no answer: ${answer.reason}` }
  if (answer.status !== 200) return { fault: `it answered ${answer.status}` }
  const verdict = stampIn(answer.body, request)
  return 'fault' in verdict ? verdict : { stampedAt: verdict.stampedAt, response: answer.body }
}

/** The exact bytes that a stamp covers. */
export const stampedBytes = ({ origin, size, root, publicKey, signature }: SignedCheckpoint): Buffer =>
  Buffer.from(checkpointNote({ origin, size, root, publicKey, signature }))
