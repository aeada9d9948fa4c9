import { assetOf } from '../../domain/kernel/assets.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { DEFAULT_STORE } from '../../domain/kernel/in-store.ts'
import { PLATFORM } from '../../domain/kernel/platform.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { postedAsset } from '../../domain/reading/journal.ts'
import { carriedOut } from '../../domain/selling/authorization-terms.ts'
import { type TransferData, transferId } from '../../domain/selling/challenge-terms.ts'
import type { EventData } from '../../domain/write-side/deciders.ts'
import { type Change, type Projection, patch, put, type Row, type Table, upsert } from '../engine/projection.ts'

/**
 * Every transfer that the ledger has booked, as its events say it, and which of them moved its money in whose books:
 * what the lists, the journal and the chains are held against.
 */

/** `place`: the ledger's own order of the event that booked it first; `moved_to` has taken its place in the journal. */
const transfers = {
  name: 'booked_transfers',
  columns: {
    transfer_id: 'text',
    kind: 'text',
    place: 'bigint',
    account_id: 'text',
    store_id: 'integer',
    network: 'text',
    hash: 'text',
    coin: 'text',
    asset: 'text',
    decimals: 'integer',
    payer: 'text',
    payee: 'text',
    amount: 'numeric',
    at: 'text',
    mined_at: 'text',
    test: 'boolean',
    gone: 'boolean',
    signed: 'boolean',
    matched: 'boolean',
    challenge_id: 'text',
    transaction_id: 'text',
    moved_from: 'text',
    moved_to: 'text',
  },
  key: ['transfer_id', 'kind'],
  indexes: ['account_id, place', 'place', 'challenge_id', 'transaction_id'],
} as const satisfies Table

/** The events that moved a transfer's money; `other_view` are the books that it left by that. */
const events = {
  name: 'transfer_events',
  columns: { position: 'bigint', transfer_id: 'text', kind: 'text', view: 'text', other_view: 'text' },
  key: ['position'],
  indexes: ['transfer_id, kind'],
} as const satisfies Table

type Kind = 'payment' | 'refund'
type MovingEvent = Pick<RecordedEvent, 'position' | 'at'>
type Owned = { readonly accountId: string; readonly holder?: string | undefined; readonly transfer: TransferData }

const viewOf = (accountId: string): string => (accountId === PLATFORM ? PLATFORM : `seller:${accountId}`)

const moving = ({ position }: MovingEvent, kind: Kind, { accountId, holder, transfer }: Owned): Change =>
  put(events, {
    position: String(position),
    transfer_id: transferId(transfer),
    kind,
    view: viewOf(accountId),
    other_view: holder === undefined ? null : viewOf(holder),
  })

/** The row of a transfer that is booked, whether for the first time or anew; `stays` keeps one that is there. */
const booked = (event: MovingEvent, kind: Kind, { transfer }: Owned, facts: Row, stays = false): Change => {
  const { network, tx: hash, asset: coin, from: payer, to: payee, amount, minedAt: mined_at } = transfer
  const row = {
    transfer_id: transferId(transfer),
    kind,
    store_id: DEFAULT_STORE,
    network,
    hash,
    coin,
    payer,
    payee,
    amount,
    mined_at,
    asset: postedAsset(transfer),
    test: false,
    gone: false,
    signed: carriedOut(transfer) !== undefined,
    matched: false,
    challenge_id: null,
    transaction_id: null,
    moved_to: null,
    ...facts,
  }
  const first = { place: String(event.position), at: event.at, moved_from: null }
  return upsert(transfers, { ...first, ...row }, (before) => (stays && before.gone === false ? {} : row))
}

type SaleData = EventData<'ChallengeSettled'> | EventData<'ChallengeUnderpaid'> | EventData<'SettlementMoved'>

const ofSale = (data: SaleData): Row => ({
  account_id: data.accountId,
  store_id: data.storeId ?? DEFAULT_STORE,
  decimals: decimalsOf(data),
  test: data.test,
  matched: data.matched ?? false,
  challenge_id: data.challengeId,
  transaction_id: data.paymentRequest?.transactionId ?? null,
})

const decimalsOf = ({ decimals, asset }: { readonly decimals?: number; readonly asset: string }): number =>
  decimals ?? assetOf(asset)?.decimals ?? 0

const gone = (transfer: TransferData, kind: Kind, more: Row = {}): Change =>
  patch(transfers, [transferId(transfer), kind], () => ({ gone: true, ...more }))

const PAYMENT = 'payment'
const REFUND = 'refund'

export const bookedTransfersProjection: Projection = {
  name: 'booked_transfers',
  version: 2,
  tables: [transfers, events],
  on: {
    ChallengeSettled: (event) => [
      booked(event, PAYMENT, event.data, ofSale(event.data)),
      moving(event, PAYMENT, event.data),
    ],
    ChallengeUnderpaid: (event) => [
      booked(event, PAYMENT, event.data, ofSale(event.data)),
      moving(event, PAYMENT, event.data),
    ],
    // The journal has the money under the transaction that carried the signature out before.
    SettlementMoved: (event) => {
      const { from, transfer } = event.data
      return [
        gone(from, PAYMENT, { moved_to: transferId(transfer) }),
        booked(event, PAYMENT, event.data, { ...ofSale(event.data), moved_from: transferId(from) }),
      ]
    },
    TransferSetAside: (event) => {
      const { data } = event
      const facts = {
        account_id: data.accountId,
        store_id: data.storeId ?? DEFAULT_STORE,
        decimals: decimalsOf(data),
        matched: data.matched ?? false,
        challenge_id: data.challengeId,
        transaction_id: data.transactionId ?? null,
      }
      // As in the settlement log, money that turns out to be nobody's leaves what is known of it as it was.
      return [booked(event, PAYMENT, data, facts, data.challengeId === null), moving(event, PAYMENT, data)]
    },
    PaymentReversed: (event) => [gone(event.data.transfer, PAYMENT), moving(event, PAYMENT, event.data)],
    TransferReversed: (event) =>
      event.data.aside ? [gone(event.data.transfer, PAYMENT), moving(event, PAYMENT, event.data)] : [],
    RefundSent: (event) => {
      const { accountId: account_id, decimals } = event.data
      const facts = { account_id, decimals, transaction_id: idOf(event.stream) }
      return [booked(event, REFUND, event.data, facts), moving(event, REFUND, event.data)]
    },
    RefundUnsent: (event) => [gone(event.data.transfer, REFUND), moving(event, REFUND, event.data)],
    // Money that settled nothing and was sent back is of no transaction.
    TransferReturnSent: (event) => {
      const { accountId, back: transfer } = event.data
      const facts = { account_id: accountId, decimals: assetOf(transfer.asset)?.decimals ?? 0 }
      return [booked(event, REFUND, { accountId, transfer }, facts), moving(event, REFUND, { accountId, transfer })]
    },
    TransferReturnUnsent: (event) => {
      const { accountId, back: transfer } = event.data
      return [gone(transfer, REFUND), moving(event, REFUND, { accountId, transfer })]
    },
  },
}
