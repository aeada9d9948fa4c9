/**
 * Calls on a merchant's word, signed deliveries and reads: sent once, only to public hosts, and never for longer than
 * seven seconds.
 */
import { createHmac } from 'node:crypto'
import type { ConnectionOptions } from 'node:tls'
import type { Pool } from 'undici'
import type { GetResult, Outbound, PostResult } from '../../domain/kernel/ports.ts'
import { receive } from './built-in-receiver.ts'
import { guardedConnector } from './guarded-connect.ts'
import type { Lookup } from './lookup.ts'
import { type AnswerLimits, type CallOutcome, callOnce, failedOutcome, type OutboundCall } from './one-call.ts'
import { type AllowList, hostAndPort, urlFault } from './url-rules.ts'

/** Connections to one origin at once. Further calls wait for a free connection, within their own seven seconds. */
const CONNECTIONS_PER_ORIGIN = 32
/** Origins whose connections are kept for the next call; the one used longest ago makes room. */
const ORIGINS_KEPT_MAX = 256
/** An idle connection is closed before most servers close it, so that a call does not meet a closing one. */
const IDLE_CONNECTION_MS = 1_000
/** A busy connection is closed after this time, so that a changed DNS answer is noticed and checked. */
const CONNECTION_LIFE_MS = 60_000

/** UTF-16 code units that are kept of the answer to a POST (W-LOG-01) and to a GET, unless the call says otherwise. */
const POST_CHARACTERS_KEPT = 1_000
const GET_CHARACTERS_KEPT = 65_536

export type OutboundSettings = {
  /** Private targets that may be called, from `parseAllowList`. */
  readonly allow: AllowList
  /** The fixed product identifier in every call (W-DEL-03). */
  readonly userAgent: string
  /** The way in which names are resolved; the name servers of the machine unless told otherwise. */
  readonly lookup?: Lookup
  /** Added to the TLS connection, such as `ca` for a private authority. */
  readonly tls?: ConnectionOptions
}

/** Posts bytes and answers bytes, under the rules and limits of every call. Never rejects. */
export type Exchange = (
  url: string,
  body: string | Buffer,
  contentType: string,
  /** A longer answer counts as none. */
  bytesMax: number,
) => Promise<ExchangeResult>

type ExchangeResult = {
  /** Undefined when no answer came. */
  readonly status: number | undefined
  /** The reason why none came. */
  readonly reason: PostResult['reason'] | 'answer-too-long'
  readonly body: Buffer
}

/** Calls to the outside, as the port describes them; `close` lets those in flight finish and refuses new ones. */
export const createOutbound = (
  settings: OutboundSettings,
): Outbound & { readonly exchange: Exchange; close(): Promise<void> } => {
  const origins = keptOrigins(settings)
  const targetOf = createTargets(settings.allow)
  const refusal = (url: string) => urlFault(url, settings.allow)

  const post: Outbound['post'] = async (url, body, headers, charactersMax = POST_CHARACTERS_KEPT) => {
    const started = performance.now()
    const sent = { ...JSON_BODY, ...lowerCased(headers), 'user-agent': settings.userAgent }
    const call = { method: 'POST', body, headers: sent } as const
    const {
      maxAgeS: _,
      bytes: __,
      ...outcome
    } = await send(origins, targetOf(url), call, { characters: charactersMax })
    return { ...outcome, durationMs: Math.round(performance.now() - started) }
  }

  const get: Outbound['get'] = async (url, characters = GET_CHARACTERS_KEPT, totalMs): Promise<GetResult> => {
    const headers = { accept: 'application/json', 'user-agent': settings.userAgent }
    const call = { method: 'GET', body: null, headers } as const
    const { status, reason, bodyHead, maxAgeS } = await send(origins, targetOf(url), call, { characters, totalMs })
    return { status, reason, body: bodyHead, ...(maxAgeS !== undefined && { maxAgeS }) }
  }

  const exchange: Exchange = async (url, body, contentType, bytesMax) => {
    const headers = { 'content-type': contentType, 'user-agent': settings.userAgent }
    const call = { method: 'POST', body, headers } as const
    const { status, reason, bytes } = await send(origins, targetOf(url), call, { characters: bytesMax + 1 })
    return bytes.length > bytesMax
      ? { status: undefined, reason: 'answer-too-long', body: Buffer.alloc(0) }
      : { status, reason, body: bytes }
  }

  return { refusal, post, get, sign, receive, exchange, close: origins.close }
}

