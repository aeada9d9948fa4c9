/** A client that takes a download as fast as it comes and throws it away. */
import { createHash } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { answering } from '../answering.ts'

export type Download = { readonly url: string; readonly key: string; readonly digest?: boolean }
export type Downloaded = { readonly bytes: number; readonly ms: number; readonly sha256: string | null }

const SILENT_MS = 60_000

const opened = (url: string, key: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const request = get(url, { headers: { 'x-api-key': key }, timeout: SILENT_MS }, resolve)
    request.once('timeout', () => request.destroy(new Error(`${url} was silent for ${SILENT_MS} ms`)))
    request.once('error', reject)
  })

await answering<Download>(async ({ url, key, digest = false }): Promise<Downloaded> => {
  const start = performance.now()
  const response = await opened(url, key)
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`)
  const sum = digest ? createHash('sha256') : undefined
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    sum?.update(chunk)
  }
  if (!response.complete) throw new Error(`${url} broke off after ${bytes} bytes`)
  return { bytes, ms: performance.now() - start, sha256: sum?.digest('hex') ?? null }
})
