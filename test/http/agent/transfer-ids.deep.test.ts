import test from 'ava'
import { challengeParts, type TransferData, transferId } from '../../../domain/selling/challenge-terms.ts'
import { attributeTransfer } from '../../../domain/use-cases/selling/settling/attribute-transfer.ts'
import { matchTransfer } from '../../../domain/use-cases/selling/settling/match-transfer.ts'
import { transferData } from '../../../domain/use-cases/selling/settling/settle-payment.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { evmByAddress, evmTestChain, tokenCall } from '../../support/anvil.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { byLog } from '../../support/by-log.ts'
import { consoleOk } from '../../support/console.ts'
import { alone } from '../../support/ledger.ts'
import { assertReplayEqual, freshAddress, me, saidOf, transactionOf, USDC, verify } from '../../support/sale.ts'
import { activeSeller, type Offer, ok } from '../../support/seller.ts'

/**
 * A payment of a token is booked once, wherever a reorganisation puts its log, and whichever release found it first.
 * Every test runs alone: they share one chain and its depth.
 */

let app: TestApp
test.before(async () => {
  app = await startApp()
  await app.anvil.mine(10)
  await app.anvil.deployToken(USDC, 10n ** 15n)
})
test.after.always(() => app?.stop())

test.serial(
  'N-24 X-REPLAY-01 I-SET-01 a settled payment that a reorganisation moves within its block stays one payment',
  async (t) => {
    const s = await tokenShop(1)
    const offer = await s.offer()
    const before = await app.anvil.sendToken(USDC, freshAddress(), 1n)
    const hash = await app.anvil.sendToken(USDC, s.address, BigInt(offer.amountAtomic))
    await settled(offer)
    const [was] = await foundNow(hash)
    await app.anvil.rearrange(before, hash)
    const [is] = await foundNow(hash)
    t.not(is?.formerIndex, was?.formerIndex)
    await app.anvil.mine(1)
    await eventually('the second look', async () => (await saidOf(app, 'TransfersSeen', hash)).length === 2)
    await markedByLater()
    t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, { settled: true })
    t.deepEqual(await statuses(s), ['settled'])
    t.is((await saidOf(app, 'TransferClaimed', hash)).length, 1)
    t.is((await saidOf(app, 'TransferSetAside', hash)).length, 0)
    t.like(await me(app, s.key), { settlements_count: 1, total_earned: PRICE_USD })
  },
)

test.serial(
  'X-REPLAY-01 X-IDEM-04 N-24 what a former release has booked is booked once: posted, looked for again, and read again from before',
  async (t) => {
    const s = await tokenShop(null)
    const offers = [await s.offer(), await s.offer(), await s.offer(), await s.offer()] as const
    const [whole, inParts, waiting, odd] = offers
    const from = await app.anvil.client.getBlockNumber()
    const asked = (offer: Offer) => BigInt(offer.amountAtomic)
    await app.restart(async () => {
      const pay = (...amounts: readonly bigint[]) =>
        app.anvil.transact({ to: USDC, data: tokenCall('transferMany', [amounts.map(() => s.address), amounts]) })
      // Alone and together in one transaction; twice; with three confirmations of six.
      const deep = [await pay(asked(whole), asked(inParts) / 2n), await pay(asked(whole)), await pay(asked(odd) * 3n)]
      await app.anvil.mine(whole.requiredConfirmations)
      const shallow = await pay(asked(waiting))
      await app.anvil.mine(2)
      await asFormerly([...deep, shallow], { amount: String(asked(inParts) / 2n), pays: inParts.challengeId })
    })
    const rows = await eventually('the rows', async () => {
      const found = await settlementsOf(s)
      const isNumbered = found.every((row) => row.status === 'unmatched' || row.transaction_id !== null)
      return found.length === 4 && isNumbered && found
    })
    t.deepEqual(rows.map(({ status }) => status).sort(), ['doubled', 'settled', 'underpaid', 'unmatched'])
    t.true(rows.every(({ transfer }) => /:\d+$/.test(transfer)))
    const pending = await saidOf(app, 'PaymentDetected', waiting.challengeId)
    t.is(pending.length, 1)
    const hashes = [...new Set(rows.map(({ hash }) => hash)), pending[0]?.transfer.tx ?? '']
    const unchanged = async () => t.deepEqual(sorted(await settlementsOf(s)), sorted(rows))

    for (const offer of offers) for (const hash of hashes) await verify(app, offer.challengeId, hash)
    await unchanged()
    const numbers = await Promise.all(
      [inParts, waiting].map(async ({ challengeId }) => (await transactionOf(app, s.key, challengeId)).id ?? ''),
    )
    for (const transaction_id of numbers) await consoleOk(app, s.key, 'check-transaction', { transaction_id })
    await unchanged()
    await app.restart(() => rewind(Number(from)))
    await eventually('the blocks read again', async () => {
      const seen = await Promise.all(hashes.map((hash) => saidOf(app, 'TransfersSeen', hash)))
      return seen.every((each) => each.length === 2)
    })
    await markedByLater()
    await unchanged()
    t.is((await saidOf(app, 'PaymentDetected', waiting.challengeId)).length, 1)

    await app.anvil.mine(whole.requiredConfirmations)
    await settled(waiting)
    const [later, ...others] = (await settlementsOf(s)).filter(
      ({ challenge_id }) => challenge_id === waiting.challengeId,
    )
    t.deepEqual(others, [])
    t.like(later, { status: 'settled', transfer: pending[0] && transferId(pending[0].transfer) })
    await verify(app, waiting.challengeId, hashes.at(-1) ?? '')
    t.is((await settlementsOf(s)).length, rows.length + 1)
    t.like(await me(app, s.key), { settlements_count: 2, total_earned: 2 * PRICE_USD })
  },
)

