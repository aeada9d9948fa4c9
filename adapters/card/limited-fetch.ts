/**
 * How the processor is called: one time limit up to the last byte, no redirect, and no answer that could fill the
 * memory.
 */

/** From the call to the last byte of one attempt. */
export const ATTEMPT_MS = 5_000
const ANSWER_MAX_BYTES = 1_048_576

/**
 * A `fetch` for the SDK. What the processor says of when to try again is not heard: how long a caller waits is for us
 * to say.
 */
export const limitedFetch: typeof fetch = async (url, init = {}) => {
  const limits = [AbortSignal.timeout(ATTEMPT_MS), ...(init?.signal ? [init.signal] : [])]
  const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.any(limits) })
  const headers = new Headers(response.headers)
  for (const name of ['retry-after', 'content-encoding', 'content-length']) headers.delete(name)
  return new Response(await bodyOf(response), { status: response.status, headers })
}

const bodyOf = async ({ body }: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > ANSWER_MAX_BYTES) throw new Error('the answer of the card processor is too long')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
