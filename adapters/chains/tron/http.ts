/** java-tron's HTTP interface: one POST with a JSON body for each question. */

import { boundedBody, httpUrl } from '../rpc/http.ts'
import { ProviderFault } from '../rpc/providers.ts'
import { parseExact } from './wire.ts'

/** Bytes of one answer; a full block of the main chain has less than 2 MB. */
const TRON_ANSWER_MAX_BYTES = 32 * 1024 * 1024
/** The header in which TronGrid takes an API key. */
const API_KEY_HEADER = 'TRON-PRO-API-KEY'

/**
 * The client of one provider. Rejects with ProviderFault, whose words hold neither the URL, nor its key, nor anything
 * that was sent or received.
 */
export type TronClient = { ask(method: string, body: object, signal: AbortSignal): Promise<unknown> }

/**
 * An API key stands before the host, `https://KEY@api.trongrid.io`, and goes out as the header that TronGrid wants; a
 * name with a password there is basic authentication. A redirect is not followed, since it would carry the key to
 * another host.
 */
export const openTronClient = (url: string, label: string): TronClient => {
  const { base, search, headers } = placeOf(url, label)
  return {
    async ask(method, body, signal) {
      const response = await fetch(`${base}${method}${search}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        redirect: 'manual',
        signal,
      }).catch(() => {
        throw new ProviderFault('no connection')
      })
      if (response.status !== 200) {
        await response.body?.cancel()
        throw new ProviderFault(`HTTP status ${response.status}`)
      }
      const answer = parsed(String(await boundedBody(response, TRON_ANSWER_MAX_BYTES, tooMuch)))
      // A node answers with status 200 and an error in words where it is over its limits or cannot read what was asked.
      if (answer !== null && typeof answer === 'object' && 'Error' in answer) throw new ProviderFault('it refused')
      return answer
    },
  }
}

const placeOf = (url: string, label: string) => {
  const { origin, pathname, search, username, password } = httpUrl(url, label)
  const base = `${origin}${pathname.replace(/\/+$/, '')}/wallet/`
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (password) headers.authorization = `Basic ${btoa(decodeURIComponent(`${username}:${password}`))}`
  else if (username) headers[API_KEY_HEADER] = decodeURIComponent(username)
  return { base, search, headers }
}

const tooMuch = (words: string) => new ProviderFault(words)

const parsed = (text: string): unknown => {
  try {
    return parseExact(text)
  } catch {
    throw new ProviderFault('no usable answer')
  }
}
