import test from 'ava'
import fc from 'fast-check'
import { AUTHORIZATION_SECONDS, envelopeOf, GASLESS_MAX, type PaymentWay } from '../../adapters/x402/envelope.ts'
import { allWays, BTC, ETH, orders, SOLD, TON, TRX, USDC_ARB, USDC_BASE } from './ways.ts'

const HEADER_MAX_BYTES = 8192

/** What the strictest clients take: the schema of `x402` 1.2.0, written down anew. */
const V1_NETWORKS =
  'abstract abstract-testnet base-sepolia base avalanche-fuji avalanche iotex solana-devnet solana sei sei-testnet polygon polygon-amoy peaq story educhain skale-base-sepolia'
const EVM = /^0x[0-9a-fA-F]{40}$/
const SVM = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const MIXED = /^0x[a-fA-F0-9]{40}|[A-Za-z0-9][A-Za-z0-9-]{0,34}[A-Za-z0-9]$/

test('J-DOOR-02 N-42 with a gasless entry every entry can be read by the strictest client, in any order', (t) => {
  for (const ways of orders(allWays)) {
    const { accepts } = envelopeOf(ways, SOLD, 'pay').body
    t.is(accepts.length, ways.length)
    for (const entry of accepts) t.true(isReadable(entry), JSON.stringify(entry))
    t.deepEqual(accepts.map(({ code }) => code).sort(), ways.map(({ code }) => code).sort())
  }
})

test('J-DOOR-02 the header is there with a gasless entry and not without one', (t) => {
  const { headers } = envelopeOf([BTC, USDC_BASE], SOLD, 'pay')
  t.deepEqual(Object.keys(headers).sort(), ['Cache-Control', 'PAYMENT-REQUIRED', 'WWW-Authenticate'])
  t.like(headers, { 'Cache-Control': 'no-store', 'WWW-Authenticate': 'x402' })
  t.deepEqual(envelopeOf([BTC, ETH], SOLD, 'pay').headers, { 'Cache-Control': 'no-store' })
})

test('J-GAS-01 N-02 the gasless entry is the challenge of its coin, and tells all that the coin tells', (t) => {
  const [entry] = envelopeOf([BTC, USDC_BASE], SOLD, 'pay').body.accepts
  t.deepEqual(entry as object, {
    challengeId: 'ch_set.usdc_base',
    code: 'usdc_base',
    rail: 'exact',
    chain: 'eip155:8453',
    address: USDC_BASE.address,
    amount: '0.050007',
    amountAtomic: '50007',
    decimals: 6,
    contract: USDC_BASE.contract,
    fiatAmount: '0.05',
    currency: 'USD',
    requiredConfirmations: 6,
    match: 'amount',
    expiresAt: USDC_BASE.expiresAt,
    scheme: 'exact',
    network: 'base',
    maxAmountRequired: '50007',
    resource: SOLD.url,
    description: SOLD.description,
    mimeType: 'application/json',
    payTo: USDC_BASE.address,
    maxTimeoutSeconds: 300,
    asset: USDC_BASE.contract,
    extra: USDC_BASE.gasless,
  })
})

test('N-42 paymentRequirements are the gasless entries alone, as version 1 knows them', (t) => {
  const { paymentRequirements } = envelopeOf(allWays, SOLD, 'pay').body
  t.is(paymentRequirements.length, 1)
  const keys = 'asset description extra maxAmountRequired maxTimeoutSeconds mimeType network payTo resource scheme'
  t.deepEqual(Object.keys(paymentRequirements[0] ?? {}).sort(), keys.split(' '))
})

test('N-42 the header of version 2 lists the gasless entries alone, each with its challenge', (t) => {
  const { accepts, resource, x402Version, error } = required([...allWays, USDC_ARB])
  t.deepEqual([x402Version, error, resource], [2, 'pay', { ...SOLD, mimeType: 'application/json' }] as unknown[])
  t.deepEqual(accepts, [entryOf(USDC_BASE, 'eip155:8453'), entryOf(USDC_ARB, 'eip155:42161')])
})

test('N-42 a chain without a name in version 1 is gasless in version 2 alone, and the body stays readable', (t) => {
  const { body, headers } = envelopeOf([USDC_ARB, BTC], SOLD, 'pay')
  const [entry] = body.accepts
  t.like(entry, { rail: 'exact', chain: 'eip155:42161', network: 'skale-base-sepolia', asset: 'usdc_arb' })
  t.false('extra' in (entry as object))
  for (const each of body.accepts) t.true(isReadable(each))
  t.deepEqual(body.paymentRequirements, [])
  t.is(headers['WWW-Authenticate' as never], 'x402' as never)
})

test('N-42 no client can sign for a coin on chain: its asset is no address, its network one where nobody is paid', (t) => {
  const { accepts } = envelopeOf(allWays, SOLD, 'pay').body
  for (const way of [BTC, ETH, TRX, TON]) {
    const entry = accepts.find(({ code }) => code === way.code)
    t.like(entry, { rail: 'onchain', network: 'skale-base-sepolia', asset: way.code, chain: way.chain })
    t.like(entry, { address: way.address, amountAtomic: way.amountAtomic, maxAmountRequired: way.amountAtomic })
    t.false('extra' in (entry as object))
  }
  const payTo = (code: string) => (accepts.find((entry) => entry.code === code) as { payTo: string }).payTo
  t.deepEqual([payTo('eth'), payTo('trx')], [ETH.address, TRX.address])
  // Version 1 cannot write these two.
  t.deepEqual([payTo('btc'), payTo('ton')], [USDC_BASE.address, USDC_BASE.address])
})

