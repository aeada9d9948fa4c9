/** Deliveries to merchants: signed, sent once, only to public hosts, and never for longer than seven seconds. */
import { createHmac } from 'node:crypto'
import type { ConnectionOptions } from 'node:tls'
import { Pool } from 'undici'
import type { Outbound, PostResult } from '../../domain/ports.ts'
import { aborted, CallFailed, guardedConnector } from './guarded-connect.ts'
import type { Lookup } from './lookup.ts'
import { type AllowList, hostAndPort, urlFault } from './url-rules.ts'

/** From the call to the last character read (document 3, Limits: 7 seconds total). */
const TOTAL_TIMEOUT_MS = 7_000
/** What is kept of an answer, in UTF-16 code units (W-LOG-01). */
const BODY_HEAD_CHARACTERS = 1_000
/** At once, to one origin. More wait for a free connection, within their own seven seconds. */
const CONNECTIONS_PER_ORIGIN = 32
/** Origins whose connections are kept for the next call; the one used longest ago makes room. */
const ORIGINS_KEPT_MAX = 256
/** An idle connection is closed before most servers close it, so that a call does not meet a closing one. */
const IDLE_CONNECTION_MS = 1_000
/** A busy connection is closed after this time, so that a changed DNS answer is noticed and checked. */
const CONNECTION_LIFE_MS = 60_000

export type OutboundSettings = {
  /** Private targets that may be called, from `parseAllowList`. */
  readonly allow: AllowList
  /** The fixed product identifier in every call (W-DEL-03). */
  readonly userAgent: string
  /** How names are resolved; the name servers of the machine unless told otherwise. */
  readonly lookup?: Lookup
  /** Added to the TLS connection, such as `ca` for a private authority. */
  readonly tls?: ConnectionOptions
}

/** Calls to the outside, as the port describes them; `close` lets those in flight finish and refuses new ones. */
export const createOutbound = (settings: OutboundSettings): Outbound & { close(): Promise<void> } => {
  const origins = keptOrigins(settings)
  const refusal = (url: string) => urlFault(url, settings.allow)

  const post = async (url: string, body: string, headers: Readonly<Record<string, string>>): Promise<PostResult> => {
    const started = performance.now()
    const call = { url, body, headers: { ...JSON_BODY, ...lowerCased(headers), 'user-agent': settings.userAgent } }
    const outcome = refusal(url) ? failed('url-refused') : await send(origins, call)
    return { ...outcome, durationMs: Math.round(performance.now() - started) }
  }

  return { refusal, post, sign, close: origins.close }
}

const JSON_BODY = { 'content-type': 'application/json' }

type Call = { readonly url: string; readonly body: string; readonly headers: Record<string, string> }
type Outcome = Omit<PostResult, 'durationMs'>

const send = async (origins: Origins, { url, body, headers }: Call): Promise<Outcome> => {
  const limit = new AbortController()
  const timeout = setTimeout(() => limit.abort(new CallFailed('total-timeout')), TOTAL_TIMEOUT_MS)
  try {
    const target = new URL(url)
    const path = `${target.pathname}${target.search}`
    const request = origins.poolFor(target).request({ method: 'POST', path, headers, body, signal: limit.signal })
    // undici heeds the signal only once a connection is free, so a call that waits for one is ended here.
    const answer = await Promise.race([request, aborted(limit.signal)])
    return { status: answer.statusCode, reason: undefined, bodyHead: await readHead(answer.body) }
  } catch (error) {
    return failed(error instanceof CallFailed ? error.fault : 'connection-failed')
  } finally {
    clearTimeout(timeout)
  }
}

const failed = (reason: CallFailed['fault']): Outcome => ({ status: undefined, reason, bodyHead: '' })

/** The start of an answer, fit to be stored: Postgres takes neither NUL nor half a surrogate pair, which the cut may leave. */
const readHead = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const utf8 = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of body) {
      text += utf8.decode(chunk, { stream: true })
      if (text.length >= BODY_HEAD_CHARACTERS) break
    }
  } catch {
    // The answer broke off or its time ran out: its status and what came so far still stand.
  }
  text += utf8.decode()
  return text.slice(0, BODY_HEAD_CHARACTERS).replaceAll('\0', '\uFFFD').toWellFormed()
}

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">` (X-SIGN-01, W-SIG-01). */
const sign = (secret: string, at: Date, body: string): string => {
  const seconds = Math.floor(at.getTime() / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

type Origins = { poolFor(url: URL): Pool; close(): Promise<void> }

/** One pool of connections for each origin, in the order of their last use. undici's Agent would refuse the origin too many. */
const keptOrigins = ({ allow, lookup, tls }: OutboundSettings): Origins => {
  const pools = new Map<string, Pool>()
  let closed = false

  const poolFor = (url: URL): Pool => {
    if (closed) throw new CallFailed('connection-failed')
    const pool = pools.get(url.origin) ?? openPool(url)
    pools.delete(url.origin)
    pools.set(url.origin, pool)
    const [oldest] = pools
    if (oldest && pools.size > ORIGINS_KEPT_MAX) {
      pools.delete(oldest[0])
      void oldest[1].close()
    }
    return pool
  }

  const openPool = (url: URL): Pool =>
    new Pool(url.origin, {
      connect: guardedConnector({ allowed: allow.has(hostAndPort(url)), lookup, tls }),
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
    await Promise.all([...pools.values()].map((pool) => pool.close()))
    pools.clear()
  }

  return { poolFor, close }
}
