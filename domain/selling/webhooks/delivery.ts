import { isAccepted } from '../../kernel/accepted.ts'
import { decider } from '../../kernel/decider.ts'
import type { SealedText } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'

/**
 * One attempt to tell a merchant of a completed payment, or to try out where it would be told: the intent is written
 * first, then the POST is made, then its outcome (W-LOG-01).
 */

/** Which setting names the place of a delivery; `receiver` is the built-in one, for test sales alone. */
export type DeliverySlot = 'transaction' | 'store' | 'agent' | 'account' | 'receiver'

/** What stands for the URL where the built-in receiver is told: nothing is called, and no URL can be written so. */
export const BUILT_IN_RECEIVER = 'daybook:built-in-receiver'

export type DeliveryEvents = {
  /** The id of the stream is the `event_id` of the delivery. */
  DeliveryScheduled: {
    accountId: string
    transactionId: string
    url: string
    /** Which setting named the URL. */
    slot: DeliverySlot
    /** The store whose URL is called and whose secret signs; for the slot `store` alone. */
    storeId?: number
    test: boolean
    /**
     * Why it is sent: again because the merchant asked (W-RTY-02), or to try a URL out, for no transaction (W-RTY-03).
     * The first delivery of a payment has none.
     */
    reason?: 'resend' | 'test'
    /**
     * It bears a signature that is wrong on purpose, and a receiver that verifies signatures refuses it; for `test`
     * alone.
     */
    wronglySigned?: true
    /** The operator's run that sends many again: it sends each payment once, however often it is started. */
    run?: string
  }
  /** There was no URL when the payment completed; one that is set later is not called for it. */
  DeliverySkipped: { accountId: string; transactionId: string }
  /** The receiver answered 2xx. */
  DeliveryAccepted: Outcome
  /**
   * The receiver gave another answer, or none: then `status` is null and `reason` says why. It is not tried again by
   * itself (W-RTY-01).
   */
  DeliveryFailed: Outcome
}
type Outcome = {
  accountId: string
  transactionId: string
  status: number | null
  reason: string | null
  /** The first 1,000 characters of the answer. */
  bodyHead: string
  durationMs: number
  attemptedAt: string
  /**
   * SHA-256 of the body that was sent, in hex, so that the body can be made again and known to be the same; older ones
   * lack it.
   */
  bodySha256?: string
  /** The same hash, sealed, where the body tells of a person: what is erased must not be found out by guessing. */
  sealedSha256?: SealedText
  /** Whether it bore a signature, whose time is that of the attempt. */
  signed?: boolean
}

export type DeliveryCommands = {
  schedule: DeliveryEvents['DeliveryScheduled']
  skip: DeliveryEvents['DeliverySkipped']
  record: Omit<Outcome, 'accountId' | 'transactionId'>
}

type State =
  | { status: 'none' }
  | { status: 'skipped' }
  | (DeliveryEvents['DeliveryScheduled'] & { status: 'scheduled' })
  | (DeliveryEvents['DeliveryScheduled'] & { status: 'done'; outcome: Attempt })

/** The outcome of an attempt. */
export type Attempt = Pick<Outcome, 'status' | 'reason' | 'bodyHead'>

export const delivery = decider<DeliveryEvents, DeliveryCommands, State>({
  category: 'delivery',
  stateVersion: 2,
  initial: { status: 'none' },
  begins: ['schedule', 'skip'],
  decide: {
    schedule: (state, data) => (state.status === 'none' ? [{ type: 'DeliveryScheduled', data }] : []),
    skip: (state, data) => (state.status === 'none' ? [{ type: 'DeliverySkipped', data }] : []),
    record: (state, outcome) => {
      if (state.status === 'none' || state.status === 'skipped') return refuse('not-found', 'no such delivery')
      if (state.status === 'done') return []
      const data = { accountId: state.accountId, transactionId: state.transactionId, ...outcome }
      const accepted = isAccepted(outcome.status)
      return [{ type: accepted ? 'DeliveryAccepted' : 'DeliveryFailed', data }]
    },
  },
  evolve: {
    DeliveryScheduled: (_, data) => ({ ...data, status: 'scheduled' }),
    DeliverySkipped: () => ({ status: 'skipped' }),
    DeliveryAccepted: done,
    DeliveryFailed: done,
  },
})

function done(state: State, { status, reason, bodyHead }: Outcome): State {
  if (state.status === 'none' || state.status === 'skipped') return state
  return { ...state, status: 'done', outcome: { status, reason, bodyHead } }
}
