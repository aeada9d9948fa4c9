import type { RecordedEvent } from '../../domain/kernel/recorded-event.ts'
import { postedTypes, postingsOf } from '../../domain/reading/journal.ts'

/** The books as the lines of a log give them, without any read model. */
export type LineBooks = {
  /**
   * Books what an event moves; one that cannot be read moves nothing here either. Answers why it could not be booked.
   */
  add(event: RecordedEvent): string | undefined
  /** Units, keyed by `<account> <asset>`. */
  balances(): ReadonlyMap<string, bigint>
  /** Assets whose balances do not sum to zero. */
  unbalanced(): readonly string[]
}

const posted: ReadonlySet<string> = new Set(postedTypes)

export const lineBooks = (): LineBooks => {
  const balances = new Map<string, bigint>()
  return {
    add(event) {
      if (!posted.has(event.type) || event.unreadable !== undefined) return undefined
      try {
        for (const [name, units] of movesOf(event)) balances.set(name, (balances.get(name) ?? 0n) + units)
        return undefined
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
    balances: () => balances,
    unbalanced() {
      const sums = new Map<string, bigint>()
      for (const [name, units] of balances) {
        const asset = name.slice(name.indexOf(' ') + 1)
        sums.set(asset, (sums.get(asset) ?? 0n) + units)
      }
      return [...sums].filter(([, units]) => units !== 0n).map(([asset]) => asset)
    },
  }
}

const movesOf = ({ type, stream, data }: RecordedEvent): readonly (readonly [name: string, units: bigint])[] =>
  postingsOf({ type, stream, data }).map(({ account, asset, amount }) => [`${account} ${asset}`, BigInt(amount)])
