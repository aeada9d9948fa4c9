/** Finds the price in what a price source answers (N-32). Digits stay text: a float would change them. */

import { RATE_DECIMALS, toDecimal } from '../../domain/kernel/money.ts'
import { usdIn } from './decimal.ts'
import { parseExact } from './exact-json.ts'

/** The fields that may hold a price, the first one that does wins. */
const PRICE_FIELDS = ['price', 'rate', 'usd', 'value']
/** Beside the price, in seconds since 1970: when it was found, as CoinGecko tells it. */
const TIME_FIELD = 'last_updated_at'

export type FoundPrice = {
  /** US dollars as a decimal with at most 12 places. */
  readonly usd: string
  /** Milliseconds since 1970, where the source tells. */
  readonly at: number | undefined
}

/**
 * From a number or a decimal string in one of the fields of the object, else of an object right inside it. Undefined
 * when there is none above zero.
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
