/** A month of a seller, a user, an app and the platform, and what an accountant expects of it, written by hand. */
import type { RecordedEvent } from '../../domain/kernel/ports.ts'

const SELLER = 'acc_1'
const USDC = 'usdc_base'

type Told = readonly [type: string, stream: string, data: object]

const transfer = (tx: string, amount: string, asset = USDC, network = 'base') => ({
  network,
  tx,
  index: '0',
  asset,
  from: '0xbuyer',
  to: '0xseller',
  amount,
  height: 7,
  blockHash: '0xb',
  minedAt: '2026-03-05T10:00:00.000Z',
})
const sale = (challengeId: string, dollars: string) => ({
  accountId: SELLER,
  resId: null,
  challengeId,
  asset: USDC,
  decimals: 6,
  asked: dollars,
  amount: dollars,
  currency: 'USD',
  usd: dollars,
  test: false,
})
const coin = { network: 'base', asset: USDC, decimals: 6, test: false }
const card = { accountId: SELLER, resId: null, currency: 'EUR', charged: '5000', paymentId: 'pay_1', test: false }

/** Each move of money that the product knows, once or more; amounts in millionths. */
export const MONTH: readonly Told[] = [
  ['CreditGranted', `creditAccount-${SELLER}`, { amount: '5000000', reason: 'email-verified' }],
  // The seller buys 20 dollars of credit with 20 coins, and the buyer of it pays one coin too much.
  [
    'ChallengeSettled',
    'challenge-ch_p',
    { ...sale('ch_p.usdc_base', '20000000'), accountId: 'platform', transfer: transfer('0x1', '21000000') },
  ],
  ['CreditGranted', `creditAccount-${SELLER}`, { amount: '20000000', reason: 'top-up' }],
  // 119 dollars with 19 of VAT, and the fee.
  [
    'ChallengeSettled',
    'challenge-ch_1',
    { ...sale('ch_1.usdc_base', '119000000'), vat: '19000000', transfer: transfer('0x2', '119000000') },
  ],
  ['CreditDebited', `creditAccount-${SELLER}`, { amount: '238000', owed: '0', reason: 'platform-fee', ref: 'ch_1' }],
  // 10 dollars in two parts: 4 wait in suspense until 6 more come.
  [
    'ChallengeUnderpaid',
    'challenge-ch_2',
    { ...sale('ch_2.usdc_base', '10000000'), least: '10000000', transfer: transfer('0x3', '4000000') },
  ],
  [
    'ChallengeSettled',
    'challenge-ch_2',
    { ...sale('ch_2.usdc_base', '10000000'), paid: '10000000', transfer: transfer('0x4', '6000000') },
  ],
  // 5 dollars, 7 paid.
  [
    'ChallengeSettled',
    'challenge-ch_3',
    { ...sale('ch_3.usdc_base', '5000000'), transfer: transfer('0x5', '7000000') },
  ],
  // Nobody asked for 3; 8 came late and were matched; 2 were nobody's and their block was lost.
  [
    'TransferSetAside',
    'transfer-6',
    { accountId: SELLER, challengeId: null, reason: 'unmatched', transfer: transfer('0x6', '3000000') },
  ],
  [
    'TransferSetAside',
    'transfer-7',
    { accountId: SELLER, challengeId: 'ch_4.usdc_base', reason: 'late', transfer: transfer('0x7', '8000000') },
  ],
  [
    'ChallengeSettled',
    'challenge-ch_4',
    { ...sale('ch_4.usdc_base', '8000000'), matched: true, inBooks: true, transfer: transfer('0x7', '8000000') },
  ],
  [
    'TransferSetAside',
    'transfer-8',
    { accountId: SELLER, challengeId: null, reason: 'unmatched', transfer: transfer('0x8', '2000000') },
  ],
  [
    'TransferReversed',
    'transfer-8',
    { accountId: SELLER, challengeId: null, aside: true, transfer: transfer('0x8', '2000000') },
  ],
  // 4 came to an address that the platform had kept for two sellers, and are the seller's.
  [
    'TransferSetAside',
    'transfer-9',
    { accountId: 'platform', challengeId: null, reason: 'unmatched', transfer: transfer('0x10', '4000000') },
  ],
  [
    'ChallengeSettled',
    'challenge-ch_6',
    { ...sale('ch_6.usdc_base', '4000000'), matched: true, holder: 'platform', transfer: transfer('0x10', '4000000') },
  ],
  // A sale of 30 whose block was lost.
  [
    'ChallengeSettled',
    'challenge-ch_5',
    { ...sale('ch_5.usdc_base', '30000000'), transfer: transfer('0x9', '30000000') },
  ],
  [
    'PaymentReversed',
    'challenge-ch_5',
    { ...sale('ch_5.usdc_base', '30000000'), unsettled: {}, transfer: transfer('0x9', '30000000') },
  ],
  // 10 dollars are given back: recorded, and then seen on the chain.
  [
    'RefundRecorded',
    'transaction-2',
    { accountId: SELLER, coin: { network: 'base', asset: USDC, decimals: 6, amount: '10000000', test: false } },
  ],
  ['RefundSent', 'transaction-2', { accountId: SELLER, transfer: transfer('0xa', '10000000') }],
  // Its block is lost, and it is found again in another.
  ['RefundUnsent', 'transaction-2', { accountId: SELLER, transfer: transfer('0xa', '10000000') }],
  ['RefundSent', 'transaction-2', { accountId: SELLER, transfer: transfer('0xa', '10000000') }],
  // Of 59.5 with 9.5 of VAT, half is owed no longer.
  ['PartRefundRecorded', 'transaction-1', { accountId: SELLER, coin: { ...coin, amount: '59500000', vat: '9500000' } }],
  ['RefundVoided', 'transaction-1', { accountId: SELLER, coin: { ...coin, amount: '29750000', vat: '4750000' } }],
  // By card: 50 euros, 8 of them VAT; 10 are given back; 20 were paid twice and are given back.
  ['CardPaymentSettled', 'cardPayment-1', { ...card, amount: '50000000', vat: '8000000', usd: '55000000' }],
  ['CardRefunded', 'cardPayment-1', { ...card, amount: '10000000', total: '10000000', vat: '1600000' }],
  ['CardPaymentSetAside', 'cardPayment-2', { ...card, amount: '20000000', reason: 'doubled' }],
  ['CardRefunded', 'cardPayment-2', { ...card, amount: '20000000', total: '20000000', aside: true }],
  // Gas of a signed payment: spent by the relayer, billed with a markup; a part of the bill is owed and paid later.
  ['AuthorizationGasSpent', 'authorization-1', { accountId: SELLER, gasUsd: '100000', billedUsd: '121000' }],
  ['AuthorizationReverted', 'authorization-2', { gasUsd: '40000' }],
  [
    'CreditDebited',
    `creditAccount-${SELLER}`,
    { amount: '100000', owed: '21000', reason: 'gasless-fee', gasUsd: '100000' },
  ],
  ['OwedCreditCollected', `creditAccount-${SELLER}`, { amount: '21000', ref: 'x' }],
  ['SeatPaid', `creditAccount-${SELLER}`, { amount: '10000000' }],
  // A user tops up 50, pays an app 30 by a standing order and is pushed 2 back.
  [
    'ChallengeSettled',
    'challenge-ch_u',
    { ...sale('ch_u.usdc_base', '50000000'), accountId: 'platform', transfer: transfer('0xb', '50000000') },
  ],
  ['TopUpSettled', 'topUp-tu_1', { total: '50000000', kind: 'top-up' }],
  ['BalanceReceived', 'userBalance-usr_1', { amount: '50000000', kind: 'top-up' }],
  ['BalanceSent', 'userBalance-usr_1', { total: '30000000', kind: 'standing-order' }],
  ['AppCreditReceived', 'appCredit-app_1', { amount: '30000000', kind: 'standing-order' }],
  ['AppCreditSent', 'appCredit-app_1', { total: '2000000', kind: 'credit-push' }],
  ['BalanceReceived', 'userBalance-usr_1', { amount: '2000000', kind: 'credit-push' }],
  ['CreditGrantSent', 'creditGrant-g1', { total: '1000000', kind: 'grant' }],
  ['BalanceReceived', 'userBalance-usr_1', { amount: '1000000', kind: 'grant' }],
]

