import test from 'ava'
import { challenge } from '../../domain/selling/challenge.ts'
import { challengeParts, transferId } from '../../domain/selling/challenge-terms.ts'
import { resource } from '../../domain/selling/resource.ts'
import { transaction } from '../../domain/selling/transactions/transaction.ts'
import { transfer } from '../../domain/selling/transfers/transfer.ts'
import { delivery } from '../../domain/selling/webhooks/delivery.ts'
import { given, NOW } from '../support/given.ts'
import {
  ACCOUNT,
  CHALLENGE_ID,
  created,
  EXPIRES,
  entry,
  opened,
  RES_ID,
  recordedTransaction,
  transferData,
} from './samples.ts'

const resourceCreated = { type: 'ResourceCreated', data: created } as const
const disabled = { type: 'ResourceDisabled', data: { accountId: ACCOUNT } } as const
const cap = { amount: '2000000', windowHours: 24 }
const capped = { type: 'SpendCapSet', data: { accountId: ACCOUNT, maxPerCaller: cap } } as const
const uncapped = { type: 'SpendCapCleared', data: { accountId: ACCOUNT } } as const

test('a resource is created once, for more than nothing', (t) => {
  given(t, resource).when('create', created).yields(resourceCreated)
  given(t, resource, resourceCreated).when('create', created).isRefused('id-taken')
  for (const amount of ['0', '-1'])
    given(t, resource)
      .when('create', { ...created, amount })
      .isRefused('amount-not-positive')
})

test('J-RES-06 the spend cap is set, changed and cleared, and quiet when it is the same', (t) => {
  const set = { accountId: ACCOUNT, maxPerCaller: cap }
  const clear = { accountId: ACCOUNT, maxPerCaller: null }
  given(t, resource, resourceCreated).when('capSpend', set).yields(capped)
  given(t, resource, resourceCreated, capped).when('capSpend', set).yieldsNothing()
  given(t, resource, resourceCreated, capped).when('capSpend', clear).yields(uncapped)
  given(t, resource, resourceCreated, capped, uncapped).when('capSpend', clear).yieldsNothing()
  const longer = { accountId: ACCOUNT, maxPerCaller: { ...cap, windowHours: 48 } }
  given(t, resource, resourceCreated, capped).when('capSpend', longer).yields({ type: 'SpendCapSet', data: longer })
})

test('J-RES-12 a resource is disabled once, and then not found for a cap', (t) => {
  given(t, resource, resourceCreated).when('disable', { accountId: ACCOUNT }).yields(disabled)
  given(t, resource, resourceCreated, disabled).when('disable', { accountId: ACCOUNT }).yieldsNothing()
  given(t, resource, resourceCreated, disabled)
    .when('capSpend', { accountId: ACCOUNT, maxPerCaller: null })
    .isRefused('resource-not-found')
})

test("X-TEN-01 another tenant's resource is not found, disabled or not", (t) => {
  const stranger = { accountId: 'acc_2' }
  given(t, resource, resourceCreated).when('disable', stranger).isRefused('resource-not-found')
  given(t, resource, resourceCreated, disabled).when('disable', stranger).isRefused('resource-not-found')
  given(t, resource, resourceCreated)
    .when('capSpend', { ...stranger, maxPerCaller: null })
    .isRefused('resource-not-found')
  given(t, resource).when('disable', stranger).isRefused('resource-not-found')
})

const challengeOpened = { type: 'ChallengeOpened', data: opened } as const
const pay = { challengeId: CHALLENGE_ID, asset: 'eth', transfer: transferData }
const place = { accountId: ACCOUNT, resId: RES_ID, challengeId: CHALLENGE_ID, asset: 'eth' }
const detected = {
  type: 'PaymentDetected',
  data: { ...place, transfer: transferData, confirmations: 2, required: 6 },
} as const
const settled = {
  type: 'ChallengeSettled',
  data: {
    ...place,
    transfer: transferData,
    asked: entry.amount,
    amount: '100000000',
    currency: 'USD',
    usd: '100000000',
    webhookUrl: null,
    settledAt: NOW,
    test: false,
  },
} as const