const JSON_BODY = { 'content-type': 'application/json' }

const send = async (
  origins: Origins,
  target: Target | undefined,
  call: Omit<OutboundCall, 'path'>,
  limits: AnswerLimits,
): Promise<CallOutcome> => {
  if (!target) return failedOutcome('url-refused')
  return origins.on(target, (pool) => callOnce(pool, { ...call, path: target.path }, limits))
}

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">` (X-SIGN-01, W-SIG-01). */
const sign = (secret: string, at: Date, body: string): string => {
  const seconds = Math.floor(at.getTime() / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

type Origins = {
  /** Calls on the connections of an origin; `connection-failed` once closed. */
  on(target: Target, call: (pool: Pool) => Promise<CallOutcome>): Promise<CallOutcome>
  close(): Promise<void>
}

/**
 * One pool of connections for each origin, in the order of their last use. undici's Agent would refuse an origin above
 * its limit.
 */
const keptOrigins = ({ lookup, tls }: OutboundSettings): Origins => {
  const pools = new Map<string, Pool>()
  const beginning = new Set<Promise<unknown>>()
  let closed = false

  const on: Origins['on'] = async (target, call) => {
    if (closed) return failedOutcome('connection-failed')
    // Loaded by the first call, because a service that calls nobody has no need of its memory.
    const begun = import('undici').then(({ Pool }) => ({ answer: call(poolFor(target, Pool)) }))
    beginning.add(begun)
    const { answer } = await begun.finally(() => beginning.delete(begun))
    return answer
  }

  const poolFor = (target: Target, made: typeof Pool): Pool => {
    const pool = pools.get(target.origin) ?? openPool(target, made)
    pools.delete(target.origin)
    pools.set(target.origin, pool)
    const [oldest] = pools
    if (oldest && pools.size > ORIGINS_KEPT_MAX) {
      pools.delete(oldest[0])
      void oldest[1].close()
    }
    return pool
  }

  const openPool = ({ origin, allowed }: Target, made: typeof Pool): Pool =>
    new made(origin, {
      connect: guardedConnector({ allowed, lookup, tls }),
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      clientTtl: CONNECTION_LIFE_MS,
      // One limit over the whole call replaces undici's own for each part.
      headersTimeout: 0,
      bodyTimeout: 0,
    })

  const close = async (): Promise<void> => {
    closed = true
    await Promise.allSettled(beginning)
    await Promise.all([...pools.values()].map((pool) => pool.close()))
    pools.clear()
  }

  return { on, close }
}

type Target = {
  readonly origin: string
  readonly path: string
  /** Whether the target is on the allow-list: then its addresses may be private. */
  readonly allowed: boolean
}

/** URLs remembered; the one met longest ago makes room. */
const TARGETS_KEPT_MAX = 1_024

/**
 * Makes a function that tells where a URL leads and remembers it: a merchant's URL is called again and again, and what
 * the rules say about it never changes while the process runs. Answers undefined for a URL that may not be called.
 */
const createTargets = (allow: AllowList): ((url: string) => Target | undefined) => {
  const kept = new Map<string, Target>()
  return (url) => {
    const known = kept.get(url)
    if (known) return known
    if (urlFault(url, allow)) return undefined
    const parsed = new URL(url)
    const path = `${parsed.pathname}${parsed.search}`
    const target = { origin: parsed.origin, path, allowed: allow.has(hostAndPort(parsed)) }
    kept.set(url, target)
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size > TARGETS_KEPT_MAX) kept.delete(oldest)
    return target
  }
}
