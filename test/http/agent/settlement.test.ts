import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { encodeFunctionData } from 'viem'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  freshAddress,
  inLine,
  logOf,
  me,
  payInFull,
  postsFor,
  saidOf,
  sell,
  send,
  shop,
  transactionOf,
  transactionsOf,
  USDC,
  verify,
} from '../../support/sale.ts'
import { type Offer, offerOf, ok } from '../../support/seller.ts'
import token from '../../support/test-token.json' with { type: 'json' }

/** Whose money a transfer is: it pays one challenge, once, straight to the seller. */

let app: TestApp
test.before(async () => {
  app = await startApp()
  await app.anvil.deployToken(USDC, 10n ** 15n)
})
test.after.always(() => app?.stop())

test('J-GEN-05 I-FEE-01 J-RES-09 the whole coin amount is on the wallet of the seller, and the fee comes from the credit', async (t) => {
  const s = await shop(app)
  t.false(await settledFlag(s))
  const { offer } = await sell(app, s)
  t.is(offer.payTo, s.address)
  t.is(await app.anvil.balanceOf(s.address), BigInt(offer.amountAtomic))
  t.like(await me(app, s.key), { credit_balance: 4.8, total_earned: 100, settlements_count: 1 })
  t.true(await settledFlag(s))
})

deepTest('J-CHL-02 J-GEN-05 of two wallets the buyer pays the one he likes: usdc arrives in full', async (t) => {
  const s = await shop(app)
  const usdcAddress = freshAddress()
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc', address: usdcAddress } }))
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 49.99 } }))).json
  const { accepts } = (await ok(app.call('POST', '/v1/challenge', { key: s.key, body: { res_id } }))).json
  t.is(new Set(accepts.map(({ challengeId }: Offer) => challengeId)).size, 2)
  const offer = accepts.find(({ asset }: { asset: string }) => asset === 'usdc')
  t.is(offer.payTo, usdcAddress)
  const hash = await inLine(() => app.anvil.sendToken(USDC, offer.payTo, BigInt(offer.amountAtomic)))
  await app.anvil.mine(6)
  const eth = accepts.find(({ asset }: { asset: string }) => asset === 'eth')
  t.is((await verify(app, eth.challengeId, hash)).status, 400)
  t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, { settled: true })
  t.is(await app.anvil.tokenBalanceOf(USDC, usdcAddress), BigInt(offer.amountAtomic))
  t.like(await transactionOf(app, s.key, offer.challengeId), {
    cryptocurrency: 'usdc',
    amount: offer.amount,
    amount_fiat: '49.99',
  })
  t.like(await me(app, s.key), { total_earned: 49.99, credit_balance: 4.90002 })
})

test('I-SET-01 X-REPLAY-01 a hash that settled one challenge settles no other, not of another seller either', async (t) => {
  const s = await shop(app)
  const other = await shop(app)
  const [dear, cheap] = [await shopOffer(s, 100), await shopOffer(s, 1)]
  const foreign = await shopOffer(other, 1)
  const hash = await payInFull(app, dear)
  t.deepEqual((await ok(verify(app, dear.challengeId, hash))).json, { settled: true })
  for (const { challengeId } of [cheap, foreign])
    t.true([400, 409].includes((await verify(app, challengeId, hash)).status), challengeId)
  t.is((await saidOf(app, 'ChallengeSettled', hash)).length, 1)
  t.is((await me(app, other.key)).settlements_count, 0)
})

test('I-SET-01 X-REPLAY-01 an overpayment that its seller settles one challenge by is taken for every other', async (t) => {
  const s = await shop(app)
  const [first, second] = [await shopOffer(s, 1), await shopOffer(s, 1)]
  const hash = await payInFull(app, first, 10n * BigInt(first.amountAtomic))
  t.is((await verify(app, first.challengeId, hash)).status, 400)
  const posted = [first, second, first, second].map(({ challengeId }) =>
    app.call('POST', '/v1/verify', { key: s.key, body: { challengeId, hash } }),
  )
  const statuses = (await Promise.all(posted)).map(({ status }) => status).sort()
  t.deepEqual(statuses, [200, 200, 409, 409])
  t.is((await saidOf(app, 'ChallengeSettled', hash)).length, 1)
  t.is((await me(app, s.key)).settlements_count, 1)
})

deepTest('I-SET-01 a second transfer to a settled challenge changes nothing', async (t) => {
  const s = await shop(app)
  const { offer, hash } = await sell(app, s)
  const second = await payInFull(app, offer)
  t.is((await verify(app, offer.challengeId, second)).status, 409)
  await pause(1_500)
  t.is((await saidOf(app, 'TransferClaimed', second)).length, 0)
  t.like(await me(app, s.key), { credit_balance: 4.8, settlements_count: 1, total_earned: 100 })
  t.deepEqual(
    (await transactionsOf(app, s.key)).map((record) => record.hash),
    [hash],
  )
  t.is(postsFor(app, s.resId).length, 1)
})