test('a set of challenges is opened once', (t) => {
  given(t, challenge).when('open', opened).yields(challengeOpened)
  given(t, challenge, challengeOpened).when('open', opened).isRefused('id-taken')
})

test('T-CHL-01 a transfer in full and in time settles, and no other one settles again', (t) => {
  given(t, challenge, challengeOpened).when('settle', pay).yields(settled)
  given(t, challenge, challengeOpened, detected).when('settle', pay).yields(settled)
  given(t, challenge, challengeOpened, settled).when('settle', pay).yieldsNothing()
  const second = { ...pay, transfer: { ...transferData, tx: `0x${'ef'.repeat(32)}` } }
  given(t, challenge, challengeOpened, settled).when('settle', second).yieldsNothing()
  const more = { ...transferData, amount: `${entry.amount}0` }
  given(t, challenge, challengeOpened)
    .when('settle', { ...pay, transfer: more })
    .yields({ ...settled, data: { ...settled.data, transfer: more } })
})

test('T-CHL-02 a payment is detected once, and not after it has settled', (t) => {
  const seen = { ...pay, confirmations: 2 }
  given(t, challenge, challengeOpened).when('detect', seen).yields(detected)
  given(t, challenge, challengeOpened, detected)
    .when('detect', { ...seen, confirmations: 3 })
    .yieldsNothing()
  given(t, challenge, challengeOpened, settled).when('detect', seen).yieldsNothing()
})

test('what does not pay the challenge neither settles nor counts as seen', (t) => {
  const wrong = [
    [{ asset: 'usdc' }, 'payment-not-matching'],
    [{ network: 'base' }, 'payment-not-matching'],
    [{ to: '0xsomebody' }, 'payment-not-matching'],
    [{ height: 100 }, 'payment-not-matching'],
    [{ amount: String(BigInt(entry.amount) - 1n) }, 'payment-too-low'],
    [{ minedAt: '2026-03-02T11:00:00.001Z' }, 'challenge-expired'],
  ] as const
  for (const [part, code] of wrong) {
    const transfer = { ...transferData, ...part }
    const open = given(t, challenge, challengeOpened)
    open.when('settle', { ...pay, transfer }).isRefused(code)
    const detect = open.when('detect', { ...pay, transfer, confirmations: 1 })
    const noted = { ...detected, data: { ...detected.data, transfer, confirmations: 1 } }
    // Too little is a payment all the same, and is waited for.
    if (code === 'payment-too-low') detect.yields(noted)
    else detect.isRefused(code)
  }
  given(t, challenge).when('settle', pay).isRefused('challenge-not-found')
  given(t, challenge, challengeOpened)
    .when('settle', { ...pay, asset: 'btc', challengeId: 'x.btc' })
    .isRefused('challenge-not-found')
})

test('a payment mined in the last moment counts, however late it is reported', (t) => {
  const transfer = { ...transferData, minedAt: EXPIRES, height: 101 }
  given(t, challenge, challengeOpened)
    .when('settle', { ...pay, transfer }, '2026-04-01T00:00:00.000Z')
    .yields({ ...settled, data: { ...settled.data, transfer, settledAt: '2026-04-01T00:00:00.000Z' } })
})

test('a test challenge takes no transfer', (t) => {
  const testOpened = { type: 'ChallengeOpened', data: { ...opened, test: true } } as const
  given(t, challenge, testOpened).when('settle', pay).isRefused('challenge-is-test')
  given(t, challenge, testOpened)
    .when('detect', { ...pay, confirmations: 1 })
    .isRefused('challenge-is-test')
})

test('each asset of a set settles for itself', (t) => {
  const usdc = { ...entry, asset: 'usdc', amount: '100000001' }
  const two = { type: 'ChallengeOpened', data: { ...opened, entries: [entry, usdc] } } as const
  const transfer = { ...transferData, asset: 'usdc', amount: '100000001' }
  const challengeId = CHALLENGE_ID.replace('.eth', '.usdc')
  given(t, challenge, two, settled)
    .when('settle', { challengeId, asset: 'usdc', transfer })
    .yields({ ...settled, data: { ...settled.data, challengeId, asset: 'usdc', asked: '100000001', transfer } })
})