test('N-42 whatever a custom token is called, the 402 can be read, and cannot be signed for it', (t) => {
  const codes = fc.string({ unit: fc.constantFrom(...'abcz019_'), minLength: 1, maxLength: 32 })
  const check = fc.property(codes, (code) => {
    const [, entry] = envelopeOf([USDC_BASE, { ...ETH, code }], SOLD, 'pay').body.accepts
    t.true(isReadable(entry), code)
    t.is(entry?.code, code)
    t.notRegex((entry as { asset: string }).asset, EVM)
  })
  fc.assert(check)
})

test('N-02 without a gasless entry everything is called what it is, with the same keys of its own', (t) => {
  const { body } = envelopeOf([BTC, { ...ETH, test: true }], SOLD, 'pay')
  t.deepEqual(body.paymentRequirements, [])
  const [btc, eth] = body.accepts
  t.deepEqual(btc as object, {
    challengeId: 'ch_set.btc',
    code: 'btc',
    rail: 'onchain',
    chain: BTC.chain,
    address: BTC.address,
    amount: '0.00001234',
    amountAtomic: '1234',
    decimals: 8,
    fiatAmount: '0.05',
    currency: 'USD',
    requiredConfirmations: 6,
    match: 'amount',
    expiresAt: BTC.expiresAt,
    scheme: 'onchain',
    asset: 'btc',
    network: 'btc',
    payTo: BTC.address,
  })
  t.like(eth, { test: true })
  const own = (entry: object) => Object.keys(entry).filter((key) => !PROTOCOL.has(key))
  const [, veiled] = envelopeOf([USDC_BASE, BTC], SOLD, 'pay').body.accepts
  t.deepEqual(own(veiled ?? {}), [...own(btc ?? {}), 'veil'])
  t.deepEqual(envelopeOf([], SOLD, 'none').body.accepts, [])
})

test('N-42 the URL that was asked for is the resource, without what only chose the answer', (t) => {
  const resource = (url: string) => required([USDC_BASE], { ...SOLD, url }).resource.url
  t.is(resource('https://shop.test/checkout/x?cloud=a%20b&agent=1'), 'https://shop.test/checkout/x?cloud=a+b')
  t.is(resource('https://shop.test/checkout/x?cloud=a%20b'), 'https://shop.test/checkout/x?cloud=a%20b')
  t.is(resource('https://shop.test/r/x?agent=1'), 'https://shop.test/r/x')
  t.is(resource(`https://shop.test/r/x?q=${'a'.repeat(5000)}`), 'https://shop.test/r/x')
  t.is(required([USDC_BASE], { ...SOLD, description: '  ' }).resource.description, 'A priced resource')
})

test('N-42 the header stays under 8 KB however much is offered; what does not fit is offered on chain', (t) => {
  const id = `ch_${'a'.repeat(26)}.`
  const many = Array.from({ length: 20 }, (_, n): PaymentWay => {
    const code = `usdc_${n}`.padEnd(32, 'x')
    return { ...USDC_BASE, challengeId: id + code, code, chain: `eip155:${84530 + n}`, amountAtomic: '9'.repeat(18) }
  })
  const sold = { url: `https://shop.test/r/${'x'.repeat(40)}?q=${'a'.repeat(900)}`, description: '𝄞'.repeat(500) }
  const { body, headers } = envelopeOf(many, sold, 'X-PAYMENT header is required')
  t.true(Buffer.byteLength(Object.values(headers).join('')) < HEADER_MAX_BYTES)
  t.is(body.accepts.filter(({ rail }) => rail === 'exact').length, GASLESS_MAX)
  t.is(body.accepts.length, 20)
})

test('J-GAS-01 what no client could sign is not offered as gasless', (t) => {
  const dear = { ...USDC_BASE, amountAtomic: '1'.repeat(19) }
  const { contract: _, ...coin } = USDC_BASE
  for (const way of [dear, coin, { ...USDC_BASE, chain: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }])
    t.is(envelopeOf([way], SOLD, 'pay').body.accepts[0]?.rail, 'onchain')
})

const PROTOCOL = new Set(
  'scheme network maxAmountRequired resource description mimeType payTo maxTimeoutSeconds asset extra'.split(' '),
)

const entryOf = ({ challengeId, contract, address, amountAtomic, gasless }: PaymentWay, network: string) => ({
  challengeId,
  scheme: 'exact',
  network,
  amount: amountAtomic,
  asset: contract,
  payTo: address,
  maxTimeoutSeconds: AUTHORIZATION_SECONDS,
  extra: gasless,
})

const required = (ways: readonly PaymentWay[], sold = SOLD) => {
  const { headers } = envelopeOf(ways, sold, 'pay')
  const text = (headers as Record<string, string>)['PAYMENT-REQUIRED'] ?? ''
  return JSON.parse(Buffer.from(text, 'base64').toString())
}

const isReadable = (entry: unknown): boolean => {
  const e = entry as Record<string, string> & { maxTimeoutSeconds: number }
  const addressed = EVM.test(e.payTo ?? '') || SVM.test(e.payTo ?? '')
  const named = e.scheme === 'exact' && V1_NETWORKS.split(' ').includes(e.network ?? '')
  const told = (e.description ?? '') !== '' && e.mimeType === 'application/json' && URL.canParse(e.resource ?? '')
  const coin = MIXED.test(e.asset ?? '') && /^\d+$/.test(e.maxAmountRequired ?? '')
  return named && addressed && told && coin && Number.isInteger(e.maxTimeoutSeconds) && !('outputSchema' in e)
}
