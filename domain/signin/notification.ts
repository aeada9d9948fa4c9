import { isAccepted } from '../kernel/accepted.ts'
import { decider } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * A receipt or a logout notification on its way to an app's back-channel endpoint. It is sent again by the ladder until
 * it is accepted or given up; each attempt is signed anew, under one and the same event id (A-RCP-01 to A-RCP-06,
 * N-57).
 */

type NotificationEvents = {
  NotificationScheduled: {
    clientId: string
    /** The endpoint when it was scheduled; each attempt goes to the one that the app has then. */
    url: string
    kind: 'receipt' | 'logout'
    /** For a receipt: the JSON text that is posted, character by character. */
    payload?: string
    /** For a logout: the user and the id of the session that has ended. */
    sub?: string
    sid?: string
  }
  /** The app had no endpoint; it is not sent later either, when an endpoint is set. */
  NotificationSkipped: { clientId: string }
  NotificationAccepted: { clientId: string } & Attempt
  /** The attempt failed: the next one is made at `nextAt`, or it is given up (`nextAt` null). */
  NotificationAttemptFailed: { clientId: string; nextAt: string | null } & Attempt
  /** Support or the app's owner has it sent again, from the first step of the ladder on. */
  NotificationReplayed: { clientId: string }
}

type Attempt = {
  /** The number of the attempt, counted from 1 over all replays. */
  attempt: number
  /** The app's endpoint at that time; null when it had none any more. */
  url: string | null
  /** The HTTP status; null when no answer came, and `reason` says why. */
  status: number | null
  reason: string | null
  /** The first 1,000 characters of the answer. */
  bodyHead: string
  durationMs: number
  attemptedAt: string
}

type NotificationCommands = {
  schedule: NotificationEvents['NotificationScheduled']
  skip: NotificationEvents['NotificationSkipped']
  /** `jitter` between -0.1 and 0.1 moves the next attempt. Does nothing when this attempt is known already. */
  record: Attempt & { jitter: number }
  /** Does nothing while it is still being sent. */
  replay: Record<never, never>
}

export type Notification = NotificationEvents['NotificationScheduled'] & Progress
type Progress = {
  status: 'pending' | 'accepted' | 'given-up'
  attempts: number
  /** Attempts since it was scheduled or replayed last. */
  step: number
  nextAt: string | null
}
type State = { status: 'none' } | { status: 'skipped' } | Notification

/** The HTTP status by which an endpoint says that it wants no more of it. */
const GONE = 410

export const notification = decider<NotificationEvents, NotificationCommands, State>({
  category: 'notification',
  stateVersion: 1,
  initial: { status: 'none' },
  decide: {
    schedule: (state, data) => (state.status === 'none' ? [{ type: 'NotificationScheduled', data }] : []),
    skip: (state, data) => (state.status === 'none' ? [{ type: 'NotificationSkipped', data }] : []),
    record: (state, { jitter, ...attempt }) => {
      const { clientId, status, attempts, step } = known(state)
      if (status !== 'pending' || attempt.attempt !== attempts + 1) return []
      if (isAccepted(attempt.status)) return [{ type: 'NotificationAccepted', data: { clientId, ...attempt } }]
      const pause = attempt.status === GONE ? undefined : LADDER_MS[step + 1]
      const next = pause === undefined ? null : Date.parse(attempt.attemptedAt) + Math.round(pause * (1 + jitter))
      const nextAt = next === null ? null : new Date(next).toISOString()
      return [{ type: 'NotificationAttemptFailed', data: { clientId, nextAt, ...attempt } }]
    },
    replay: (state) => {
      const { clientId, status } = known(state)
      return status === 'pending' ? [] : [{ type: 'NotificationReplayed', data: { clientId } }]
    },
  },
  evolve: {
    NotificationScheduled: (_, data) => ({ ...data, status: 'pending', attempts: 0, step: 0, nextAt: null }),
    NotificationSkipped: () => ({ status: 'skipped' }),
    NotificationAccepted: (state, { attempt }) =>
      changed(state, () => ({ status: 'accepted', attempts: attempt, nextAt: null })),
    NotificationAttemptFailed: (state, { attempt, nextAt }) =>
      changed(state, ({ step }) => ({
        status: nextAt === null ? 'given-up' : 'pending',
        attempts: attempt,
        step: step + 1,
        nextAt,
      })),
    NotificationReplayed: (state) => changed(state, () => ({ status: 'pending', step: 0, nextAt: null })),
  },
})

const known = (state: State): Notification =>
  state.status === 'none' || state.status === 'skipped' ? refuse('not-found', 'no such notification') : state

const changed = (state: State, fields: (before: Notification) => Partial<Progress>): State =>
  state.status === 'none' || state.status === 'skipped' ? state : { ...state, ...fields(state) }

/**
 * Pauses before each attempt, in milliseconds: at once, then 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h; 27 h 35 min in
 * all (N-57).
 */
export const LADDER_MS = [0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000] as const
