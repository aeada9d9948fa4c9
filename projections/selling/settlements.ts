import { billedForGas } from '../../domain/gasless/authorization.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { platformFee } from '../../domain/kernel/fees.ts'
import { DEFAULT_STORE } from '../../domain/kernel/in-store.ts'
import { FIAT_DECIMALS } from '../../domain/kernel/money.ts'
import { PLATFORM } from '../../domain/kernel/platform.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import type { EventData } from '../../domain/write-side/deciders.ts'
import { type Projection, patch, put, type Row, type Table, upsert } from '../engine/projection.ts'
import { handledTransfers, noLongerHandled, onHandling } from './handled-transfers.ts'

/** The settlement log: every payment that came to a seller and what it was taken for, one row a transfer. */

const settlements = {
  name: 'settlements',
  columns: {
    transfer_id: 'text',
    account_id: 'text',
    store_id: 'integer',
    challenge_id: 'text',
    res_id: 'text',
    transaction_id: 'text',
    status: 'text',
    amount: 'numeric',
    currency: 'text',
    asset: 'text',
    asked: 'numeric',
    paid: 'numeric',
    received: 'numeric',
    decimals: 'integer',
    hash: 'text',
    payer: 'text',
    fee: 'numeric',
    test: 'boolean',
    at: 'text',
    candidates: 'json',
    reversed_at: 'text',
    voices: 'integer',
    matched: 'boolean',
  },
  key: ['transfer_id'],
  indexes: ['account_id, at desc, transfer_id', 'challenge_id', 'account_id, status, at desc'],
} as const satisfies Table

/**
 * What carrying out a signed payment cost, and what was billed for it. Both are known before the payment counts; they
 * stay when it moves to another block, and are zero once it is reversed.
 */
const gasFees = {
  name: 'gas_fees',
  columns: { challenge_id: 'text', fee: 'numeric', spent: 'numeric' },
  key: ['challenge_id'],
  indexes: [],
} as const satisfies Table

export const settlementsProjection: Projection = {
  name: 'settlements',
  version: 13,
  tables: [settlements, gasFees, handledTransfers],
  on: {
    ...onHandling((id, status) => patch(settlements, [id], () => ({ status }))),
    AuthorizationGasSpent: ({ data }) =>
      data.accountId === PLATFORM
        ? []
        : put(gasFees, { challenge_id: data.challengeId, fee: billedForGas(data), spent: data.gasUsd }),
    AuthorizationReversed: ({ data: { challengeId } }) =>
      put(gasFees, { challenge_id: challengeId, fee: '0', spent: '0' }),
    ChallengeSettled: ({ data }) => [
      put(settlements, settled(data)),
      ...(data.parts ?? []).map((part) => patch(settlements, [part], () => ({ status: 'part' }))),
    ],
    // The transaction that carried it out before is gone, and cost nothing.
    SettlementMoved: ({ at, data }) => [
      patch(settlements, [transferId(data.from)], () => ({ status: 'reversed', fee: '0', reversed_at: at })),
      put(settlements, settled(data)),
    ],
    ChallengeUnderpaid: ({ at, data }) =>
      put(settlements, { ...sold(data), status: 'underpaid', asked: data.asked, fee: '0', at }),
    LatePaymentSimulated: ({ at, data }) =>
      put(settlements, {
        ...came(data),
        ...UNSOLD,
        ...namesOf(data),
        status: 'late',
        asked: data.asked,
        test: true,
        at,
      }),
    // The payments that are left are parts of the price again, and nothing is sold.
    PaymentReversed: ({ data: { transfer, unsettled, reversedAt } }) => [
      patch(settlements, [transferId(transfer)], () => ({ status: 'reversed', fee: '0', reversed_at: reversedAt })),
      ...(unsettled?.parts ?? []).map((part) => patch(settlements, [part], () => ({ status: 'underpaid', fee: '0' }))),
    ],
    TransferReversed: ({ at, data: { accountId, transfer, aside } }) =>
      aside
        ? [
            patch(settlements, [transferId(transfer)], () => ({ status: 'reversed', reversed_at: at })),
            noLongerHandled(transferId(transfer), accountId),
          ]
        : [],
    CardPaymentSettled: ({ stream, data }) =>
      put(settlements, {
        ...byCard(idOf(stream), data),
        status: 'settled',
        fee: data.test ? '0' : String(platformFee(BigInt(data.usd))),
        at: data.settledAt,
      }),
    CardPaymentSetAside: ({ stream, at, data }) =>
      put(settlements, { ...byCard(idOf(stream), data), status: data.reason, fee: '0', at }),
    TransferSetAside: ({ at, data }) => {
      const row = {
        ...came(data),
        challenge_id: data.challengeId,
        res_id: data.resId ?? null,
        transaction_id: data.transactionId ?? null,
        status: data.returned ? 'returned' : data.reason,
        amount: data.amount ?? null,
        currency: data.currency ?? null,
        asked: data.asked ?? null,
        fee: '0',
        test: false,
        at,
        candidates: data.candidates ?? null,
        reversed_at: null,
        voices: null,
        matched: data.matched ?? false,
      }
      // The watch may find no owner for an amount that underpaid a challenge whose buyer had posted its hash: its row
      // stays as it was.
      return data.challengeId === null
        ? upsert(settlements, row, ({ status }) => (status === 'reversed' ? row : {}))
        : put(settlements, row)
    },
  },
}

