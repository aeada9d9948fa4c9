import { EMPTY_ROOT, HASH_BYTES, type Hash, hashAt, nodeOf, PAIR_BYTES, pairAt } from './hash.ts'

/**
 * The Merkle tree over a log that grows (RFC 6962 §2.1), of which only the right edge is kept: the complete subtrees
 * that the leaves make up, one for each 1 in the binary form of their number, the largest first.
 */
export type Tree = {
  size(): number
  add(leaf: Hash): void
  /** Leaves one after the other. */
  addAll(leaves: Buffer): void
  root(): Hash
  frontier(): readonly Hash[]
  /**
   * The subtrees of `NODE_LEVEL_MIN` and above that have become complete since this tree was made or forked, in that
   * order.
   */
  completed(): readonly Subtree[]
  /** A copy of the tree that grows apart from this one. */
  fork(): Tree
}

/** A complete subtree over the leaves `index * 2^level` to `(index + 1) * 2^level - 1`. */
export type Subtree = { readonly level: number; readonly index: number; readonly hash: Hash }

/**
 * Subtrees of 1,024 leaves and more stand in seals: with the leaves of one or two seals they are enough for a proof.
 */
export const NODE_LEVEL_MIN = 10

/** A tree of `size` leaves that goes on from its right edge. Throws when the edge is not one of that size. */
export const growingTree = (size = 0, edge: readonly Hash[] = []): Tree => {
  if (edge.length !== ones(size)) throw new Error(`a tree of ${size} leaves has another right edge`)
  const stack = [...edge]
  const completed: Subtree[] = []
  let count = size
  /** Adds a subtree of 1 or 2 leaves, at a place where one of that size may begin. */
  const put = (subtree: Hash, leaves: 1 | 2) => {
    let hash = subtree
    // This one completes as many subtrees as there are ones at the end of the binary form of `count / leaves`.
    for (let rest = count / leaves, level = leaves; rest % 2 === 1; rest = (rest - 1) / 2, level++) {
      hash = nodeOf(stack.pop() as Hash, hash)
      if (level >= NODE_LEVEL_MIN) completed.push({ level, index: (rest - 1) / 2, hash })
    }
    stack.push(hash)
    count += leaves
  }
  return {
    size: () => count,
    add: (leaf) => put(leaf, 1),
    addAll(leaves) {
      for (let at = 0; at < leaves.length; ) {
        const pair = count % 2 === 0 && at + PAIR_BYTES <= leaves.length
        put(pair ? pairAt(leaves, at) : hashAt(leaves, at), pair ? 2 : 1)
        at += pair ? PAIR_BYTES : HASH_BYTES
      }
    },
    root: () => rootOf(stack),
    frontier: () => [...stack],
    completed: () => completed,
    fork: () => growingTree(count, stack),
  }
}

/** The same tree with more leaves, which lie one after the other; the given one stays as it is. */
export const grownTree = (tree: Tree, leaves: Buffer): Tree => {
  const next = tree.fork()
  next.addAll(leaves)
  return next
}

/** The root of the tree whose right edge this is. */
const rootOf = (frontier: readonly Hash[]): Hash =>
  frontier.length === 0 ? EMPTY_ROOT : frontier.reduceRight((right, left) => nodeOf(left, right))

const ones = (size: number): number => [...size.toString(2)].filter((digit) => digit === '1').length
