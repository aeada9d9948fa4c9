import test from 'ava'
import type { Hex } from 'viem'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  assertReplayEqual,
  inLine,
  me,
  postsFor,
  type Shop,
  saidOf,
  sendBack,
  shop,
  transactionOf,
  verify,
} from '../../support/sale.ts'
import { type Offer, offerOf, ok } from '../../support/seller.ts'

/**
 * A payment that has settled, and whose block the network then replaces. Each test runs alone: they share one chain.
 * Ethereum asks for six blocks more before what is gone counts as gone.
 */

const SETTLES_AFTER = 1
const GONE_AFTER = 6
const FEE = 0.2

let app: TestApp
test.before(async () => {
  app = await startApp()
  await app.anvil.mine(10)
})
test.after.always(() => app?.stop())

test.serial(
  'N-24 N-25 N-62 W-DEL-01 a settled payment that is reorganised away is taken back with everything, and settles again without a second webhook',
  async (t) => {
    const s = await hastyShop()
    const before = (await me(app, s.key)).credit_balance
    const offer = await offerOf(app, s.key, s.resId)
    const { hash, raw } = await paid(offer)
    await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', hash)).length === 1)
    await eventually('the webhook', () => postsFor(app, offer.challengeId).length === 1)
    await credited(s, before - FEE)

    await takenAway(hash)
    const reversed = await eventually('the transaction', async () => {
      const transaction = await transactionOf(app, s.key, offer.challengeId)
      return transaction.status === 'P' && transaction
    })
    t.is(reversed.reversed_reason, 'reorganised')
    t.regex(reversed.reversed_at ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    t.is(reversed.confirmed_time, '')
    const [row] = await settlementsOf(s)
    t.like(row, { status: 'reversed', hash, fee: 0 })
    t.truthy(row?.reversed_at)
    await credited(s, before)
    t.like(await me(app, s.key), { settlements_count: 0, total_earned: 0 })
    t.not((await ok(verify(app, offer.challengeId, hash))).json.settled, true)
    const [letter] = await lettersTo(s, 'taken back')
    for (const word of [hash, s.resId, offer.challengeId, '100 USD']) t.true(letter?.text.includes(word), word)

    await inLine(() => app.anvil.client.sendRawTransaction({ serializedTransaction: raw }))
    await app.anvil.mine(SETTLES_AFTER)
    await eventually('the second settlement', async () => (await saidOf(app, 'ChallengeSettled', hash)).length === 2)
    const again = await eventually('the transaction', async () => {
      const transaction = await transactionOf(app, s.key, offer.challengeId)
      return transaction.status === 'C' && transaction
    })
    t.is(again.reversed_at, undefined)
    await credited(s, before - FEE)
    t.deepEqual(
      (await settlementsOf(s)).map(({ status, reversed_at }) => [status, reversed_at]),
      [['settled', undefined]],
    )
    t.true((await ok(verify(app, offer.challengeId, hash))).json.settled)
    t.is(postsFor(app, offer.challengeId).length, 1)
    t.is((await lettersTo(s, 'taken back')).length, 1)
    await assertReplayEqual(t, app)
  },
)

test.serial('N-24 another payment settles what one that was reorganised away had settled', async (t) => {
  const s = await hastyShop()
  const offer = await offerOf(app, s.key, s.resId)
  const { hash } = await paid(offer)
  await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', hash)).length === 1)
  await takenAway(hash)
  const other = await paid(offer)
  await eventually('the other', async () => (await saidOf(app, 'ChallengeSettled', other.hash)).length === 1)
  const byHash = async () => Object.fromEntries((await settlementsOf(s)).map(({ hash: own, status }) => [own, status]))
  await eventually('the rows', async () => (await byHash())[other.hash] === 'settled')
  t.deepEqual(await byHash(), { [hash]: 'reversed', [other.hash]: 'settled' })
  await eventually('the books', async () => (await me(app, s.key)).settlements_count === 1)
  t.is(postsFor(app, offer.challengeId).length, 1)
})

test.serial(
  'N-24 N-68 J-TXN-06 I-SUM-01 a refund whose block is replaced is recorded and not sent, and sent once it is mined again',
  async (t) => {
    const s = await hastyShop()
    await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
    const offer = await offerOf(app, s.key, s.resId)
    await paid(offer)
    const { id = '' } = await transactionOf(app, s.key, offer.challengeId, 'C')
    const wei = BigInt(offer.amountAtomic)
    const hash = await sendBack(app, wei, app.anvil.payer, 0)
    const raw = await rawOf(hash)
    const refund = () =>
      ok(app.call('POST', `/v1/transactions?transaction_id=${id}&action=refund`, { key: s.key, body: { hash } }))
    t.like((await refund()).json, { sent: true, hash })

    await app.anvil.reorg(1)
    await app.anvil.mine(GONE_AFTER + 1)
    await eventually('the loss', async () => (await saidOf(app, 'RefundUnsent', hash)).length === 1)
    const lost = await eventually('the record', async () => {
      const transaction = await transactionOf(app, s.key, offer.challengeId, 'C')
      return transaction.refund_sent_amount === undefined && transaction
    })
    t.like(lost, { refund_status: 'pending', refund_hash: hash, refunded_amount: lost.received_amount })
    t.is(await owedToBuyers(s), -wei)
    t.regex(await receiptOf(s, offer), /recorded, not sent/)
    t.like((await refund()).json, { refunded: true, recorded: true, sent: false, pending: { confirmations: 0 } })
    t.like(await me(app, s.key), { total_earned: 0 })

    await inLine(() => app.anvil.client.sendRawTransaction({ serializedTransaction: raw }))
    await app.anvil.mine(SETTLES_AFTER)
    t.like((await refund()).json, { sent: true, hash })
    t.is((await saidOf(app, 'RefundSent', hash)).length, 2)
    t.is(await owedToBuyers(s), 0n)
    t.regex(await receiptOf(s, offer), /was sent back/)
    await assertReplayEqual(t, app)
  },
)

test.serial(
  'N-24 N-68 I-EARN-01 a payment that is reorganised away with its refund recorded owes nothing and has earned nothing',
  async (t) => {
    const s = await hastyShop()
    await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
    const offer = await offerOf(app, s.key, s.resId)
    const { hash } = await paid(offer)
    const { id = '' } = await transactionOf(app, s.key, offer.challengeId, 'C')
    await ok(app.call('POST', `/v1/transactions?transaction_id=${id}&action=refund`, { key: s.key }))
    t.is(await owedToBuyers(s), -BigInt(offer.amountAtomic))
    await takenAway(hash)
    const record = await transactionOf(app, s.key, offer.challengeId, 'P')
    t.deepEqual([record.refund_status, record.refunded_amount, record.refunded_time], [undefined, undefined, undefined])
    t.is(await owedToBuyers(s), 0n)
    t.like(await me(app, s.key), { settlements_count: 0, total_earned: 0 })
    await assertReplayEqual(t, app)
  },
)

test.serial('N-24 a settled payment that is mined again in another block, at once, is not taken back', async (t) => {
  const s = await hastyShop()
  const offer = await offerOf(app, s.key, s.resId)
  const { hash, raw } = await paid(offer)
  await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', hash)).length === 1)
  await app.anvil.reorg(1)
  await inLine(() => app.anvil.client.sendRawTransaction({ serializedTransaction: raw }))
  await app.anvil.mine(GONE_AFTER + 2)
  const height = await app.anvil.client.getBlockNumber()
  await eventually('the look', async () =>
    (await saidOf(app, 'BlocksScanned', 'eth')).some((scanned) => scanned.height >= Number(height) - GONE_AFTER - 2),
  )
  await app.anvil.mine(64)
  await eventually('the last look', async () =>
    (await saidOf(app, 'PaymentsFinal', 'eth')).some((looked) => looked.height >= Number(height) - 4),
  )
  t.is((await saidOf(app, 'PaymentReversed', hash)).length, 0)
  t.is((await transactionOf(app, s.key, offer.challengeId)).status, 'C')
})

test.serial(
  'N-24 a settled payment whose block was replaced while the service was down is taken back afterwards',
  async (t) => {
    const s = await hastyShop()
    const offer = await offerOf(app, s.key, s.resId)
    const { hash } = await paid(offer)
    await eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', hash)).length === 1)
    await app.restart(async () => {
      await app.anvil.reorg(1)
      await app.anvil.mine(72)
    })
    await eventually('the reversal', async () => (await saidOf(app, 'PaymentReversed', hash)).length === 1)
    t.is((await saidOf(app, 'TransferReversed', hash)).length, 1)
  },
)

/** One who is content with the first block. */
const hastyShop = async (): Promise<Shop> => {
  const s = await shop(app)
  await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { confirmations: { coins: { eth: SETTLES_AFTER } } } }))
  return s
}

