import type { Cause, World } from '../kernel/ports.ts'
import type { RefusalCode } from '../kernel/refusal.ts'
import type { LedgerEvent } from './deciders.ts'

/**
 * A stream to which several processes write at once has a home: the one process that decides for it. The others hand
 * their commands over. It is a way to lose fewer races and never what keeps the books right: that are the appends, each
 * of which names the revision that it was decided on.
 */
export type Homes = {
  /**
   * Hands a command to the home of its stream. Undefined when that is this process, or when no other one can be asked
   * now. Rejects with OutcomeUnknown when the command was sent and nobody knows what became of it.
   */
  handOver(message: CommandMessage): Promise<HomeAnswer> | undefined
  /** Tells all other processes that races are lost for a stream, which is in the log up to a revision. */
  contended(stream: string, revision: bigint): void
}

/** Where one process runs, or each decides for itself. */
export const NO_HOMES: Homes = { handOver: () => undefined, contended: () => {} }

/** A command on its way to the home of its stream. */
export type CommandMessage = {
  /** The name of the decider among all of them. */
  readonly door: string
  readonly command: string
  readonly stream: string
  readonly data: object
  readonly cause: Cause
  /** Made for this command alone: the ids of its events come from it, whoever decides it. */
  readonly commandId: string
  /** A revision of the stream that was in the log before the command was sent; no event of it is up to there. */
  readonly after: bigint
}

/** What the home answers. Whoever gets `declined` knows that nothing was written, nor will be. */
export type HomeAnswer =
  | {
      readonly outcome: 'decided'
      readonly state: unknown
      readonly position: bigint
      readonly revision: bigint
      readonly events: readonly LedgerEvent[]
    }
  | {
      readonly outcome: 'refused'
      readonly code: RefusalCode
      readonly detail: string | undefined
      readonly retryAfterS: number | undefined
      readonly facts: Readonly<Record<string, string>> | undefined
    }
  | { readonly outcome: 'declined' }

/** The answer of who decides nothing. */
export const DECLINED: HomeAnswer = { outcome: 'declined' }

/** What has become of commands since the start of this process, for its metrics. */
export type ContentionCounts = {
  /** Commands that were decided on a state which others had changed meanwhile, and so were decided again. */
  lostRaces: number
  /** Commands that this process handed over, by what came of it. */
  decided: number
  declined: number
  unknown: number
  /** Commands that this process decided for others. */
  forOthers: number
}

/** The streams that several processes write to at the moment, as far as this one knows. */
export type Contention = {
  /** A race was lost for a stream that is in the log up to a revision. True when nobody had noted that before. */
  note(stream: string, revision: bigint): boolean
  /** The newest known revision of a stream for which races are lost; undefined for all others. */
  revisionOf(stream: string): bigint | undefined
  /** Something was appended to a stream. */
  arrived(stream: string, revision: bigint): void
  readonly counts: ContentionCounts
}

/** How long a stream counts as contended after a race was lost for it, in milliseconds. */
const CONTENDED_MS = 10_000
/** Streams that count as contended at once; of more, those that were noted first are forgotten. */
const CONTENDED_STREAMS_MAX = 1_000

export const createContention = (world: Pick<World, 'now'>): Contention => {
  const noted = new Map<string, { until: number; revision: bigint }>()
  const now = () => world.now().getTime()
  const current = (stream: string) => {
    if (noted.size === 0) return undefined
    const known = noted.get(stream)
    if (!known || now() < known.until) return known
    noted.delete(stream)
    return undefined
  }
  return {
    note(stream, revision) {
      const known = current(stream)
      noted.delete(stream)
      const newest = known && known.revision > revision ? known.revision : revision
      noted.set(stream, { until: now() + CONTENDED_MS, revision: newest })
      const [oldest] = noted.keys()
      if (noted.size > CONTENDED_STREAMS_MAX && oldest !== undefined) noted.delete(oldest)
      return known === undefined
    },
    revisionOf: (stream) => current(stream)?.revision,
    arrived(stream, revision) {
      const known = noted.size === 0 ? undefined : noted.get(stream)
      if (known && revision > known.revision) known.revision = revision
    },
    counts: { lostRaces: 0, decided: 0, declined: 0, unknown: 0, forOthers: 0 },
  }
}
