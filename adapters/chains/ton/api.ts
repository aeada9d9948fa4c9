/**
 * The HTTP API of toncenter, version 3, at the providers of one TON chain. https://github.com/toncenter/ton-indexer is
 * its index.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { NetworkChain } from '../../../domain/kernel/networks.ts'
import { boundedBody, httpUrl } from '../rpc/http.ts'
import {
  createProviders,
  ProviderFault,
  type ProviderLimits,
  ProviderRefusal,
  type Providers,
  WrongChain,
} from '../rpc/providers.ts'

/** Bytes of one answer. */
const ANSWER_MAX_BYTES = 32 * 1024 * 1024
/**
 * Milliseconds between two calls to a provider that answered 429: at first, and at most, so that a wait fits into a
 * call's time.
 */
const GAP_MIN_MS = 50
const GAP_MAX_MS = 1_100
/** The part of the gap that is left after each answer. */
const GAP_LEFT = 0.97

/** Parameters of a call; a list is one parameter given several times. */
export type Query = Readonly<Record<string, string | number | readonly string[]>>

/** The client of one provider. Rejects with ProviderRefusal when it says that the question is wrong or too large. */
export type TonClient = {
  /** Undefined when it answers that there is no such thing. */
  get<T>(path: string, query: Query, signal: AbortSignal): Promise<T | undefined>
  post<T>(path: string, body: object, signal: AbortSignal): Promise<T>
}

export type TonApi = Providers<TonClient> & {
  /** The answer of whichever provider gives it; rejects as `ask` does. */
  get<T>(path: string, query: Query): Promise<T | undefined>
  post<T>(path: string, body: object): Promise<T>
}

export type TonApiOptions = ProviderLimits & {
  readonly network: string
  readonly chain: NetworkChain
  /** Base URLs such as `https://toncenter.com/api/v3`; an API key stands before the host, `https://<key>@…`. */
  readonly urls: readonly string[]
}

/** Each provider proves its chain, by the global id of its newest block, before its first answer is used. */
export const createTonApi = ({ chain, ...rest }: TonApiOptions): TonApi => {
  const globalId = Number(chain.caip2.slice('tvm:'.length))
  const providers = createProviders<TonClient>({ ...rest, open, prove: (...asked) => prove(globalId, ...asked) })
  return {
    ...providers,
    get: <T>(path: string, query: Query) => providers.ask(path, (client, signal) => client.get<T>(path, query, signal)),
    post: <T>(path: string, body: object) =>
      providers.ask(path, (client, signal) => client.post<T>(path, body, signal)),
  }
}

const prove = async (globalId: number, client: TonClient, label: string, signal: AbortSignal) => {
  const info = await client.get<{ last?: { global_id?: unknown } }>('/masterchainInfo', {}, signal)
  const served = info?.last?.global_id
  if (typeof served !== 'number') throw new ProviderFault('no masterchain there (a base URL ends in /api/v3)')
  if (served !== globalId) throw new WrongChain(`${label} serves chain ${served}, configured is ${globalId}`)
}

const open = (url: string, label: string): TonClient => {
  const { base, headers } = baseOf(httpUrl(url, label))
  const pace = createPace()
  const call = async (target: string, init: RequestInit, signal: AbortSignal) => {
    await pace.turn(signal)
    const response = await fetch(target, { ...init, redirect: 'error', signal }).catch(() => {
      throw new ProviderFault('no connection')
    })
    if (response.status === 429) pace.slower()
    else pace.faster()
    if (!response.ok) await response.body?.cancel()
    return response
  }
  return {
    async get<T>(path: string, query: Query, signal: AbortSignal) {
      const response = await call(`${base}${path}?${searchOf(query)}`, { headers }, signal)
      return response.status === 404 ? undefined : answerOf<T>(response, `${label}: ${path}`)
    },
    async post<T>(path: string, body: object, signal: AbortSignal) {
      const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
      return answerOf<T>(
        await call(`${base}${path}`, { ...init, body: JSON.stringify(body) }, signal),
        `${label}: ${path}`,
      )
    },
  }
}

/** The headers ask for answers without what is not needed, and carry the key: `fetch` takes no URL with a user part. */
const baseOf = (url: URL) => {
  const key = decodeURIComponent(url.username)
  const base = `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`
  const headers = { accept: 'application/json', 'x-no-address-book': 'true', 'x-no-metadata': 'true' }
  return { base, headers: key === '' ? headers : { ...headers, 'x-api-key': key } }
}

const searchOf = (query: Query): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)]),
    ),
  )

/**
 * HTTP statuses that say that a question is wrong, asks for too much, or has an answer that the API cannot put into
 * words.
 */
const refusals = [400, 413, 422, 501]

const answerOf = async <T>(response: Response, what: string): Promise<T> => {
  if (refusals.includes(response.status)) throw new ProviderRefusal(`${what}: HTTP status ${response.status}`)
  if (!response.ok) throw new ProviderFault(`HTTP status ${response.status}`)
  const tooMuch = (words: string) => new ProviderRefusal(`${what}: ${words}`)
  const answer: unknown = JSON.parse(String(await boundedBody(response, ANSWER_MAX_BYTES, tooMuch)))
  if (typeof answer !== 'object' || answer === null) throw new ProviderFault('no usable answer')
  return answer as T
}

/** Spaces the calls to one provider: it allows a number of calls a second, and shows which number only by refusing. */
const createPace = () => {
  let gap = 0
  let next = 0
  return {
    async turn(signal: AbortSignal) {
      const now = performance.now()
      const at = Math.max(now, next)
      next = at + gap
      if (at > now) await pause(at - now, undefined, { signal })
    },
    slower() {
      gap = Math.min(Math.max(GAP_MIN_MS, gap * 2), GAP_MAX_MS)
      next = Math.max(next, performance.now() + gap)
    },
    faster() {
      gap = gap < GAP_MIN_MS / 2 ? 0 : gap * GAP_LEFT
    },
  }
}
