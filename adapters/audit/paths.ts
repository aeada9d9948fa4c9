import { type Hash, nodeOf } from './hash.ts'
import { growingTree, NODE_LEVEL_MIN } from './tree.ts'

/**
 * Proofs in the tree over the log: that an event is in it, and that one head goes on from another (RFC 6962 §2.1.1,
 * §2.1.2; RFC 9162 §2.1.3, §2.1.4).
 */

/** The source from which hashes of the tree are read. */
export type TreeSource = {
  /** The leaves `from` to `to - 1`. */
  leaves(from: number, to: number): Promise<readonly Hash[]>
  /** A complete subtree of `NODE_LEVEL_MIN` or above; undefined where it has to be made from smaller ones. */
  node(level: number, index: number): Promise<Hash | undefined>
}

/** The hashes beside the way from a leaf up to the root of the first `size` leaves, the lowest first. */
export const inclusionPath = (source: TreeSource, index: number, size: number): Promise<readonly Hash[]> =>
  pathIn(lookup(source), index, 0, size)

/** The hashes that prove that the tree of `size` leaves begins with the tree of `older` leaves. Both are above 0. */
export const consistencyPath = (source: TreeSource, older: number, size: number): Promise<readonly Hash[]> =>
  older === size ? Promise.resolve([]) : consistencyIn(lookup(source), older, 0, size, true)

/** The root that a leaf and its path give; undefined when the index or the length of the path is wrong. */
export const rootOfPath = (leaf: Hash, index: number, size: number, path: readonly Hash[]): Hash | undefined => {
  if (index < 0 || index >= size) return undefined
  let hash = leaf
  let [place, last] = [index, size - 1]
  const rest = [...path]
  for (; last > 0; place = half(place), last = half(last)) {
    if (place % 2 === 0 && place === last) continue
    const beside = rest.shift()
    if (beside === undefined) return undefined
    hash = place % 2 === 1 ? nodeOf(beside, hash) : nodeOf(hash, beside)
  }
  return rest.length === 0 ? hash : undefined
}

/** Whether the tree of `size` leaves begins with the tree of `older` leaves. */
export const isConsistent = (
  older: { readonly size: number; readonly root: Hash },
  newer: { readonly size: number; readonly root: Hash },
  path: readonly Hash[],
): boolean => {
  if (older.size < 1 || older.size > newer.size) return false
  if (older.size === newer.size) return path.length === 0 && older.root === newer.root
  const rest = [...path]
  let [place, last] = [older.size - 1, newer.size - 1]
  while (place % 2 === 1) [place, last] = [half(place), half(last)]
  // The older tree is one complete subtree of the newer: its root is known already.
  const first = place === 0 ? older.root : rest.shift()
  if (first === undefined) return false
  let [old, all] = [first, first]
  for (; last > 0; place = half(place), last = half(last)) {
    if (place % 2 === 0 && place === last) continue
    const beside = rest.shift()
    if (beside === undefined) return false
    if (place % 2 === 1) old = nodeOf(beside, old)
    all = place % 2 === 1 ? nodeOf(beside, all) : nodeOf(all, beside)
  }
  return rest.length === 0 && old === older.root && all === newer.root
}

type Lookup = (from: number, to: number) => Promise<Hash>

/** Leaves that are read at once; the hash of a smaller subtree is made from its leaves. */
const BLOCK = 2 ** NODE_LEVEL_MIN

const lookup = (source: TreeSource): Lookup => {
  const hashOf: Lookup = async (from, to) => {
    const count = to - from
    if (count <= BLOCK && !isComplete(from, count, BLOCK)) return rootOver(await source.leaves(from, to))
    if (isComplete(from, count, count)) {
      const known = await source.node(Math.log2(count), from / count)
      if (known !== undefined) return known
      if (count === BLOCK) return rootOver(await source.leaves(from, to))
    }
    const middle = from + splitOf(count)
    return nodeOf(await hashOf(from, middle), await hashOf(middle, to))
  }
  return hashOf
}

const isComplete = (from: number, count: number, least: number): boolean =>
  count >= least && Number.isInteger(Math.log2(count)) && from % count === 0

const rootOver = (leaves: readonly Hash[]): Hash => {
  const tree = growingTree()
  for (const leaf of leaves) tree.add(leaf)
  return tree.root()
}

const pathIn = async (hashOf: Lookup, index: number, from: number, to: number): Promise<readonly Hash[]> => {
  if (to - from === 1) return []
  const middle = from + splitOf(to - from)
  return index < middle
    ? [...(await pathIn(hashOf, index, from, middle)), await hashOf(middle, to)]
    : [...(await pathIn(hashOf, index, middle, to)), await hashOf(from, middle)]
}

/** `whole`: this part of the newer tree still holds all of the older one, whose root the verifier has already. */
const consistencyIn = async (
  hashOf: Lookup,
  older: number,
  from: number,
  to: number,
  whole: boolean,
): Promise<readonly Hash[]> => {
  if (older === to) return whole ? [] : [await hashOf(from, to)]
  const middle = from + splitOf(to - from)
  return older <= middle
    ? [...(await consistencyIn(hashOf, older, from, middle, whole)), await hashOf(middle, to)]
    : [...(await consistencyIn(hashOf, older, middle, to, false)), await hashOf(from, middle)]
}

/** The largest power of two below a number. */
const splitOf = (count: number): number => 2 ** Math.floor(Math.log2(count - 1))

const half = (n: number): number => Math.floor(n / 2)
