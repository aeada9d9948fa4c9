import { relayId } from '../../domain/gasless/relay.ts'
import type { EventStore } from '../../domain/kernel/ports.ts'
import { authorizationId } from '../../domain/selling/authorization-terms.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { BUILT_IN_RECEIVER } from '../../domain/selling/webhooks/delivery.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import {
  AUTHORIZATION_ID,
  accepted,
  CHALLENGE_ID,
  created,
  EXPIRES,
  entry,
  opened,
  PAY_TO,
  recordedTransaction,
  requestOpened,
  SET_ID,
  signed,
  transferData,
} from '../domain/samples.ts'
import { everything, ledgerOn, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'

/** Text that a table must give back as it was. */
export const ODD_TEXT = 'it\'s "quoted"\n\tback\\slash, 🐢 and \u2028, null, {a,b}, $1, ; drop table accounts; --'

/** A custom token, but for its code. */
export const TOKEN = {
  type: 'erc-20',
  network: 'eth',
  contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  decimals: 18,
  name: ODD_TEXT,
  rate: '0.25',
  rateUrl: null,
  confirmations: null,
  img: null,
}

/** The challenges of a payment that was seen and taken back. */
export const TAKEN_BACK = `ch_${'b'.repeat(26)}`

/**
 * A seller's whole life: sign-up to a delivered webhook, a test sale, and what is changed and taken back on the way.
 */
export const wholeHistory = async (store: EventStore): Promise<void> => {
  const world = fixedWorld('history')
  const ledger = ledgerOn(store, world)
  await ledger.account.signUp('acc_1', {
    email: 'v1.acc_1.iv.box',
    emailFingerprint: 'fp',
    passwordHash: '$argon2id$x',
    primaryWallet: ODD_TEXT,
    termsAgreed: 'by-omission',
    key: { keyId: 'k1', keyHash: 'h1', hint: 'sk_live_…abcd', kind: 'owner' },
    cloudToken: { token: 'v1.acc_1.iv.ct', tokenHash: 'th' },
    verification: { tokenHash: 'vh', expiresAt: '2027-01-01T00:00:00.000Z', letter: 'v1.acc_1.iv.l' },
  })
  await ledger.account.verifyEmail('acc_1', { tokenHash: 'vh' })
  await ledger.addressClaim.claim(`eth:${PAY_TO}`, { accountId: 'acc_1', coin: 'eth' })
  await ledger.wallet.setAddress('acc_1', { asset: 'eth', addresses: [PAY_TO] })
  await ledger.wallet.pause('acc_1', { asset: 'eth' })
  await ledger.wallet.setAddress('acc_1', { asset: 'eth', addresses: [PAY_TO, 'second'] })
  await ledger.wallet.setAddress('acc_1', { asset: 'btc', addresses: [] })
  await ledger.wallet.pause('acc_1', { asset: 'btc' })
  await ledger.wallet.resume('acc_1', { asset: 'btc' })
  await settleIn(ledger)
  await ownTokens(ledger)
  const secret = { secret: 'v1.acc_1.iv.s', last4: '1234' }
  await ledger.webhook.setUrl('acc_1', { slot: 'agent', url: 'https://agent.example/a', ...secret })
  await ledger.webhook.setUrl('acc_1', { slot: 'account', url: 'https://hook.example/b', ...secret, last4: '5678' })
  await ledger.webhook.clearUrl('acc_1', { slot: 'agent' })
  await builtInReceiver(ledger)
  await sandboxKeys(ledger)
  await resources(ledger)
  await requests(ledger)
  const usdc = { ...entry, asset: 'usdc', amount: '9'.repeat(60) }
  const mine = { ...entry, asset: 'mine', decimals: 18, contract: TOKEN.contract }
  await ledger.challenge.open(SET_ID, { ...opened, entries: [entry, usdc, mine] })
  const seen = { challengeId: CHALLENGE_ID, asset: 'eth', transfer: transferData }
  await ledger.challenge.detect(SET_ID, { ...seen, confirmations: 1 })
  world.step(60_000)
  await ledger.challenge.settle(SET_ID, seen)
  await runPolicies(store, ledger, world)
  await failedDeliveries(store, ledger)
}

/** A coin is tried and dropped, and the address changed. */
const settleIn = async (ledger: Ledger): Promise<void> => {
  await ledger.wallet.setAddress('acc_1', { asset: 'sol', addresses: ['third'] })
  await ledger.wallet.pause('acc_1', { asset: 'sol' })
  await ledger.wallet.remove('acc_1', { asset: 'sol' })
  const address = { email: 'v1.acc_1.iv.new', emailFingerprint: 'fp2' }
  const letter = { tokenHash: 'vh2', expiresAt: '2027-01-01T00:00:00.000Z', letter: 'v1.acc_1.iv.l' }
  await ledger.account.askLetter('acc_1', { ...letter, address })
  await ledger.account.verifyEmail('acc_1', { tokenHash: 'vh2' })
}

/** Two custom tokens with addresses, one of them gone again. */
const ownTokens = async (ledger: Ledger): Promise<void> => {
  for (const code of ['mine', 'gone']) {
    await ledger.customTokens.add('acc_1', { ...TOKEN, code })
    await ledger.wallet.setAddress('acc_1', { asset: code, addresses: [PAY_TO], coin: `eth:${TOKEN.contract}` })
  }
  await ledger.customTokens.remove('acc_1', { code: 'gone' })
}

/** Two sandbox keys: one used and rotated, the other revoked. */
/** A webhook of a test that the built-in receiver got. */
const builtInReceiver = async (ledger: Ledger) => {
  await ledger.webhook.chooseReceiver('acc_1', { receiver: 'built-in', secret: 'v1.acc_1.iv.s', last4: '1234' })
  const to = { accountId: 'acc_1', transactionId: '', url: BUILT_IN_RECEIVER, slot: 'receiver' } as const
  await ledger.delivery.schedule('e-received', { ...to, test: true, reason: 'test' })
}

const sandboxKeys = async (ledger: Ledger): Promise<void> => {
  const keyOf = (n: number) => ({ keyId: `s${n}`, keyHash: `sh${n}`, hint: `sk_test_…${n}` })
  await ledger.sandboxKeys.issue('acc_1', { ...keyOf(1), kind: 'secret', label: ODD_TEXT })
  await ledger.sandboxKeys.issue('acc_1', { ...keyOf(2), kind: 'publishable', label: null })
  await ledger.sandboxKeys.noteUse('acc_1', { keyId: 's1' })
  await ledger.sandboxKeys.rotate('acc_1', { number: 1, ...keyOf(3) })
  const networks = { text: ODD_TEXT, print: 'p' }
  await ledger.sandboxKeys.limit('acc_1', { number: 1, endsAt: '2126-01-01T00:00:00.000Z', networks })
  await ledger.sandboxKeys.revoke('acc_1', { number: 2 })
}

/** A resource with a spend cap that is taken away, and a disabled one with a checkout and a webhook of its own. */
const resources = async (ledger: Ledger): Promise<void> => {
  const cap = { amount: '5000000', windowHours: 24 }
  await ledger.resource.create('res_1', { ...created, maxPerCaller: cap, acceptedAssets: ['eth', ODD_TEXT] })
  await ledger.resource.create('res_2', { ...created, checkoutId: 'co_2', webhookUrl: 'https://own.example/' })
  await ledger.resource.capSpend('res_1', { accountId: 'acc_1', maxPerCaller: null })
  await ledger.resource.capSpend('res_2', { accountId: 'acc_1', maxPerCaller: cap })
  await ledger.resource.disable('res_2', { accountId: 'acc_1' })
}

/**
 * A payment request that was paid, one that expired, a payment that was taken back and one that fits nothing that was
 * asked.
 */
const requests = async (ledger: Ledger): Promise<void> => {
  const links = { rq_paid: '1', rq_late: '2', rq_open: '3' }
  for (const [requestId, n] of Object.entries(links)) {
    const transactionId = `450359962737049${n}`
    const pending = { ...recordedTransaction, requestId, type: 'payment-request' as const, hash: '', payer: '' }
    await ledger.transaction.create(transactionId, { ...pending, challengeId: null, resId: null, title: ODD_TEXT })
    const expiresAt = requestId === 'rq_late' ? '2026-03-01T00:00:00.000Z' : EXPIRES
    await ledger.paymentRequest.open(requestId, { ...requestOpened, title: ODD_TEXT, transactionId, expiresAt })
  }
  await ledger.paymentRequest.pay('rq_paid', { challengeId: CHALLENGE_ID })
  await ledger.paymentRequest.expire('rq_late', {})
  await ledger.challenge.open(TAKEN_BACK, opened)
  const seen = {
    challengeId: `${TAKEN_BACK}.eth`,
    asset: 'eth',
    transfer: { ...transferData, tx: `0x${'12'.repeat(32)}` },
  }
  await ledger.challenge.detect(TAKEN_BACK, { ...seen, confirmations: 1 })
  await ledger.challenge.retract(TAKEN_BACK, { ...seen, transferId: transferId(seen.transfer) })
}

/** After that, a payment that was signed and carried out, and one that failed. */
export const signedPayments = async (store: EventStore): Promise<void> => {
  const world = fixedWorld('signed')
  const ledger = ledgerOn(store, world)
  const setId = `ch_${'d'.repeat(26)}`
  const asked = { ...entry, asset: 'usdc_base', network: 'base', amount: signed.value, contract: signed.contract }
  const challengeId = `${setId}.usdc_base`
  await ledger.challenge.open(setId, { ...opened, entries: [asked] })
  await ledger.challenge.reserve(setId, { challengeId, asset: 'usdc_base', authorizationId: AUTHORIZATION_ID })
  await ledger.authorization.accept(AUTHORIZATION_ID, { ...accepted, challengeId })
  const broke = { ...signed, nonce: `0x${'6f'.repeat(32)}` }
  await ledger.authorization.accept(authorizationId(broke), { ...accepted, challengeId, authorization: broke })
  await ledger.authorization.fail(authorizationId(broke), { reason: 'funds' })
  const relayer = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
  const place = { network: 'base', relayer, nonce: 0, hash: `0x${'34'.repeat(32)}` }
  const transfer = {
    ...transferData,
    network: 'base',
    asset: 'usdc_base',
    amount: signed.value,
    index: '3',
    tx: place.hash,
    from: signed.from,
    authorization: signed.nonce,
  }
  await ledger.relay.send(relayId('base', relayer), {
    ...place,
    authorizations: [AUTHORIZATION_ID],
    batched: false,
    gas: '150000',
    maxFeePerGas: '20',
    maxPriorityFeePerGas: '1',
  })
  await ledger.relay.mine(relayId('base', relayer), {
    ...place,
    block: transfer.height,
    blockHash: transfer.blockHash,
    gasUsed: '80000',
    gasPrice: '10',
    l1Fee: '0',
    gasUsd: '1000',
    outcomes: [{ authorizationId: AUTHORIZATION_ID, transfer, gasUsd: '1000' }],
  })
  await runPolicies(store, ledger, world)
}

/** Every webhook's first try is refused by the merchant. */
const failedDeliveries = async (store: EventStore, ledger: Ledger): Promise<void> => {
  const scheduled = (await everything(store)).filter(({ type }) => type === 'DeliveryScheduled')
  for (const { stream } of scheduled)
    await ledger.delivery.record(stream.slice('delivery-'.length), {
      status: 500,
      reason: null,
      bodyHead: ODD_TEXT,
      durationMs: 12,
      attemptedAt: '2026-03-02T10:02:00.000Z',
    })
}