test('a challenge id has two parts, and nothing else is one', (t) => {
  const set = `ch_${'a2'.repeat(13)}`
  t.deepEqual(challengeParts(`${set}.usdc_base`), { setId: set, asset: 'usdc_base' })
  for (const bad of ['', set, `${set}.`, `${set}.ETH`, `${set}.eth.`, `x${set}.eth`, `${set}.eth\n`, `${set}1.eth`])
    t.is(challengeParts(bad), undefined, bad)
  t.is(transferId(transferData), `eth:${transferData.tx}:native`)
})

test('a transfer is claimed for one challenge, once, for ever', (t) => {
  const claim = { accountId: ACCOUNT, ...pay }
  const claimed = { type: 'TransferClaimed', data: claim } as const
  given(t, transfer).when('claim', claim).yields(claimed)
  given(t, transfer, claimed).when('claim', claim).yieldsNothing()
  given(t, transfer, claimed)
    .when('claim', { ...claim, challengeId: `ch_${'b'.repeat(26)}.eth` })
    .isRefused('transfer-taken')
})

const transactionCreated = { type: 'TransactionCreated', data: recordedTransaction } as const
const done = { hash: '0xnew', payer: '0xpayer', confirmedAt: NOW }
const completed = { type: 'TransactionCompleted', data: { accountId: ACCOUNT, test: false, ...done } } as const

test('M-REC-03 a transaction is created pending and completes once', (t) => {
  given(t, transaction).when('create', recordedTransaction).yields(transactionCreated)
  given(t, transaction, transactionCreated).when('complete', done).yields(completed)
  given(t, transaction, transactionCreated, completed).when('complete', done).yieldsNothing()
  given(t, transaction).when('complete', done).isRefused('transaction-not-found')
})

test('a transaction number belongs to one payment: the same one again is quiet, another is refused', (t) => {
  for (const history of [[transactionCreated], [transactionCreated, completed]]) {
    given(t, transaction, ...history)
      .when('create', { ...recordedTransaction, createdAt: NOW })
      .yieldsNothing()
    given(t, transaction, ...history)
      .when('create', { ...recordedTransaction, challengeId: 'another' })
      .isRefused('id-taken')
  }
})

const schedule = {
  accountId: ACCOUNT,
  transactionId: '1',
  url: 'https://a.example/',
  slot: 'account',
  test: false,
} as const
const scheduled = { type: 'DeliveryScheduled', data: schedule } as const
const skip = { accountId: ACCOUNT, transactionId: '1' }
const skipped = { type: 'DeliverySkipped', data: skip } as const
const outcome = (status: number | null) => ({ status, reason: null, bodyHead: 'ok', durationMs: 5, attemptedAt: NOW })

test('a delivery is scheduled or skipped once, and the first decision stands', (t) => {
  given(t, delivery).when('schedule', schedule).yields(scheduled)
  given(t, delivery).when('skip', skip).yields(skipped)
  for (const first of [scheduled, skipped]) {
    given(t, delivery, first)
      .when('schedule', { ...schedule, url: 'https://b.example/' })
      .yieldsNothing()
    given(t, delivery, first).when('skip', skip).yieldsNothing()
  }
})

test('W-LOG-01 any 2xx is accepted, all else failed, and the first outcome stands', (t) => {
  for (const [status, type] of [
    [200, 'DeliveryAccepted'],
    [299, 'DeliveryAccepted'],
    [199, 'DeliveryFailed'],
    [300, 'DeliveryFailed'],
    [500, 'DeliveryFailed'],
    [null, 'DeliveryFailed'],
  ] as const) {
    const event = { type, data: { ...skip, ...outcome(status) } } as const
    given(t, delivery, scheduled).when('record', outcome(status)).yields(event)
    given(t, delivery, scheduled, event).when('record', outcome(200)).yieldsNothing()
  }
  given(t, delivery).when('record', outcome(200)).isRefused('not-found')
  given(t, delivery, skipped).when('record', outcome(200)).isRefused('not-found')
})
