import type { Life } from '../../../../../domain/reading/life.ts'
import type { TransactionRecord } from '../../../../../domain/selling/transactions/transaction-record.ts'
import type { SettlementRow } from '../../../../../projections/selling/settlement-queries.ts'
import type {
  DeliveryRow,
  TransactionRow,
} from '../../../../../projections/selling/transactions/transaction-queries.ts'
import type { SentFields } from '../../../core/sent-webhooks.ts'
import type { PageMember } from '../frame.ts'

/** What the page of one payment shows, and what may be done with it there. */

export type PaymentAct = 'resend' | 'refund' | 'edit' | 'match' | 'match-transfer'

/** What a member may write on a payment here, by the names of the record. The description is for notes. */
export const EDITABLE = ['title', 'description', 'status', 'amount_fiat', 'customer_id', 'to_name'] as const

/** How far a payment is that is pending; undefined confirmations where its chain does not answer. */
export type PendingProgress =
  | { readonly state: 'seen'; readonly confirmations: number | undefined; readonly required: number }
  | { readonly state: 'open' | 'expired' | 'elsewhere' | 'settled' | 'underpaid' }

/** Money that came and settles nothing; `isLikely`: it may have been meant for this payment. */
export type Candidate = SettlementRow & { readonly isLikely: boolean }

/** What is due of a payment that is not complete, in the smallest unit of its coin. */
export type StillDue = {
  /** The code of that coin. */
  readonly asset: string
  readonly paid: bigint
  readonly missing: bigint
  readonly decimals: number
  readonly candidates: readonly Candidate[]
}

export type PaymentPage = {
  readonly member: PageMember
  readonly record: TransactionRecord
  readonly row: TransactionRow
  readonly deliveries: readonly DeliveryRow[]
  /** What was sent to the newest of them, by event id. */
  readonly sent: ReadonlyMap<string, SentFields>
  readonly settlement: SettlementRow | undefined
  /** How far it is, while it is pending. */
  readonly progress: PendingProgress | undefined
  /** What is due, while it is not complete. */
  readonly due: StillDue | undefined
  /** US dollars for one coin when it was asked for, and who said so, where that is known. */
  readonly rate: string | undefined
  readonly rateSource: string | undefined
  readonly network: string | undefined
  /** Undefined for a member who may not look at events. */
  readonly life: Life | undefined
  readonly done?: PaymentAct | undefined
  /** The act whose form the member was led to. */
  readonly open?: PaymentAct | undefined
  readonly failed?: { readonly act: PaymentAct; readonly error: string }
  readonly typed?: Readonly<Record<string, string | undefined>>
}
