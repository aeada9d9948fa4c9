/** java-tron's HTTP interface: one POST with a JSON body for each question. */

import { ProviderFault } from '../providers.ts'
import { parseExact } from './wire.ts'

/** Bytes of one answer; a full block of the main chain has less than 2 MB. */
const TRON_ANSWER_MAX_BYTES = 32 * 1024 * 1024
/** TronGrid's. */
const API_KEY_HEADER = 'TRON-PRO-API-KEY'

/** One provider. Rejects with ProviderFault, whose words hold neither the URL, nor its key, nor anything that was sent or received. */
export type TronClient = { ask(method: string, body: object, signal: AbortSignal): Promise<unknown> }

/**
 * An API key stands before the host, `https://KEY@api.trongrid.io`, and goes out as the header that TronGrid wants; a name with a password
 * there is basic authentication. A redirect is not followed, since it would carry the key to another host.
 */
export const openTronClient = (url: string, label: string): TronClient => {
  const { base, search, headers } = placeOf(url, label)
  return {
    async ask(method, body, signal) {
      const response = await fetch(`${base}${method}${search}`, {
        ...{ method: 'POST', headers, body: JSON.stringify(body), redirect: 'manual', signal },
      }).catch(() => {
        throw new ProviderFault('no connection')
      })
      if (response.status !== 200) {
        await response.body?.cancel()
        throw new ProviderFault(`HTTP status ${response.status}`)
      }
      const answer = parsed(await textOf(response))
      // Over its limits a node answers with status 200 and an error in words, and so it does to what it cannot read.
      if (answer !== null && typeof answer === 'object' && 'Error' in answer) throw new ProviderFault('it refused')
      return answer
    },
  }
}

const placeOf = (url: string, label: string) => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Error(`${label}: not an http URL`)
  const { origin, pathname, search, username, password } = new URL(url)
  const base = `${origin}${pathname.replace(/\/+$/, '')}/wallet/`
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (password) headers.authorization = `Basic ${btoa(decodeURIComponent(`${username}:${password}`))}`
  else if (username) headers[API_KEY_HEADER] = decodeURIComponent(username)
  return { base, search, headers }
}

const textOf = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > TRON_ANSWER_MAX_BYTES) throw new ProviderFault(`an answer above ${TRON_ANSWER_MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const parsed = (text: string): unknown => {
  try {
    return parseExact(text)
  } catch {
    throw new ProviderFault('no usable answer')
  }
}
