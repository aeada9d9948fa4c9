import { decider } from '../../kernel/decider.ts'
import type { SealedText } from '../../kernel/ports.ts'
import type { Sitter, StudioOrder } from '../members/stakes.ts'

/**
 * A work that the studio makes (G-STU-02). Its fee lies in `studio:<job>` from the stake on: it goes to the house with
 * the event that says the work is done, and back to the member in the same append as the one that says it came to
 * nothing. The stream is named by the job's id, which is made from the quote, so that a quote is good for one order.
 */
export type StudioJobEvents = {
  StudioOrdered: MemberOrder & { orderedAt: string }
  /** The work was begun, or begun again after whoever drew it broke off. */
  StudioJobStarted: { attempt: number; startedAt: string }
  /** The picture itself is drawn again from the order whenever somebody looks at it; `sha256` is that of its text. */
  StudioJobDone: Fee & { sha256: string; bytes: number; doneAt: string }
  StudioJobFailed: { reason: JobFailure; failedAt: string }
  StudioJobRefunded: Fee & { refundedAt: string }
}

/** The price, who paid it, and for which character. */
type Fee = { member: string; characterId: number; priceUnits: number }

export type StudioJobCommands = {
  /** Does nothing when it is there. */
  order: MemberOrder
  /** Does nothing when the work is over. A work that was begun too often has failed. */
  start: object
  /** `finish` and `fail` do nothing unless the work is being made. */
  finish: { sha256: string; bytes: number }
  fail: { reason: JobFailure }
}

type MemberOrder = StudioOrder & { readonly member: string; readonly linkId: string }

/**
 * Why there is no work: the artist refused or broke, did not come to an end, made what is no picture, or never got so
 * far as to answer.
 */
export type JobFailure = 'artist-failed' | 'artist-late' | 'not-a-picture' | 'given-up' | 'erased'

export type StudioJob = { readonly status: 'none' } | Job
export type Job = {
  /** There is no state `failed`, because the refund is in the same append as the failure. */
  readonly status: 'queued' | 'running' | 'done' | 'refunded'
  readonly member: string
  readonly characterId: number
  readonly slug: string
  readonly opts: SealedText
  readonly sitter: Sitter
  readonly priceUnits: number
  readonly attempts: number
  /** The SHA-256 of the picture's text, once the work is done. */
  readonly sha256: string | null
}

/** The most times that a work is begun; after these it is given up. */
const ATTEMPTS_MAX = 3

export const gameStudioJob = decider<StudioJobEvents, StudioJobCommands, StudioJob>({
  category: 'gameStudioJob',
  stateVersion: 1,
  initial: { status: 'none' },
  decide: {
    order: (job, order, now) =>
      job.status === 'none' ? [{ type: 'StudioOrdered', data: { ...order, orderedAt: now } }] : [],
    start(job, _, now) {
      if (job.status !== 'queued' && job.status !== 'running') return []
      if (job.attempts >= ATTEMPTS_MAX) return undone(job, 'given-up', now)
      return [{ type: 'StudioJobStarted', data: { attempt: job.attempts + 1, startedAt: now } }]
    },
    finish(job, { sha256, bytes }, now) {
      if (job.status !== 'running') return []
      return [{ type: 'StudioJobDone', data: { ...feeOf(job), sha256, bytes, doneAt: now } }]
    },
    fail: (job, { reason }, now) => (job.status === 'running' ? undone(job, reason, now) : []),
  },
  evolve: {
    StudioOrdered: (_, { member, characterId, slug, opts, sitter, priceUnits }) => ({
      status: 'queued',
      member,
      characterId,
      slug,
      opts,
      sitter,
      priceUnits,
      attempts: 0,
      sha256: null,
    }),
    StudioJobStarted: of((job, { attempt }) => ({ ...job, status: 'running', attempts: attempt })),
    StudioJobDone: of((job, { sha256 }) => ({ ...job, status: 'done', sha256 })),
    StudioJobFailed: of((job) => job),
    StudioJobRefunded: of((job) => ({ ...job, status: 'refunded' })),
  },
})

const undone = (job: Job, reason: JobFailure, now: string) =>
  [
    { type: 'StudioJobFailed', data: { reason, failedAt: now } },
    { type: 'StudioJobRefunded', data: { ...feeOf(job), refundedAt: now } },
  ] as const

const feeOf = ({ member, characterId, priceUnits }: Job): Fee => ({ member, characterId, priceUnits })

/** Folds an event into an existing job. */
function of<E>(evolve: (job: Job, data: E) => Job) {
  return (job: StudioJob, data: E): StudioJob => (job.status === 'none' ? job : evolve(job, data))
}
