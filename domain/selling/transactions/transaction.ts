import { decider, whenExists } from '../../kernel/decider.ts'
import { DEFAULT_STORE } from '../../kernel/in-store.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Reversal } from '../challenge-events.ts'
import { transferId } from '../challenge-terms.ts'
import { isCardPaymentId } from './card-payment-id.ts'
import {
  type CoinRefund,
  withoutSought,
  withRecorded,
  withSent,
  withSought,
  withUnsent,
  withVoided,
} from './coin-refund.ts'
import { completion, paidOpening } from './completion.ts'
import { REFUNDED_BEFORE, recordCoinRefund, sendCoinRefund, unsendCoinRefund, voidRefund } from './record-refund.ts'
import type { TransactionCommands } from './transaction-commands.ts'
import { afterPayment, type Edits, type WritableKey } from './transaction-edits.ts'
import { type DisputeStatus, originOf, type Rejection, type TransactionEvents } from './transaction-events.ts'
import { transactionRecord } from './transaction-record.ts'

/**
 * What a merchant sees of a payment: pending, completed or rejected, and the record that goes out on the webhook
 * (M-REC-01).
 */

/** The most keys of a refused edit that are noted, and characters of each. */
const REFUSED_KEYS_MAX = 20
const REFUSED_KEY_MAX_CHARS = 64

export type Transaction = TransactionEvents['TransactionCreated'] & {
  status: 'P' | 'C' | 'X'
  confirmedAt: string | undefined
  rejected: Rejection | undefined
  /** Set while it waits to be paid again, because its payment was taken back. */
  reversed: { readonly reason: Reversal; readonly at: string } | undefined
  /** The place in the ledger's order up to which its settlements were taken back. */
  reversedThrough: bigint
  refundedAt: string | undefined
  /** The sum of refunds, as a decimal. */
  refundedPart: string | undefined
  /** Whether what was refunded last was sent, where nobody but the one who recorded it can say so. */
  refundSent: boolean | undefined
  /** What is known of refunds in a coin. */
  coinRefund: CoinRefund | undefined
  received: string | undefined
  dispute: { readonly id: string; readonly status: DisputeStatus } | undefined
  edits: Edits
  /** When it was last edited; undefined where only events of former releases tell of it. */
  editedAt: string | undefined
  deletedAt: string | undefined
  /** Set once its seller has put the goods back. */
  restockedAt?: string
}
type State = { status: 'none' } | Transaction

/** The store that it belongs to. */
export const storeOf = ({ edits, storeId = DEFAULT_STORE }: Pick<Transaction, 'edits' | 'storeId'>): number =>
  edits.store_id === undefined ? storeId : Number(edits.store_id)

/** Whether its record is called a test; the money that came for it stays what it is. */
export const isTestRecord = ({ edits, test }: Pick<Transaction, 'edits' | 'test'>): boolean =>
  edits.is_test === undefined ? test : edits.is_test === '1'

/** The merchant's own URL for it, as it was asked for or written by hand; none when null. */
export const ownWebhookOf = ({ edits, webhookUrl }: Pick<Transaction, 'edits' | 'webhookUrl'>): string | null =>
  (edits.webhook ?? webhookUrl) || null

