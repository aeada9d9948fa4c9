import type { LogLine } from '../store/base/log-line.ts'
import { type Hash, leafOf, linkOf, toBase64, ZERO } from './hash.ts'
import type { SignedHead } from './head.ts'
import { type HeadDivergence, type KnownHead, knownHeads } from './known-heads.ts'
import { type LeafWindow, leafWindow } from './leaf-window.ts'
import { type FoundSeal, keyIn, sealIn } from './seal-lines.ts'
import { growingTree, grownTree, type Tree } from './tree.ts'
import type { TrustedKeys } from './trusted-keys.ts'
import { firstDifference, type SealMismatch } from './wrong.ts'

/** A head with the right edge of its tree, from which a later verification goes on. */
export type Edge = { readonly head: SignedHead; readonly frontier: readonly Hash[] }

export type LogVerification = {
  /** Index after the last event that was read. */
  readonly end: number
  /** Seals that fit. */
  readonly seals: number
  /** The newest head that fits; undefined before the first. */
  readonly edge: Edge | undefined
  readonly wrong: SealMismatch | undefined
  /** The smallest known head that was found not to be in the log. */
  readonly parting: HeadDivergence | undefined
}

export type Verifier = {
  /**
   * Takes the next event of the log; answers what is wrong once that is certain, and then nothing more has to be read.
   */
  add(line: LogLine): SealMismatch | undefined
  /** Says that the log has ended, and answers what was found. */
  end(): LogVerification
}

export type VerifyOptions = {
  /** The edge to begin at; its head must be signed by a key of `keys`. */
  readonly start?: Edge | undefined
  /** Heads that were seen before, the smallest first: the log has to contain what they cover. */
  readonly known?: Iterable<KnownHead>
}

/** The part of the log that is proved so far. */
type VerifiedPrefix = { readonly tree: Tree; readonly chain: Hash; readonly head: SignedHead | undefined }

/** Seals that did not fit and are kept at most; their lists may still tell where to look. */
const DOUBTFUL_MAX = 16

/**
 * Checks a log event by event against the seals in it, in one pass, and keeps in memory only what is not sealed yet. A
 * seal by a trusted key whose list of leaves gives the signed root vouches for each event of the list, so the first
 * event that differs can be named. A seal that does not fit is only a suspicion, until one that fits tells whether that
 * seal or an event before it was changed.
 */
