import { mulDivFloor, RATE_DECIMALS, toUnits, type Units } from '../kernel/money.ts'
import { Refusal } from '../kernel/refusal.ts'
import { type Amounts, TAILS, tailsOf } from './amount-slots.ts'

/**
 * Which amount a challenge asks for. It lies above the price, its last digits are no other challenge's, and of the free
 * ones it is the one that has been free longest. The digits are chosen so that an odd payment belongs to nobody rather
 * than to a stranger: the round price itself, an amount cut off after some places, one that is off by one in the last
 * place, and one that an exchange took a round fee from.
 */

/**
 * `step` is the last place a payer types, in smallest units; `cent` is how many steps are worth one US cent. A `coarse`
 * step is worth too much to be added freely, as with a token that has no cents: then the amount is moved by half a
 * percent at most, even if that is less than one step. `anonymous` callers leave a quarter of the amounts to others.
 */
export type Wish = { price: Units; step: Units; anonymous: boolean; coarse?: boolean; cent?: number }

/** Last digits that are handed out: none is a 0, and no two are neighbours. */
const LAST_DIGITS: ReadonlySet<number> = new Set([2, 5, 8])
/** How far the amount may be moved above the price: 0.5 %, or 99 last places, or one cent, whichever is most. */
const OFFSET_MAX_BASIS_POINTS = 50n
const OFFSET_MIN_PLACES = 99
/**
 * One of every four amounts is kept from callers without a name, at whatever price, so that a flood of them leaves room
 * for the seller.
 */
const KEPT_OF = 4
/**
 * Where an amount has fewer places than this to choose from, only the last usable one is kept from callers without a
 * name.
 */
const FEW_PLACES = 20

/**
 * The worth at which a last place is `coarse`, too dear to be given away to tell amounts apart. Cheaper places are
 * given away up to this worth.
 */
const CENT_USD = toUnits('0.01', RATE_DECIMALS)

/** The last place that a payer types, in smallest units. */
export const stepOf = ({ decimals, displayDecimals }: { decimals: number; displayDecimals: number }): bigint =>
  10n ** BigInt(decimals - displayDecimals)

/** How the amounts of a coin are told apart, at its rate in US dollars for a whole one. */
export const unitOf = (
  coin: { readonly decimals: number; readonly displayDecimals: number },
  rate: string,
): { readonly step: Units; readonly coarse: boolean; readonly cent: number } => {
  const step = stepOf(coin)
  const [worth, whole] = [toUnits(rate, RATE_DECIMALS) * step, CENT_USD * 10n ** BigInt(coin.decimals)]
  const places = worth > 0n ? whole / worth : 0n
  return { step: String(step), coarse: worth >= whole, cent: places < TAILS ? Number(places) : TAILS }
}

/**
 * Refuses `no-free-amount`, with the seconds until one comes free; without them when the price has no amount at all.
 */
export const chooseAmount = (amounts: Amounts, wish: Wish, now: string): bigint => {
  const step = BigInt(wish.step)
  const typed = BigInt(wish.price) / step
  const { place, freeAt } = longestFree(tailsOf(amounts, wish.step), Number(typed % BigInt(TAILS)), wish)
  const nowMs = Date.parse(now)
  if (freeAt <= nowMs) return (typed + BigInt(place)) * step
  if (freeAt === NEVER) throw new Refusal('no-free-amount')
  const known = full.get(amounts) ?? new Map<string, number>()
  full.set(amounts, known.set(wishKey(wish), freeAt))
  throw new Refusal('no-free-amount', undefined, undefined, Math.max(1, Math.ceil((freeAt - nowMs) / 1_000)))
}

/**
 * When the first amount for a wish comes free; undefined unless it was found in this very state that none is free now.
 */
export const fullUntil = (amounts: Amounts, wish: Wish, now: string): string | undefined => {
  const until = full.get(amounts)?.get(wishKey(wish))
  return until !== undefined && until > Date.parse(now) ? new Date(until).toISOString() : undefined
}

/**
 * When the first amount comes free, in Unix milliseconds, keyed by wish. It is kept with the amounts that it was worked
 * out for, so that a flood of callers does not search each time.
 */
const full = new WeakMap<Amounts, Map<string, number>>()

const wishKey = ({ price, step, anonymous, coarse = false, cent = 0 }: Wish) =>
  `${price} ${step} ${anonymous} ${coarse} ${cent}`

const NEVER = Number.POSITIVE_INFINITY

/** The lowest place above the price whose tail was never held, else the one whose hold ends, or ended, first. */
const longestFree = (held: ReadonlyMap<number, number>, start: number, wish: Wish) => {
  const last = placesAbove(wish)
  const kept = wish.anonymous ? keptPlace(start, last) : () => false
  let [place, freeAt] = [0, NEVER]
  for (let each = 1; each <= last; each++) {
    const tail = (start + each) % TAILS
    if (!LAST_DIGITS.has(tail % 10) || kept(each)) continue
    const until = held.get(tail)
    if (until === undefined) return { place: each, freeAt: 0 }
    if (until < freeAt) [place, freeAt] = [each, until]
  }
  return { place, freeAt }
}

/**
 * Keeps every fourth tail of all, whatever the price, so that callers at one price do not get what is kept at another;
 * of a few places, it keeps the last.
 */
const keptPlace = (start: number, last: number): ((place: number) => boolean) => {
  const isFourth = (place: number) => {
    const tail = (start + place) % TAILS
    const nth = Math.trunc(tail / 10) * LAST_DIGITS.size + Math.trunc((tail % 10) / 3)
    return nth % KEPT_OF === KEPT_OF - 1
  }
  if (last >= FEW_PLACES) return isFourth
  const all = Array.from({ length: last }, (_, n) => n + 1).filter((place) => LAST_DIGITS.has((start + place) % 10))
  return (place) => all.length > 1 && place === all.at(-1)
}

/** How many places an amount may lie above its price. */
const placesAbove = ({ price, step, coarse, cent = 0 }: Wish): number => {
  const relative = mulDivFloor(BigInt(price), OFFSET_MAX_BASIS_POINTS, 10_000n * BigInt(step))
  const most = relative < TAILS ? Number(relative) : TAILS - 1
  return coarse ? most : Math.min(TAILS - 1, Math.max(most, OFFSET_MIN_PLACES, cent))
}