test.serial('every read model equals its replay', (t) => assertReplayEqual(t, app))

const PRICE_USD = 10

/** A seller of one thing for dollars, to an address that nobody else is paid at. */
const tokenShop = async (confirmations: number | null) => {
  const { key } = await activeSeller(app)
  const address = freshAddress()
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'usdc', address } }))
  if (confirmations !== null)
    await ok(app.call('PUT', '/v1/settings', { key, body: { confirmations: { default: confirmations } } }))
  const body = { amount: PRICE_USD, currency: 'USD', accepted_assets: ['usdc'] }
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key, body }))).json
  const offer = async (): Promise<Offer> =>
    (await ok(app.call('POST', '/v1/challenge', { key, body: { res_id } }))).json.accepts[0]
  return { key, address, offer }
}
type TokenShop = Awaited<ReturnType<typeof tokenShop>>

type Row = Readonly<Record<'transfer' | 'status' | 'hash' | 'challenge_id', string>> & {
  readonly transaction_id: string | null
}
const settlementsOf = async ({ key }: TokenShop): Promise<readonly Row[]> =>
  (await ok(app.call('GET', '/v1/settlements', { key }))).json.settlements
const statuses = async (s: TokenShop) => (await settlementsOf(s)).map(({ status }) => status)
const sorted = (rows: readonly Row[]) => rows.toSorted((a, b) => (a.transfer < b.transfer ? -1 : 1))

const settled = ({ challengeId }: Offer) =>
  eventually('the settlement', async () => (await saidOf(app, 'ChallengeSettled', challengeId)).length === 1)

/** What was seen before a payment that has settled was answered before it: policies keep the order of the log. */
const markedByLater = async () => {
  const s = await tokenShop(1)
  const offer = await s.offer()
  await app.anvil.sendToken(USDC, s.address, BigInt(offer.amountAtomic))
  await settled(offer)
}

/** What the chain says of a transaction today. */
const foundNow = async (hash: string): Promise<readonly TransferData[]> => {
  const { chainId, url } = app.anvil
  const chain = evmByAddress({ network: 'eth', chain: evmTestChain(chainId), rpcUrls: [url], timeoutMs: 20_000 })
  return ((await chain.transfersOf(hash)) ?? []).map(transferData)
}

/**
 * Writes down what these transactions paid, and books it, as a release did that named transfers by the place in the
 * block. Of one amount the seller says what it pays.
 */
const asFormerly = async (hashes: readonly string[], said: { readonly amount: string; readonly pays: string }) => {
  const found = (await Promise.all(hashes.map(foundNow))).flat()
  const transfers = found.map(({ formerIndex, ...transfer }) => ({ ...transfer, index: formerIndex ?? transfer.index }))
  const { number, hash } = await app.anvil.client.getBlock()
  await byLog(app, async (ledger) => {
    const height = Number(number)
    await ledger.chainWatch.scanned('eth', { network: 'eth', height, hash, head: height, transfers })
    for (const transfer of transfers) await attributeTransfer(ledger, transfer, alone.heard, height)
    const set = await ledger.challenge.read(challengeParts(said.pays)?.setId ?? '')
    const odd = transfers.find(({ amount }) => amount === said.amount)
    if (set.status === 'none' || !odd) throw new Error('there is nothing to match')
    const match = { accountId: set.accountId, transferId: transferId(odd), challengeId: said.pays, by: 'key' }
    await matchTransfer({ ledger }, match)
  })
}

/** The watch begins again behind this block. */
const rewind = (height: number) =>
  byLog(app, async (ledger) => {
    const { height: from } = await ledger.chainWatch.read('eth')
    await ledger.chainWatch.reorganised('eth', { network: 'eth', from, height })
  })
