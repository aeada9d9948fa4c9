import { billedForGas } from '../../domain/gasless/authorization.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { platformFee } from '../../domain/kernel/fees.ts'
import { FIAT_DECIMALS } from '../../domain/kernel/money.ts'
import { PLATFORM } from '../../domain/kernel/platform.ts'
import type { EventData } from '../../domain/write-side/deciders.ts'
import { type Change, type Projection, type Row, type Table, upsert } from '../engine/projection.ts'

/**
 * What came for each challenge, and what was billed for it, beside the transactions: one row a challenge, or a payment
 * by card.
 */

export const takings = {
  name: 'takings',
  columns: {
    challenge_id: 'text',
    received: 'numeric',
    decimals: 'integer',
    settled_amount: 'numeric',
    settled_at: 'text',
    fee: 'numeric',
    fee_gas: 'numeric',
  },
  key: ['challenge_id'],
} as const satisfies Table

/** How each event changes them. */
export const onTakings: Projection['on'] = {
  ChallengeSettled: ({ data }) => settled(data),
  SettlementMoved: ({ data }) => settled(data),
  ChallengeUnderpaid: ({ data }) => taken(data.challengeId, () => cameBy(data)),
  // What is left of it are parts of a price that is not paid; all that had come is without this payment.
  PaymentReversed: ({ data }) =>
    taken(data.challengeId, () => {
      const { transfer, paid = transfer.amount, unsettled } = data
      const received = String(BigInt(paid) - BigInt(transfer.amount))
      return unsettled ? { ...UNSETTLED, received } : { received }
    }),
  AuthorizationGasSpent: ({ data }) =>
    data.accountId === PLATFORM ? [] : taken(data.challengeId, () => ({ fee_gas: billedForGas(data) })),
  AuthorizationReversed: ({ data }) => taken(data.challengeId, () => ({ fee_gas: '0' })),
  CardPaymentSettled: ({ stream, data }) =>
    taken(idOf(stream), () => ({
      received: data.amount,
      decimals: FIAT_DECIMALS,
      settled_amount: data.amount,
      settled_at: data.settledAt,
      fee: data.test ? '0' : String(platformFee(BigInt(data.usd))),
    })),
}

const UNSETTLED = { settled_amount: null, settled_at: null, fee: null }
const fresh = { received: null, decimals: 0, ...UNSETTLED, fee_gas: null }

const taken = (challengeId: string, change: () => Row): Change =>
  upsert(takings, { challenge_id: challengeId, ...fresh }, change)

type SettlementData = EventData<'ChallengeSettled'> | EventData<'SettlementMoved'>

const settled = (data: SettlementData): Change =>
  taken(data.challengeId, () => ({
    ...cameBy(data),
    settled_amount: data.amount,
    settled_at: data.settledAt,
    fee: data.test || data.accountId === PLATFORM ? '0' : String(platformFee(BigInt(data.usd))),
  }))

const cameBy = (data: SettlementData | EventData<'ChallengeUnderpaid'>): Row => ({
  received: ('paid' in data ? data.paid : undefined) ?? data.transfer.amount,
  decimals: data.decimals ?? assetOf(data.asset)?.decimals ?? 0,
})

/** SQL of what came, as a decimal of its coin; empty while nothing has. */
export const receivedSql = `coalesce(trim_scale(received * ('1e-' || decimals)::numeric)::text, '')`

/** SQL of millionths as a decimal; empty where there are none. */
export const fiatSql = (column: string): string => `coalesce(trim_scale(${column} * 1e-6)::text, '')`
