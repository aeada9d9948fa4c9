/** A map that holds what was used lately and forgets the rest, in constant time. */

export type RecentMap<V> = {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

/**
 * Keeps at least the `kept` most recently used keys, and at most twice as many. Two generations instead of an exact
 * order, because taking the oldest key out of a large Map again and again gets slower with every key that was taken
 * before.
 */
export const recentMap = <V>(kept: number): RecentMap<V> => {
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  const set = (key: string, value: V) => {
    young.set(key, value)
    if (young.size < kept) return
    old = young
    young = new Map()
  }
  return {
    get: (key) => {
      const value = young.get(key)
      if (value !== undefined) return value
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
    delete: (key) => {
      young.delete(key)
      old.delete(key)
    },
  }
}
