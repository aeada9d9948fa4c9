import { HASH_BYTES, type Hash } from './hash.ts'

/** Leaves that no seal has covered yet, with the places of their events in the ledger's order: 40 bytes an event. */
export type LeafWindow = {
  /** Index of the first event after the window. */
  end(): number
  add(leaf: Hash, order: bigint): void
  /** Leaves one after the other; what lies beyond the end is left out. */
  leaves(from: number, to: number): Buffer
  leaf(index: number): Hash
  /** Undefined for an event that the window does not hold. */
  order(index: number): bigint | undefined
  /** Forgets what lies before an index. */
  drop(before: number): void
}

const ROOM_FIRST = 4_096

/** An empty window, before the event with that index. */
export const leafWindow = (index: number): LeafWindow => {
  let leaves = Buffer.alloc(ROOM_FIRST * HASH_BYTES)
  let orders = new BigInt64Array(ROOM_FIRST)
  /**
   * `leaves` and `orders` hold `count` events from `start` on; those before `dropped` no longer belong to the window.
   */
  let start = index
  let count = 0
  let dropped = index

  const grow = () => {
    leaves = Buffer.concat([leaves, Buffer.alloc(leaves.length)])
    const more = new BigInt64Array(orders.length * 2)
    more.set(orders)
    orders = more
  }
  const offset = (at: number) => Math.min(Math.max(at, dropped) - start, count) * HASH_BYTES
  return {
    end: () => start + count,
    add(leaf, order) {
      if (count === orders.length) grow()
      leaves.write(leaf, count * HASH_BYTES, 'latin1')
      orders[count] = order
      count++
    },
    leaves: (from, to) => leaves.subarray(offset(from), offset(to)),
    leaf: (at) => leaves.toString('latin1', offset(at), offset(at + 1)),
    order: (at) => (at >= dropped && at < start + count ? orders[at - start] : undefined),
    drop(before) {
      dropped = Math.min(Math.max(before, dropped), start + count)
      const gone = dropped - start
      // The room is freed rarely: in a log that is sealed late, all at once, each seal would move all leaves that still
      // wait.
      if (gone < count / 2) return
      leaves.copyWithin(0, gone * HASH_BYTES, count * HASH_BYTES)
      orders.copyWithin(0, gone, count)
      start += gone
      count -= gone
    },
  }
}