/** A payment by card stands where a challenge and its transfer would; what came is the price itself. */
const byCard = (id: string, data: EventData<'CardPaymentSettled'> | EventData<'CardPaymentSetAside'>): Row => ({
  transfer_id: id,
  account_id: data.accountId,
  store_id: data.storeId ?? DEFAULT_STORE,
  challenge_id: id,
  res_id: data.resId,
  transaction_id: data.paymentRequest?.transactionId ?? null,
  amount: data.amount,
  currency: data.currency,
  asset: data.currency,
  asked: data.amount,
  paid: data.amount,
  received: data.amount,
  decimals: FIAT_DECIMALS,
  hash: data.paymentId,
  payer: '',
  test: data.test,
  candidates: null,
  reversed_at: null,
  voices: null,
  matched: false,
})

type AsideData = Pick<EventData<'TransferSetAside'>, 'accountId' | 'storeId' | 'asset' | 'transfer' | 'decimals'>

const came = ({ accountId, storeId = DEFAULT_STORE, asset, transfer, decimals }: AsideData): Row => ({
  transfer_id: transferId(transfer),
  account_id: accountId,
  store_id: storeId,
  asset,
  paid: transfer.amount,
  received: transfer.amount,
  // For a token that nobody was asked for, only the smallest unit is known.
  decimals: decimals ?? assetOf(asset)?.decimals ?? 0,
  hash: transfer.tx,
  payer: transfer.from,
})

/** What a payment has that sold nothing. */
const UNSOLD = { fee: '0', candidates: null, reversed_at: null, voices: null, matched: false } as const

const namesOf = ({ challengeId, resId, paymentRequest, amount, currency }: EventData<'LatePaymentSimulated'>): Row => ({
  challenge_id: challengeId,
  res_id: resId,
  transaction_id: paymentRequest?.transactionId ?? null,
  amount,
  currency,
})

type SettlementData = EventData<'ChallengeSettled'> | EventData<'SettlementMoved'>

const settled = (data: SettlementData): Row => ({
  ...sold(data),
  status: 'settled',
  asked: data.asked ?? data.transfer.amount,
  fee: data.test || data.accountId === PLATFORM ? '0' : String(platformFee(BigInt(data.usd))),
  at: data.settledAt,
})

const sold = (data: SettlementData | EventData<'ChallengeUnderpaid'>): Row => ({
  ...came(data),
  received: ('paid' in data ? data.paid : undefined) ?? data.transfer.amount,
  challenge_id: data.challengeId,
  res_id: data.resId,
  transaction_id: data.paymentRequest?.transactionId ?? null,
  amount: data.amount,
  currency: data.currency,
  test: data.test,
  candidates: null,
  reversed_at: null,
  voices: data.voices ?? null,
  matched: data.matched ?? false,
})
