import { postedTypes, postingsOf } from '../../domain/reading/journal.ts'
import type { EventType } from '../../domain/write-side/deciders.ts'
import { upcast } from '../../domain/write-side/upcasts.ts'
import type { LogLine } from '../store/base/log-line.ts'

/** The books as the lines of a log give them, without any read model. */
export type LineBooks = {
  add(line: LogLine): void
  /** Units, keyed by `<account> <asset>`. */
  balances(): ReadonlyMap<string, bigint>
  /** Assets whose balances do not sum to zero. */
  unbalanced(): readonly string[]
}

const posted: ReadonlySet<string> = new Set(postedTypes)

export const lineBooks = (): LineBooks => {
  const balances = new Map<string, bigint>()
  return {
    add({ type, line }) {
      if (!posted.has(type)) return
      const { stream, metadata, data } = JSON.parse(line) as Line
      for (const { account, asset, amount } of postingsOf({
        type,
        stream,
        data: upcast(type as EventType, metadata.v, data),
      })) {
        const name = `${account} ${asset}`
        balances.set(name, (balances.get(name) ?? 0n) + BigInt(amount))
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

type Line = { readonly stream: string; readonly metadata: { readonly v: number }; readonly data: object }
