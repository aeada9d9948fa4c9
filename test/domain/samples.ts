import type { AuthorizationEvents } from '../../domain/gasless/authorization.ts'
import { type Authorization, authorizationId } from '../../domain/selling/authorization-terms.ts'
import type { ChallengeEvents } from '../../domain/selling/challenge-events.ts'
import type { ChallengeEntry, TransferData } from '../../domain/selling/challenge-terms.ts'
import type { CheckoutCommands } from '../../domain/selling/checkout.ts'
import type { PaymentRequestEvents } from '../../domain/selling/payment-request.ts'
import type { PayoutEvents } from '../../domain/selling/payout.ts'
import type { ResourceEvents } from '../../domain/selling/resource.ts'
import type { PaidCoin } from '../../domain/selling/transactions/coin-refund.ts'
import type { TransactionEvents } from '../../domain/selling/transactions/transaction-events.ts'

/** One sale in its parts: a resource of $100, paid in eth. */

export const ACCOUNT = 'acc_1'
export const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const RES_ID = 'res_1'
export const SET_ID = `ch_${'a'.repeat(26)}`
export const CHALLENGE_ID = `${SET_ID}.eth`
export const EXPIRES = '2026-03-02T11:00:00.000Z'

export const created: ResourceEvents['ResourceCreated'] = {
  accountId: ACCOUNT,
  amount: '100000000',
  currency: 'USD',
  acceptedAssets: ['eth'],
  webhookUrl: null,
  maxPerCaller: null,
  test: false,
  testConfirmations: 1,
  checkoutId: 'co_1',
}

export const entry: ChallengeEntry = {
  asset: 'eth',
  network: 'eth',
  chain: 'eip155:1',
  payTo: PAY_TO,
  amount: '40000020000000000',
  rate: '2500',
  heightAtIssue: 100,
  confirmations: 6,
  match: 'amount',
}

export const opened: ChallengeEvents['ChallengeOpened'] = {
  accountId: ACCOUNT,
  resId: RES_ID,
  amount: '100000000',
  currency: 'USD',
  usd: '100000000',
  entries: [entry],
  expiresAt: EXPIRES,
  webhookUrl: null,
  test: false,
}

export const transferData: TransferData = {
  network: 'eth',
  tx: `0x${'ab'.repeat(32)}`,
  index: 'native',
  asset: 'eth',
  from: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  to: PAY_TO,
  amount: entry.amount,
  height: 105,
  blockHash: `0x${'cd'.repeat(32)}`,
  minedAt: '2026-03-02T10:05:00.000Z',
}

export const recordedTransaction: TransactionEvents['TransactionCreated'] = {
  accountId: ACCOUNT,
  challengeId: CHALLENGE_ID,
  resId: RES_ID,
  externalReference: `${RES_ID}.${CHALLENGE_ID}`,
  type: 'resource',
  title: `Resource ${RES_ID}`,
  cryptocurrency: 'eth',
  amount: '0.04',
  amountFiat: '100',
  currency: 'USD',
  hash: transferData.tx,
  payer: transferData.from,
  webhookUrl: null,
  test: false,
  createdAt: '2026-03-02T10:06:00.000Z',
}

/** What was paid of it: a refund is measured by that. */
export const paidCoin: PaidCoin = {
  network: 'eth',
  asset: 'eth',
  decimals: 18,
  received: '40000000000000000',
  asked: '40000000000000000',
  amount: '100000000',
  currency: 'USD',
  usd: '100000000',
  test: false,
}

export const requestOpened: PaymentRequestEvents['PaymentRequestOpened'] = {
  accountId: ACCOUNT,
  transactionId: '4503599627370496',
  amount: '3000000',
  currency: 'USD',
  asset: null,
  assetAmount: null,
  title: 'Invoice 7',
  note: 'for the garden',
  redirect: '',
  externalReference: 'invoice-7',
  expiry: '1h',
  expiresAt: EXPIRES,
  webhookUrl: null,
  test: false,
}

export const payoutRequested: PayoutEvents['PayoutInfoRequested'] = {
  accountId: ACCOUNT,
  transactionId: '4503599627370498',
  asset: 'EUR',
  details: 'v1.details',
  requestedAt: '2026-03-02T10:00:00.000Z',
}

export const checkoutSaved: CheckoutCommands['create'] = {
  accountId: ACCOUNT,
  title: 'Assam, two pounds',
  slug: 'assam-two-pounds-18ce53un18g',
  price: '48500000',
  currency: 'USD',
  asset: null,
  description: 'Whole leaf.',
  storeId: 1,
  origin: 'co_1',
}

/** A dollar on Base, signed. */
export const signed: Authorization = {
  network: 'base',
  asset: 'usdc_base',
  contract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  from: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  to: PAY_TO,
  value: '1000000',
  validAfter: '0',
  validBefore: '1772446200',
  nonce: `0x${'5e'.repeat(32)}`,
  signature: `0x${'11'.repeat(64)}1b`,
}
export const AUTHORIZATION_ID = authorizationId(signed)

export const accepted: AuthorizationEvents['AuthorizationAccepted'] = {
  accountId: ACCOUNT,
  resId: RES_ID,
  challengeId: `${SET_ID}.usdc_base`,
  authorization: signed,
  byContract: false,
  confirmations: 1,
  amount: '1000000',
  currency: 'USD',
}
