/** What a posting says beside its amount: what it belongs to, who stands on its other side, and what it was worth. */
import { readFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import type { View } from '../../domain/reading/books/entry.ts'
import { bookEntriesOf, bookedTypes } from '../../domain/reading/books/index.ts'
import { entryFactsOf } from '../../domain/reading/books/posting-facts.ts'

type Event = { type: string; data: object; stream: string }

const golden: Omit<Event, 'stream'>[] = JSON.parse(
  readFileSync(new URL('../golden/events.json', import.meta.url), 'utf8'),
)

const factsIn = (event: Event, view: View) => {
  const entry = bookEntriesOf(event).find((each) => each.view === view)
  if (!entry) throw new Error(`${event.type} is not in the books of ${view}`)
  const { values, ...facts } = entryFactsOf(event, entry)
  return { ...facts, worth: entry.postings.map(({ account }, n) => ({ account, ...values[n] })) }
}

const transfer = {
  network: 'base',
  tx: '0xpaid',
  index: '0',
  asset: 'usdc_base',
  from: '0xbuyer',
  to: '0xseller',
  amount: '119000000',
  height: 7,
  blockHash: '0xb',
  minedAt: '2026-03-05T10:00:00.000Z',
}
const settled = {
  accountId: 'acc_1',
  resId: null,
  challengeId: 'ch_1.usdc_base',
  asset: 'usdc_base',
  decimals: 6,
  paymentRequest: { requestId: 'pr_1', transactionId: '7' },
  transfer,
  asked: '119000000',
  amount: '102586207',
  currency: 'EUR',
  usd: '119000000',
  vat: '16379310',
  test: false,
}
const sale: Event = { type: 'ChallengeSettled', stream: 'challenge-ch_1', data: settled }

test('a sale says who paid, for which request, and what each posting was worth, with VAT', (t) => {
  const worth = { rateSource: 'coinbase kraken okx', ownPrice: { currency: 'EUR', amount: '102586207' } }
  const facts = factsIn({ ...sale, data: { ...settled, ...worth } }, 'seller:acc_1')
  t.like(facts, {
    order: 'pr_1',
    document: undefined,
    counterparty: '0xbuyer',
    hash: '0xpaid',
    payer: '0xbuyer',
    rateSource: 'coinbase kraken okx',
  })
  t.deepEqual(facts.worth, [
    { account: 'assets:receipts', usd: '119000000', value: '102586207', currency: 'EUR' },
    { account: 'income:sales', usd: '-100000001', value: '-86206898', currency: 'EUR' },
    { account: 'liabilities:vat', usd: '-18999999', value: '-16379309', currency: 'EUR' },
  ])
})

test('an event of before says that its rate is that of the challenge, and no value in a currency that it does not have', (t) => {
  const facts = factsIn(sale, 'seller:acc_1')
  t.is(facts.rateSource, 'rate of the challenge')
  t.deepEqual(facts.worth[0], { account: 'assets:receipts', usd: '119000000' })
  const { usd: _, ...unpriced } = settled
  const none = factsIn({ ...sale, data: unpriced }, 'seller:acc_1')
  t.deepEqual([none.rateSource, none.worth[0]], [undefined, { account: 'assets:receipts' }])
  const unmatched = { accountId: 'acc_1', challengeId: null, reason: 'unmatched', transfer }
  const aside = factsIn({ type: 'TransferSetAside', stream: 'transfer-1', data: unmatched }, 'seller:acc_1')
  t.deepEqual(
    [aside.counterparty, aside.rateSource, aside.worth[0]],
    ['0xbuyer', undefined, { account: 'liabilities:suspense' }],
  )
})

test('a rate of a currency is told beside that of the coin', (t) => {
  const ownPrice = { currency: 'GBP', amount: '90000000', source: 'coinbase erapi' }
  const facts = factsIn({ ...sale, data: { ...settled, rateSource: 'kraken okx', ownPrice } }, 'seller:acc_1')
  t.is(facts.rateSource, 'kraken okx / GBP coinbase erapi')
  t.like(facts.worth[0], { value: '90000000', currency: 'GBP' })
})

test('a fee has a document of ours, and each side of it names the other', (t) => {
  const data = {
    amount: '200000',
    owed: '38000',
    reason: 'platform-fee',
    ref: 'ch_1.usdc_base',
    source: 's',
    position: '1',
  }
  const ownPrice = { currency: 'EUR', amount: '205172' }
  const fee = { type: 'CreditDebited', stream: 'creditAccount-acc_1', data: { ...data, ownPrice } }
  const own = factsIn(fee, 'seller:acc_1')
  t.like(own, {
    counterparty: 'platform',
    document: 'platform-fee.ch_1.usdc_base',
    order: undefined,
    rateSource: undefined,
  })
  t.deepEqual(
    own.worth.map(({ account, usd, value, currency }) => [account, usd, value, currency]),
    [
      ['assets:credit', '-200000', '-172413', 'EUR'],
      ['expenses:fees', '200000', '172413', 'EUR'],
      ['liabilities:owed', '-38000', '-32759', 'EUR'],
      ['expenses:fees', '38000', '32759', 'EUR'],
    ],
  )
  const ours = factsIn(fee, 'platform')
  t.is(ours.counterparty, 'acc_1')
  t.like(ours.worth[0], { usd: '200000', value: '200000', currency: 'USD' })
})

test('what a user pays an app names the app, and what the app gets the user; the platform names them both', (t) => {
  const sent = {
    transferId: 'order:so_1',
    ledgerRef: 'oidcso-abc',
    kind: 'standing-order',
    total: '30000000',
    legs: [{ to: 'app:app_1', amount: '30000000' }],
    clientId: 'app_1',
    mandateId: 'so_1',
  }
  const out = { type: 'BalanceSent', stream: 'userBalance-usr_1', data: sent }
  const told = { order: 'so_1', document: 'oidcso-abc' }
  t.like(factsIn(out, 'user:usr_1'), { ...told, counterparty: 'app_1' })
  t.like(factsIn(out, 'platform'), { ...told, counterparty: 'usr_1' })
  const { legs: _, total, ...part } = sent
  const got = { ...part, amount: total, from: 'user:usr_1' }
  const received = { type: 'AppCreditReceived', stream: 'appCredit-app_1', data: got }
  t.like(factsIn(received, 'app:app_1'), { ...told, counterparty: 'usr_1' })
  t.like(factsIn(received, 'platform'), { ...told, counterparty: 'app_1' })
})

test('a refund that was sent names whom it was sent to, and is worth what the sale was', (t) => {
  const worth = { amount: '50000000', currency: 'EUR', rate: '0.86', usd: '58000000', rateSource: 'okx' }
  const data = { accountId: 'acc_1', transfer: { ...transfer, from: '0xseller', to: '0xbuyer' }, worth }
  const facts = factsIn({ type: 'RefundSent', stream: 'transaction-7', data }, 'seller:acc_1')
  t.like(facts, { counterparty: '0xbuyer', payer: '0xseller', rateSource: 'okx' })
  t.like(facts.worth[0], { usd: '-58000000' })
})

test('money that was kept for two is handed over to whose it is', (t) => {
  const event = { ...sale, data: { ...settled, holder: 'platform', matched: true } }
  t.is(factsIn(event, 'platform').counterparty, 'acc_1')
  t.is(factsIn(event, 'seller:acc_1').counterparty, '0xbuyer')
})

test('I-SUM-01 what the postings of an entry are worth sums to zero in every asset, whatever the amounts', (t) => {
  const amount = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.constantFrom(0n, 1n)).map(String)
  const event = fc
    .constantFrom(...golden.filter(({ type }) => bookedTypes.some((booked) => booked === type)))
    .chain(({ type, data }) =>
      fc.tuple(changed(data, amount), amount, amount).map(([some, usd, own]) => ({
        type,
        stream: 'any-acc_1',
        data: { ...(some as object), ...('usd' in data && { usd, ownPrice: { currency: 'EUR', amount: own } }) },
      })),
    )
  fc.assert(
    fc.property(event, (each) => {
      for (const entry of bookEntriesOf(each)) {
        const { values, counterparty, document, order } = entryFactsOf(each, entry)
        t.is(values.length, entry.postings.length)
        for (const name of ['usd', 'value'] as const) {
          const sums = new Map<string, bigint>()
          for (const [n, { asset }] of entry.postings.entries())
            sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(values[n]?.[name] ?? 0))
          t.deepEqual(new Set([...sums.values()].filter((sum) => sum !== 0n)), new Set(), `${each.type} ${name}`)
        }
        for (const fact of [counterparty, document, order]) t.notRegex(fact ?? '', /@|v1\./, each.type)
      }
    }),
  )
})

/** The same data with other amounts wherever an amount stands. */
const changed = (data: unknown, amount: fc.Arbitrary<string>): fc.Arbitrary<unknown> => {
  if (Array.isArray(data)) return fc.tuple(...data.map((each) => changed(each, amount)))
  if (typeof data !== 'object' || data === null) return fc.constant(data)
  return fc.record(
    Object.fromEntries(
      Object.entries(data).map(([name, value]) => [
        name,
        MONEY.has(name) && typeof value === 'string' ? amount : changed(value, amount),
      ]),
    ),
  )
}
const MONEY: ReadonlySet<string> = new Set([
  'amount',
  'owed',
  'total',
  'asked',
  'gasUsd',
  'units',
  'priceUnits',
  'paid',
])
