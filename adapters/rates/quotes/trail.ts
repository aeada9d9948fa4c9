/**
 * The good prices of the last period. A new price that is too far from them is not believed, however many sources say
 * it: with sources that are wrong together, or were broken into together, things would sell at any price.
 */

/** The pace at which a price may move. */
export type PricePace = {
  /** Hundredths of a percent by which a price may be above an earlier one, or below it, after one period. */
  readonly basisPoints: bigint
  readonly periodMs: number
  /**
   * A younger good price counts as this old, so that the moves that markets make in minutes pass: `all` for a price
   * that all sources agree on, `some` for a price that a source disagrees with, or that too few say.
   */
  readonly leastAgeMs: { readonly all: number; readonly some: number }
}

type Voices = keyof PricePace['leastAgeMs']

export type GoodPrice = { readonly usd: bigint; readonly at: number }

export type Trail = {
  /** The newest good price; undefined before the first. */
  last(): GoodPrice | undefined
  /**
   * Whether a price may follow those of the last period, and the newest one, however old it is, at this time. The older
   * they are, the further it may be from them.
   */
  allows(usd: bigint, at: number, voices: Voices): boolean
  /** Remembers a price as a good one. */
  keep(usd: bigint, at: number): void
}

/** Prices of a period are remembered in so many parts, so that small steps are bounded in sum too. */
const PARTS = 60

/** Times are milliseconds that only go forward. */
export const createTrail = ({ basisPoints, periodMs, leastAgeMs }: PricePace): Trail => {
  /** The lowest and the highest good price of each part, the oldest part first. */
  let parts: { readonly since: number; readonly low: bigint; readonly high: bigint }[] = []
  let last: GoodPrice | undefined

  /** The distance that is allowed from a good price of that age, in hundredths of a percent. */
  const allowance = (ageMs: number, voices: Voices) =>
    (basisPoints * BigInt(Math.floor(Math.max(leastAgeMs[voices], ageMs)))) / BigInt(periodMs)

  return {
    last: () => last,
    allows(usd, at, voices) {
      if (last && !areWithin(usd, last.usd, allowance(at - last.at, voices))) return false
      return parts.every(({ since, low, high }) => {
        const allowed = allowance(at - since, voices)
        return at - since >= periodMs || (areWithin(usd, low, allowed) && areWithin(usd, high, allowed))
      })
    },
    keep(usd, at) {
      last = { usd, at }
      const newest = parts.at(-1)
      if (newest && at - newest.since < periodMs / PARTS) {
        const { since, low, high } = newest
        parts[parts.length - 1] = { since, low: usd < low ? usd : low, high: usd > high ? usd : high }
        return
      }
      parts = [...parts.filter(({ since }) => at - since < periodMs), { since: at, low: usd, high: usd }]
    },
  }
}

/** Whether the higher of two prices is above the lower one by at most so many hundredths of a percent. */
export const areWithin = (one: bigint, other: bigint, basisPoints: bigint): boolean => {
  const [low, high] = one < other ? [one, other] : [other, one]
  return high * 10_000n <= low * (10_000n + basisPoints)
}
