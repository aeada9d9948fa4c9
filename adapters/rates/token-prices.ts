/**
 * The prices of custom tokens, read from the sources that their sellers name. A price serves for a minute, and is never
 * used when it is older than ten minutes.
 */

import { RATE_DECIMALS, toDecimal } from '../../domain/kernel/money.ts'
import type { Outbound, TokenPrices } from '../../domain/kernel/ports.ts'
import { atMost } from '../timing/time-limit.ts'
import { usdIn } from './decimal.ts'
import { parseExact } from './exact-json.ts'

/** A price younger than this is not asked for again. */
const FRESH_MS = 60_000
/** An older price is none (N-23: no price beats a stale one). */
const OLD_MS = 600_000
/** A source that gave no price is left alone for so long. */
const RETRY_MS = 10_000
/** A buyer waits so long for a source; its answer then serves those who come later. */
const WAIT_MS = 2_000
/** Sources remembered; the one used longest ago makes room. */
const SOURCES_KEPT_MAX = 1_000
/** Sources asked at the same time; for more there is no news until one has answered. */
const ASKED_AT_ONCE_MAX = 64

type TokenPricesSettings = {
  readonly outbound: Pick<Outbound, 'get' | 'refusal'>
  /** Base URLs, keyed by the name of the feed, each with CoinGecko's `/simple/price` (N-32). */
  readonly feeds: ReadonlyMap<string, string>
  /** Milliseconds that only go forward. */
  readonly now?: () => number
  /** Milliseconds since 1970, with which the times of sources are compared. */
  readonly wallClock?: () => number
}

type Source = {
  /** `since` is the time at which the price was true: that of the question, or an earlier one that the source tells. */
  price: { usd: string; since: number; askedAt: number } | undefined
  askedAt: number | undefined
  asking: Promise<void> | undefined
}

/** Asks for prices over the guarded way out, at most one request at a time for each source. */
export const createTokenPrices = (settings: TokenPricesSettings): TokenPrices => {
  const { outbound, feeds, now = () => performance.now(), wallClock = Date.now } = settings
  const sources = new Map<string, Source>()
  let asked = 0

  const refusal = (source: string) => {
    const feed = /^([a-z][a-z0-9-]*):(?!\/\/)/.exec(source)?.[1]
    if (feed === undefined) return outbound.refusal(source)
    if (!feeds.has(feed)) return `${feed} is not a price feed: there is ${[...feeds.keys()].join(', ')}`
    return urlOf(feeds, source) === undefined ? 'the id of a feed is [a-z0-9][a-z0-9_-]{0,80}' : undefined
  }

  const ask = async (url: string, source: Source) => {
    asked++
    const at = now()
    const wallTime = wallClock()
    const { status, body } = await outbound.get(url)
    const found = status === 200 ? priceIn(body) : undefined
    if (found)
      source.price = { usd: found.usd, since: at - Math.max(0, wallTime - (found.at ?? wallTime)), askedAt: at }
    source.askedAt = now()
    source.asking = undefined
    asked--
  }

  const usdFrom = async (named: string) => {
    const url = urlOf(feeds, named)
    if (url === undefined) return undefined
    const source = kept(sources, url)
    const isFresh = () => source.price !== undefined && now() - source.price.askedAt < FRESH_MS
    const isDue = !isFresh() && (source.askedAt === undefined || now() - source.askedAt >= RETRY_MS)
    if (isDue && !source.asking && asked < ASKED_AT_ONCE_MAX) source.asking = ask(url, source)
    if (!isFresh() && source.asking) await atMost(WAIT_MS, source.asking)
    return source.price && now() - source.price.since < OLD_MS ? source.price.usd : undefined
  }

  return { refusal, usdFrom }
}

const urlOf = (feeds: ReadonlyMap<string, string>, source: string): string | undefined => {
  if (/^https?:\/\//i.test(source)) return source
  const [, feed = '', id = ''] = /^([a-z][a-z0-9-]*):([a-z0-9][a-z0-9_-]{0,80})$/.exec(source) ?? []
  const base = feeds.get(feed)
  return base && `${base}/simple/price?ids=${id}&vs_currencies=usd&include_last_updated_at=true`
}

/**
 * The source of a URL, which is now the one used last. A source that is being asked does not make room, so that it is
 * never asked twice at a time.
 */
const kept = (sources: Map<string, Source>, url: string): Source => {
  const source = sources.get(url) ?? { price: undefined, askedAt: undefined, asking: undefined }
  sources.delete(url)
  sources.set(url, source)
  if (sources.size > SOURCES_KEPT_MAX)
    for (const [key, { asking }] of sources)
      if (!asking) {
        sources.delete(key)
        break
      }
  return source
}

/** The fields that may hold a price, the first one that does wins. */
const PRICE_FIELDS = ['price', 'rate', 'usd', 'value']
/** The field beside the price with the time at which it was found, in seconds since 1970, as CoinGecko tells it. */
const TIME_FIELD = 'last_updated_at'

type FoundPrice = {
  /** US dollars as a decimal with at most 12 places. */
  readonly usd: string
  /** Milliseconds since 1970, where the source tells. */
  readonly at: number | undefined
}

/**
 * Finds the price in the answer of a price source (N-32): a number or a decimal string in one of the fields of the
 * object, else of an object right inside it. Digits stay text: a float would change them. Undefined when there is none
 * above zero.
 */
export const priceIn = (text: string): FoundPrice | undefined => {
  const root = objectIn(text)
  if (!root) return undefined
  for (const object of [root, ...Object.values(root).filter(isObject)]) {
    const usd = priceOf(object)
    if (usd !== undefined) return { usd: toDecimal(usd, RATE_DECIMALS), at: timeOf(object) }
  }
  return undefined
}

/** The text as a whole must be JSON: one that was cut off has no price. */
const objectIn = (text: string): JsonObject | undefined => {
  try {
    const root = parseExact(text)
    return isObject(root) ? root : undefined
  } catch {
    return undefined
  }
}

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const priceOf = (object: JsonObject): bigint | undefined => {
  for (const name of PRICE_FIELDS) {
    const usd = usdIn(ownText(object, name))
    if (usd !== undefined) return usd
  }
  return undefined
}

const timeOf = (object: JsonObject): number | undefined => {
  const seconds = ownText(object, TIME_FIELD)
  return /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : undefined
}

const ownText = (object: JsonObject, name: string): string => {
  const value = Object.hasOwn(object, name) ? object[name] : undefined
  return typeof value === 'string' ? value : ''
}