/** Debits above zero, by account and asset, in whole coins or money. */
export const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [`seller:${SELLER}`]: {
    // 119 + 4 + 6 + 7 + 3 + 8 + 4 − 10 sent back
    'assets:receipts usdc_base': '141',
    // 50 − 10, and 20 − 20
    'assets:card EUR': '40',
    // 5 + 20 − 0.238 − 0.1 − 0.021 − 10
    'assets:credit USD': '14.641',
    'liabilities:suspense usdc_base': '-3',
    // 19 − 9.5 + 4.75, and 8 − 1.6
    'liabilities:vat usdc_base': '-14.25',
    'liabilities:vat EUR': '-6.4',
    'liabilities:refunds usdc_base': '-29.75',
    // 100 + 10 + 5 + 8 + 4
    'income:sales usdc_base': '-127',
    'income:sales EUR': '-42',
    'income:surplus usdc_base': '-2',
    // 10 + 50 − 25
    'income:refunds usdc_base': '35',
    'income:refunds EUR': '8.4',
    'income:grants USD': '-5',
    'equity:owner USD': '-20',
    'expenses:fees USD': '0.238',
    'expenses:gas USD': '0.121',
    'expenses:purchases USD': '10',
  },
  'user:usr_1': {
    'assets:balance USD': '23',
    'equity:owner USD': '-50',
    'expenses:payments USD': '30',
    'income:pushes USD': '-2',
    'income:grants USD': '-1',
  },
  'app:app_1': { 'assets:credit USD': '28', 'income:payments USD': '-30', 'expenses:pushes USD': '2' },
  platform: {
    'assets:receipts usdc_base': '71',
    'equity:conversion usdc_base': '-71',
    'equity:conversion USD': '71',
    // One coin more came than credit was given for.
    'liabilities:top-ups USD': '-1',
    [`liabilities:credit:${SELLER} USD`]: '-14.641',
    'liabilities:balances:usr_1 USD': '-23',
    'liabilities:credit:app_1 USD': '-28',
    'income:fees USD': '-0.238',
    'income:gas USD': '-0.121',
    'income:sales USD': '-10',
    // 5 to the seller, 1 to the user
    'expenses:grants USD': '6',
    'expenses:gas USD': '0.14',
    'equity:relayer USD': '-0.14',
  },
}

const START = Date.parse('2026-03-02T08:00:00.000Z')
const STEP_MS = 3_600_000

/** The month as the log has it, an hour from one event to the next. */
export const monthOf = (): readonly RecordedEvent[] =>
  MONTH.map(([type, stream, data], n) => {
    const position = BigInt(n + 1) * 1_000n
    const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    const at = new Date(START + n * STEP_MS).toISOString()
    const cause = { actor: 'test', correlationId: 'req_1' }
    return { type, stream, data, id, at, position, order: position, revision: 0n, cause }
  })
