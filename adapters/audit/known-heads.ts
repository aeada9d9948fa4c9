import { type Hash, toBase64 } from './hash.ts'
import { grownTree, type Tree } from './tree.ts'

/** Compares heads that were seen before with a log: it has to contain each of them, at its size, by its root. */

/** A head that somebody has seen. Whoever passes it on has to check its signature first. */
export type KnownHead = {
  /** Id of the log's first event. */
  readonly log: string
  /** Events that it covers. */
  readonly size: number
  /** Base64. */
  readonly root: string
  /** Right edge of its tree: it tells more exactly where another log parts. */
  readonly frontier?: readonly Hash[] | undefined
  /** Who names the head, in words for people: `the checkpoint`. */
  readonly source: string
}

/** The finding that a log does not contain a known head. */
export type HeadDivergence = {
  readonly known: KnownHead
  /** The log ends before the head does, has another history there, or is not the log that the head is of. */
  readonly why: 'shorter' | 'forked' | 'other-log'
  /** Root of the log at the size of the head, base64; undefined where the log ends before. */
  readonly root: string | undefined
  /** Events that the log has; where it has enough, the size of the head. */
  readonly end: number
  /** The first event that differs has this index or a later one, and one below `to`. */
  readonly from: number
  readonly to: number
}

export type KnownHeads = {
  /**
   * Looks at the heads of up to `end` events.
   * @param tree the log's tree as far as it is known; heads that are smaller than that are passed over
   * @param leaves leaves of the log, one after the other
   * @param log id of the log's first event
   * @param whole the log's tree of `end` events where it is known, so that it need not be made once more
   */
  upTo(
    end: number,
    tree: Tree,
    leaves: (from: number, to: number) => Buffer,
    log: string,
    whole?: Tree,
  ): HeadDivergence | undefined
  /** Says that the log has ended: each head that is left covers more events than it has. */
  beyond(end: number, log: string): HeadDivergence | undefined
}

/** @param known smallest first; it is read as the log is, so that a long journal need not be in memory */
export const knownHeads = (known: Iterable<KnownHead>): KnownHeads => {
  const left = known[Symbol.iterator]()
  const pull = (): KnownHead | undefined => {
    const { done, value } = left.next()
    return done ? undefined : value
  }
  let next = pull()
  /** Size of the largest head that the log contains. */
  let contained = 0
  return {
    upTo(end, tree, leaves, log, whole) {
      let at = tree
      while (next && next.size <= end) {
        const head = next
        if (head.size >= at.size()) {
          at = whole && head.size === end ? whole : grownTree(at, leaves(at.size(), head.size))
          const root = toBase64(at.root())
          if (root !== head.root) {
            const why = head.log === log ? 'forked' : 'other-log'
            return { known: head, why, root, end: head.size, ...rangeOf(head, at, contained) }
          }
          contained = head.size
        }
        next = pull()
      }
      return undefined
    },
    beyond: (end, log) =>
      next && {
        known: next,
        why: next.log === log || end === 0 ? 'shorter' : 'other-log',
        root: undefined,
        end,
        from: contained,
        to: next.size,
      },
  }
}

/**
 * The range of events in which a head and the log part: that of the first subtree at their right edges that differs.
 */
const rangeOf = (
  { size, frontier = [] }: KnownHead,
  tree: Tree,
  contained: number,
): Pick<HeadDivergence, 'from' | 'to'> => {
  const other = tree.frontier().findIndex((hash, at) => hash !== frontier[at])
  if (frontier.length === 0 || other === -1) return { from: contained, to: size }
  const widths = [...size.toString(2)].flatMap((digit, at, digits) =>
    digit === '1' ? [2 ** (digits.length - 1 - at)] : [],
  )
  const start = widths.slice(0, other).reduce((sum, width) => sum + width, 0)
  return { from: Math.max(contained, start), to: start + (widths[other] ?? size) }
}

/** The message for people about a head that is not in the log. */
export const partingText = ({ known, why, root, end, from, to }: HeadDivergence): string => {
  const head = `the head of ${known.size} events, root ${known.root}, that ${known.source} names`
  if (why === 'other-log') return `${head}, is of another log: ${known.log}`
  if (why === 'shorter') return `the log ends after ${end} events, and ${head}, covers more`
  const place = to - from === 1 ? `at event ${from}` : `at event ${from} or after it, before event ${to}`
  return `${head}, is not one of this log, which has the root ${root} at ${known.size} events: they part ${place}`
}