const paid = async ({ payTo, amountAtomic }: Offer): Promise<{ hash: string; raw: Hex }> => {
  const hash = await inLine(() => app.anvil.send(payTo, BigInt(amountAtomic)))
  return { hash, raw: await rawOf(hash) }
}

const rawOf = (hash: string): Promise<Hex> =>
  app.anvil.client.request({ method: 'eth_getRawTransactionByHash', params: [hash] } as never)

/** What is recorded as given back and not sent, below zero. */
const owedToBuyers = async ({ key }: Shop): Promise<bigint> => {
  const { json } = await ok(app.call('GET', '/v1/audit/books', { key }))
  const own = json.accounts.find(({ account }: { account: string }) => account.endsWith(':refunds'))
  return BigInt(own?.amount ?? 0)
}

const receiptOf = async ({ resId }: Shop, { challengeId }: Offer): Promise<string> =>
  (await app.call('GET', `/r/${resId}?challenge=${challengeId}`, { headers: { accept: 'text/html' } })).text

const takenAway = async (hash: string): Promise<void> => {
  await app.anvil.reorg(1)
  await app.anvil.mine(GONE_AFTER + 1)
  await eventually('the reversal', async () => (await saidOf(app, 'PaymentReversed', hash)).length === 1)
}

type Settlement = { hash: string; status: string; fee: number; reversed_at?: string }
const settlementsOf = async ({ key }: Shop): Promise<Settlement[]> =>
  (await ok(app.call('GET', '/v1/settlements', { key }))).json.settlements

const credited = (s: Shop, usd: number) =>
  eventually(`a credit of ${usd}`, async () => Math.abs((await me(app, s.key)).credit_balance - usd) < 1e-9)

type Mailed = { to: string; subject: string; text: string }
const lettersTo = ({ email }: Shop, words: string): Promise<Mailed[]> =>
  eventually('the letter', async () => {
    const { json } = await app.call('GET', '/dev/inbox.json')
    const own = (json as Mailed[]).filter(({ to, subject }) => to === email && subject.includes(words))
    return own.length > 0 && own
  })