export const verifier = (keys: TrustedKeys, { start, known = [] }: VerifyOptions = {}): Verifier => {
  let proved = provedBy(start)
  let log = start?.head.log
  /** Id of the log as its lines tell it: the id of the first event. */
  let id = start?.head.log ?? ''
  let order = start ? BigInt(start.head.order) : -1n
  let suspect: SealMismatch | undefined
  let found: SealMismatch | undefined
  let parting: HeadDivergence | undefined
  let seals = 0
  const window = leafWindow(proved.tree.size())
  const doubtful: FoundSeal[] = []
  const awaited = knownHeads(known)

  const suspected = (what: SealMismatch['what']) => {
    const index = window.end() - 1
    suspect ??= { index, order: window.order(index), what }
  }
  const certain = (index: number, what: SealMismatch['what'], before?: number): SealMismatch => {
    const wrong = { index, order: window.order(index), what, ...(before !== undefined && { before }) }
    found = suspect && suspect.index <= index ? suspect : wrong
    return found
  }
  const doubt = (seal: FoundSeal | undefined) => {
    suspected('seal')
    if (seal && doubtful.length < DOUBTFUL_MAX) doubtful.push(seal)
  }
  /** Nobody vouches for the list of a seal that does not fit, but it may tell where to look. */
  const hinted = (wrong: SealMismatch | undefined): SealMismatch | undefined => {
    const doubt = firstDoubt(doubtful, window, proved.tree.size())
    return wrong && doubt && doubt.at < wrong.index ? { ...wrong, perhaps: doubt.at } : wrong
  }
  const accept = (seal: FoundSeal, tree: Tree): SealMismatch | undefined => {
    if (!isWhole(seal, tree, proved, window)) suspected('seal')
    parting = awaited.upTo(seal.head.size, proved.tree, window.leaves, id, tree)
    if (parting) return certain(parting.from, 'history', parting.to)
    proved = { tree, chain: seal.chain, head: seal.head }
    window.drop(seal.head.size)
    seals++
    return undefined
  }
  const weigh = (seal: FoundSeal): SealMismatch | undefined => {
    const { from, root, leaves, head } = seal
    const before = proved.tree.size()
    // The seal covers only events before this place, as seals right after the start of the reading may.
    if (head.size <= before)
      return head.size === before && head.root !== proved.head?.root ? certain(0, 'history', before) : undefined
    if (from < before) return void doubt(seal)
    const listed = grownTree(grownTree(proved.tree, window.leaves(before, from)), leaves)
    if (listed.size() === head.size && listed.root() === root) {
      const other = firstDifference(leaves, window.leaves(from, head.size))
      return other ? certain(from + other.at, other.what) : accept(seal, listed)
    }
    const actual = grownTree(proved.tree, window.leaves(before, head.size))
    if (actual.size() === head.size && actual.root() === root) {
      suspected('seal')
      return accept(seal, actual)
    }
    if (from === before) return void doubt(seal)
    const { at, what } = firstDoubt(doubtful, window, before) ?? { at: before, what: 'changed' }
    return certain(at, what, from)
  }

  return {
    add({ line, type, order: at }) {
      window.add(leafOf(line), at)
      if (id === '') id = idOf(line)
      if (at <= order) suspected('order')
      order = at
      if (type === 'SealKeyPublished') {
        const key = keyIn(line)
        if (!key || !keys.published(key)) suspected('key')
      } else if (type === 'LogSealed') {
        const seal = sealIn(line)
        if (!seal || !keys.sealed(seal.head) || (log !== undefined && seal.head.log !== log)) return void doubt(seal)
        log = seal.head.log
        return weigh(seal)
      }
      return undefined
    },
    end() {
      // A certain fault has ended the reading, so nothing is known of what comes after it.
      if (!found) parting = awaited.upTo(window.end(), proved.tree, window.leaves, id)
      if (!found) parting ??= awaited.beyond(window.end(), id)
      const { head, tree } = proved
      const wrong = found ?? hinted(suspect) ?? (parting && wrongAt(parting, window))
      return { end: window.end(), seals, edge: head && { head, frontier: tree.frontier() }, wrong, parting }
    },
  }
}

const provedBy = (start: Edge | undefined): VerifiedPrefix => {
  if (!start) return { tree: growingTree(), chain: ZERO, head: undefined }
  const { head, frontier } = start
  const chain = Buffer.from(head.chain, 'base64').toString('latin1')
  return { tree: growingTree(head.size, frontier), chain, head }
}

const wrongAt = ({ why, from, to, end }: HeadDivergence, window: LeafWindow): SealMismatch =>
  why === 'shorter'
    ? { index: end, order: undefined, what: 'ended' }
    : { index: from, order: window.order(from), what: 'history', before: to }

/** Empty when the line is no event; that is found out elsewhere. */
const idOf = (line: string): string => {
  try {
    return (JSON.parse(line) as { id: string }).id
  } catch {
    return ''
  }
}

/** Whether the rest of a seal fits the log too: its end, its chain and its subtrees. */
const isWhole = (
  { head, from, chain, frontier, nodes, leaves }: FoundSeal,
  tree: Tree,
  proved: VerifiedPrefix,
  window: LeafWindow,
) => {
  if (window.order(head.size - 1) !== BigInt(head.order) || frontier.join('') !== tree.frontier().join('')) return false
  // When seals before it are gone, nobody knows the link that it goes on from.
  if (from !== proved.tree.size()) return true
  const listed = tree.completed().map(({ level, index, hash }) => [level, index, toBase64(hash)])
  return linkOf(proved.chain, leaves) === chain && JSON.stringify(nodes) === JSON.stringify(listed)
}

/** The first place where events differ from the list of a seal that may itself be wrong. */
const firstDoubt = (doubtful: readonly FoundSeal[], window: LeafWindow, before: number) => {
  for (const { from, head, leaves } of doubtful) {
    const other = from < before ? undefined : firstDifference(leaves, window.leaves(from, head.size))
    if (other) return { at: from + other.at, what: other.what }
  }
  return undefined
}