export const transaction = decider<TransactionEvents, TransactionCommands, State>({
  category: 'transaction',
  stateVersion: 8,
  initial: { status: 'none' },
  begins: ['create', 'createCompleted'],
  decide: {
    create: (state, data) => {
      if (state.status === 'none') return [{ type: 'TransactionCreated', data }]
      if (originOf(state) !== originOf(data)) return refuse('id-taken')
      // Two calls at once with one idempotency key, but on different terms, must not leave a request of the one and a
      // transaction of the other.
      return state.request === undefined || state.request === data.request
        ? []
        : refuse('idempotency-conflict', 'this was asked for on other terms before')
    },
    see: (state, data) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.status !== 'P' || state.hash === data.hash) return []
      return [{ type: 'TransactionPaymentSeen', data: { accountId: state.accountId, ...data } }]
    },
    complete: (state, payment) =>
      state.status === 'none' ? refuse('transaction-not-found') : completion(state, payment),
    createCompleted: (state, both) => {
      if (state.status === 'none') return paidOpening(both)
      return originOf(state) === originOf(both.opening) ? completion(state, both.payment) : refuse('id-taken')
    },
    move: (state, { from, ...paid }) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.status !== 'C' || state.hash !== from) return []
      return [{ type: 'TransactionPaymentSeen', data: { accountId: state.accountId, ...paid } }]
    },
    reverse: (state, { position, coin, ...data }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.status !== 'C' || BigInt(position) <= state.reversedThrough) return []
      const { accountId, hash, expiresAt, test } = state
      const until = expiresAt !== undefined && { expiresAt }
      const reversed = { accountId, ...data, hash, position, ...until, test }
      return [{ type: 'TransactionReversed', data: reversed }, ...voidRefund({ ...state, isSold: false }, coin, now)]
    },
    reject: (state, { reason }) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.status !== 'P') return []
      const { accountId, test } = state
      return [{ type: 'TransactionRejected', data: { accountId, reason, test } }]
    },
    // A payment that was settled elsewhere is completed by hand, and its refund is recorded in the same way.
    refund: (state, { by, coin, amount, hash }, now) => {
      if (isGone(state)) return refuse('transaction-not-found')
      mustBeRefundable(state)
      if (coin) return recordCoinRefund(state, coin, { amount, hash, by }, now)
      if (state.refundedAt !== undefined) return refuse('state-forbids', REFUNDED_BEFORE)
      const byCard = isCardPaymentId(state.challengeId)
      const sum = byCard && { refunded: state.amountFiat }
      const data = { accountId: state.accountId, refundedAt: now, by, sent: byCard, ...sum }
      return [{ type: 'RefundRecorded', data }]
    },
    // What the chain shows is true whatever became of the transaction meanwhile.
    send: (state, { coin, ...sent }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      return sendCoinRefund(state, coin, sent, now)
    },
    unsend: (state, { coin, ...lost }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      return unsendCoinRefund({ ...state, isSold: state.status === 'C' }, coin, lost, now)
    },
    capRefund: (state, { coin }, now) =>
      state.status === 'C' ? voidRefund({ ...state, isSold: true }, coin, now) : [],
    refuseHash: (state, { hash, reason }) =>
      state.status !== 'none' && state.coinRefund?.sought === hash
        ? [{ type: 'RefundHashRefused', data: { accountId: state.accountId, hash, reason } }]
        : [],
    refundPart: (state, { refunded, by }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.refundedAt !== undefined || state.refundedPart === refunded) return []
      const data = { accountId: state.accountId, refunded, refundedAt: now, by, sent: true }
      return [{ type: 'PartRefundRecorded', data }]
    },
    unrefund: (state, { refunded }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.refundedAt === undefined && (state.refundedPart ?? null) === refunded) return []
      return [{ type: 'RefundFailed', data: { accountId: state.accountId, refunded, failedAt: now } }]
    },
    restock: (state, { by }, now) => {
      if (isGone(state)) return refuse('transaction-not-found')
      if (state.restockedAt !== undefined) return []
      mustBeRefundable(state)
      const { accountId, resId, requestId } = state
      const sale = { accountId, resId, ...(requestId !== undefined && { requestId }) }
      return [{ type: 'TransactionRestocked', data: { ...sale, by, restockedAt: now } }]
    },
    dispute: (state, { disputeId, status }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      const { dispute: known } = state
      if (known?.id === disputeId && (known.status === status || status === 'open')) return []
      return [{ type: 'DisputeRecorded', data: { accountId: state.accountId, disputeId, status, at: now } }]
    },
    edit: (state, { changes, by }, now) => {
      if (isGone(state)) return refuse('transaction-not-found')
      const differs = ([key, value]: [string, string]) => value !== shown(state, key as WritableKey)
      const left = Object.fromEntries(Object.entries(changes).filter(differs))
      if (Object.keys(left).length === 0) return []
      return [{ type: 'TransactionEdited', data: { accountId: state.accountId, changes: left, by, editedAt: now } }]
    },
    refuseEdit: (state, { keys, by }) => {
      if (isGone(state)) return refuse('transaction-not-found')
      const noted = keys.slice(0, REFUSED_KEYS_MAX).map((key) => key.slice(0, REFUSED_KEY_MAX_CHARS).toWellFormed())
      return [{ type: 'TransactionEditRefused', data: { accountId: state.accountId, keys: noted, by } }]
    },
    delete: (state, { by }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.deletedAt !== undefined) return []
      return [{ type: 'TransactionDeleted', data: { accountId: state.accountId, by, deletedAt: now } }]
    },
  },
  evolve: {
    TransactionCreated: (_, data) => ({
      ...data,
      status: 'P',
      confirmedAt: undefined,
      rejected: undefined,
      reversed: undefined,
      reversedThrough: -1n,
      refundedAt: undefined,
      refundedPart: undefined,
      refundSent: undefined,
      coinRefund: undefined,
      received: undefined,
      dispute: undefined,
      edits: {},
      editedAt: undefined,
      deletedAt: undefined,
    }),
    TransactionPaymentSeen: whenExists((state, paid) => ({ ...state, ...paid })),
    // Money that came is shown, whatever was written or deleted before.
    TransactionCompleted: whenExists((state, { test: _, ...paid }) => ({
      ...state,
      ...paid,
      status: 'C',
      rejected: undefined,
      reversed: undefined,
      edits: afterPayment(state.edits),
      deletedAt: undefined,
    })),
    TransactionReversed: (state, { reason, reversedAt, position }) => {
      if (state.status === 'none') return state
      const reversed = { reason, at: reversedAt }
      const unpaid = { confirmedAt: undefined, received: undefined }
      return { ...state, status: 'P', ...unpaid, reversed, reversedThrough: BigInt(position) }
    },
    TransactionRejected: whenExists((state, { reason }) => ({ ...state, status: 'X', rejected: reason })),
    RefundRecorded: whenExists((state, { refundedAt, refunded, sent, coin }) => ({
      ...state,
      refundedAt,
      // Of a refund that says no sum, the sum of partial ones means nothing any more.
      refundedPart: refunded,
      refundSent: sent,
      coinRefund: withRecorded(state.coinRefund, coin),
    })),
    PartRefundRecorded: whenExists((state, { refunded, sent, coin }) => ({
      ...state,
      refundedPart: refunded,
      refundSent: sent,
      coinRefund: withRecorded(state.coinRefund, coin),
    })),
    RefundHashSubmitted: whenExists((state, { hash }) => ({
      ...state,
      coinRefund: withSought(state.coinRefund, hash),
    })),
    RefundHashRefused: whenExists((state, { hash }) => ({
      ...state,
      coinRefund: withoutSought(state.coinRefund, hash),
    })),
    RefundSent: whenExists((state, { transfer, hash, sent }) => ({
      ...state,
      coinRefund: withSent(state.coinRefund, { id: transferId(transfer), tx: transfer.tx, hash, sent }),
    })),
    RefundUnsent: whenExists((state, { transfer, hash, times, sent }) => ({
      ...state,
      coinRefund: withUnsent(state.coinRefund, { id: transferId(transfer), tx: transfer.tx, hash, times, sent }),
    })),
    RefundVoided: whenExists((state, { refunded, whole, coin }) => ({
      ...state,
      refundedAt: whole ? state.refundedAt : undefined,
      refundedPart: refunded ?? undefined,
      refundSent: refunded === null ? undefined : state.refundSent,
      coinRefund: withVoided(state.coinRefund, coin),
    })),
    RefundFailed: whenExists((state, { refunded }) => ({
      ...state,
      refundedAt: undefined,
      refundSent: refunded === null ? undefined : state.refundSent,
      refundedPart: refunded ?? undefined,
    })),
    TransactionRestocked: whenExists((state, { restockedAt }) => ({ ...state, restockedAt })),
    DisputeRecorded: whenExists((state, { disputeId: id, status }) => ({ ...state, dispute: { id, status } })),
    TransactionEdited: whenExists((state, { changes, editedAt }) => ({
      ...state,
      edits: { ...state.edits, ...changes },
      editedAt: editedAt ?? state.editedAt,
    })),
    TransactionEditRefused: (state) => state,
    TransactionDeleted: whenExists((state, { deletedAt }) => ({ ...state, deletedAt })),
  },
})

/** Refuses `state-forbids` for what has no money that could be given back. */
function mustBeRefundable(state: Transaction): void {
  if (state.payoutId !== undefined) refuse('state-forbids', 'a payout is not refunded')
  if (state.status !== 'C' && state.edits.status !== 'C')
    refuse('state-forbids', 'only a completed payment can be refunded')
}

/** Whether the merchant has no such transaction: it was never made, or it is deleted. */
export function isGone(state: State): state is Exclude<State, Transaction> | (Transaction & { deletedAt: string }) {
  return state.status === 'none' || state.deletedAt !== undefined
}

/**
 * The value that a key shows now; undefined where that cannot be known here: for sealed values, and for a webhook URL
 * that was not written by hand.
 */
function shown(state: Transaction, key: WritableKey): string | undefined {
  if (key === 'description' && state.sealedDescription && state.edits.description === undefined) return undefined
  const found = state.edits[key] ?? transactionRecord('', state)[key]
  return found ?? (key === 'webhook' && state.webhookUrl ? undefined : '')
}