test('Q-55 N-21 two open challenges of one price on one address ask for different amounts, and a stranger cannot take the payment', async (t) => {
  const s = await shop(app)
  const [mine, stranger, foreign] = [
    await offerOf(app, s.key, s.resId),
    await offerOf(app, s.key, s.resId),
    await offerOf(app, s.key, s.resId),
  ]
  t.is(new Set([mine, stranger, foreign].map(({ amountAtomic }) => amountAtomic)).size, 3)
  t.deepEqual(new Set([mine, stranger, foreign].map(({ payTo }) => payTo)), new Set([s.address]))
  const theirs = await send(app, stranger)
  const early = await verify(app, mine.challengeId, theirs)
  t.not(early.json.settled, true)
  await app.anvil.mine(6)
  for (const { challengeId } of [mine, foreign]) t.is((await verify(app, challengeId, theirs)).status, 409)
  t.deepEqual((await ok(verify(app, stranger.challengeId, theirs))).json, { settled: true })
  t.is((await verify(app, mine.challengeId, theirs)).status, 409)
  t.is((await saidOf(app, 'ChallengeSettled', s.address)).length, 1)
})

deepTest('J-VER-01 a transaction that failed on the chain does not pay', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  // The receiver refuses the coins: INVALID as its first instruction.
  await app.anvil.setCode(s.address, '0xfe')
  const hash = await inLine(async () => {
    const sent = await app.anvil.submit({ to: offer.payTo, value: BigInt(offer.amountAtomic), gas: 100_000n })
    await app.anvil.mined(sent)
    return sent
  })
  await app.anvil.mine(6)
  t.is((await app.anvil.client.getTransactionReceipt({ hash })).status, 'reverted')
  t.is((await verify(app, offer.challengeId, hash)).status, 400)
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 0)
})

deepTest('N-24 a foreign contract that calls itself USDC pays nothing', async (t) => {
  const s = await shop(app)
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc', address: s.address } }))
  const { json } = await ok(
    app.call('POST', '/v1/resources', { key: s.key, body: { amount: 100, accepted_assets: ['usdc'] } }),
  )
  const minted = await ok(app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: json.res_id } }))
  const [offer] = minted.json.accepts
  t.is(offer.contract, USDC)
  const fake = freshAddress()
  const hash = await inLine(async () => {
    await app.anvil.deployToken(fake, 10n ** 12n)
    return app.anvil.sendToken(fake, offer.payTo, BigInt(offer.amountAtomic))
  })
  await app.anvil.mine(6)
  t.is((await verify(app, offer.challengeId, hash)).status, 400)
  t.is((await saidOf(app, 'ChallengeSettled', json.res_id)).length, 0)
})

deepTest('J-VER-01 one transaction with several token transfers pays each challenge by its own', async (t) => {
  const s = await shop(app)
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc', address: s.address } }))
  const { json } = await ok(
    app.call('POST', '/v1/resources', { key: s.key, body: { amount: 7, accepted_assets: ['usdc'] } }),
  )
  const offers = []
  for (let n = 0; n < 2; n++)
    offers.push(
      (await ok(app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: json.res_id } }))).json.accepts[0],
    )
  const args = [offers.map(({ payTo }) => payTo), offers.map(({ amountAtomic }) => BigInt(amountAtomic))]
  const data = encodeFunctionData({ abi: token.abi, functionName: 'transferMany', args })
  const hash = await inLine(() => app.anvil.transact({ to: USDC, data }))
  await app.anvil.mine(6)
  for (const { challengeId } of offers) t.deepEqual((await ok(verify(app, challengeId, hash))).json, { settled: true })
  t.is((await saidOf(app, 'TransferClaimed', s.address)).length, 2)
  t.is((await me(app, s.key)).total_earned, 14)
})

test('X-NOCUST-01 no event and no column holds a private key, and no service address was paid', async (t) => {
  const s = await shop(app)
  await sell(app, s)
  const log = await logOf(app)
  const told = JSON.stringify(log.map(({ stream, type, data }) => [stream, type, data]))
  t.notRegex(told, /private_?key|mnemonic|seed_?phrase/i)
  const keys = app.anvil.accounts.map(({ privateKey }) => privateKey.slice(2))
  t.false(keys.some((key) => told.includes(key)))
  const wallets = new Set(log.flatMap((e) => (e.type === 'WalletAddressSet' ? e.data.addresses : [])))
  const paid = log.flatMap((e) => (e.type === 'ChallengeSettled' ? [e.data.transfer.to] : []))
  t.true(paid.length > 0)
  for (const address of paid) t.true(wallets.has(address), address)
  const openapi = await app.call('GET', '/openapi.json')
  // The documents name one field for a key, and that it is ignored.
  t.deepEqual(openapi.text.match(/private_?key|mnemonic/gi), ['private_key'])
  t.regex(openapi.text, /"private_key":\{"description":"Dropped unread/)
})

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))

const settledFlag = async (s: { key: string; resId: string }): Promise<boolean> => {
  const { json } = await ok(app.call('GET', '/v1/resources', { key: s.key }))
  return json.resources.find(({ res_id }: { res_id: string }) => res_id === s.resId).settled
}

const priced = async (key: string, amount: number): Promise<string> =>
  (await ok(app.call('POST', '/v1/resources', { key, body: { amount } }))).json.res_id

const shopOffer = async ({ key }: { key: string }, amount: number): Promise<Offer> =>
  offerOf(app, key, await priced(key, amount))
