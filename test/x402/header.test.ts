import test from 'ava'
import fc from 'fast-check'
import { decodePayment, PAYMENT_HEADER_MAX, readPayment } from '../../adapters/x402/header.ts'
import { readRequirements } from '../../adapters/x402/requirements.ts'
import { anyCharacter } from '../support/any-character.ts'
import { BASE_SEPOLIA_USDC, base64, SELLER, signedBy, v1Payload, v2Payload } from './payments.ts'

test('J-DOOR-05 N-42 a payment of version 1 is read, in base64 and base64url, padded or not', async (t) => {
  const signed = await signedBy()
  const expected = {
    kind: 'payment',
    payment: { version: 1, scheme: 'exact', network: 'base-sepolia', caip2: 'eip155:84532', ...signed },
  }
  // Of three lengths, two need padding.
  for (const note of ['', 'a', 'ab'])
    for (const header of formsOf(base64({ ...v1Payload(signed), note })))
      t.deepEqual(decodePayment(header), expected as never)
})

test('J-DOOR-05 N-42 a payment of version 2 is read with the entry that it pays', async (t) => {
  const signed = await signedBy()
  const asset = BASE_SEPOLIA_USDC.verifyingContract
  const [network, caip2] = ['eip155:84532', 'eip155:84532']
  const accepted = {
    version: 2,
    scheme: 'exact',
    network,
    caip2,
    amount: '50000',
    asset,
    payTo: SELLER,
    challengeId: 'ch_a.usdc_base',
    token: { name: 'USDC', version: '2' },
  }
  const payment = { version: 2, scheme: 'exact', network, caip2, ...signed, accepted }
  const expected = { kind: 'payment', payment: { ...payment, resourceUrl: 'https://shop.test/r/res_1' } }
  t.deepEqual(decodePayment(base64(v2Payload(signed))), expected as never)
  const bare = { ...v2Payload(signed), resource: undefined, extensions: null }
  t.deepEqual(decodePayment(base64(bare)), { kind: 'payment', payment } as never)
})

test('J-DOOR-05 a client may name its payment, and a name that is none is malformed', async (t) => {
  const payload = v2Payload(await signedBy())
  const named = (id?: unknown) =>
    readPayment({ ...payload, extensions: { 'payment-identifier': { info: { required: false, id }, schema: {} } } })
  const kept = named('pay_0123456789abcdef')
  t.is(kept.kind === 'payment' && kept.payment.paymentIdentifier, 'pay_0123456789abcdef')
  const unnamed = named()
  t.true(unnamed.kind === 'payment' && !('paymentIdentifier' in unnamed.payment))
  for (const id of ['short', 'x'.repeat(129), 'has spaces in the middle', 17, null])
    t.is(named(id).kind, 'malformed', String(id))
})

test('J-DOOR-05 addresses come out in EIP-55 form and hex in lower case, however they were sent', async (t) => {
  const { authorization, signature } = await signedBy()
  const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`
  for (const form of [upper, (hex: string) => hex.toLowerCase()]) {
    const { from, to, nonce } = authorization
    const sent = { ...authorization, from: form(from), to: form(to), nonce: form(nonce) }
    const read = decodePayment(base64(v1Payload({ authorization: sent, signature: form(signature) })))
    t.like(read, { kind: 'payment', payment: { authorization, signature } })
  }
})

test('J-DOOR-05 N-42 what is no base64, no UTF-8, no JSON object or too long is malformed', async (t) => {
  const good = JSON.stringify(v1Payload(await signedBy()))
  const text = (content: string | Buffer) => Buffer.from(content).toString('base64')
  const bad = {
    empty: '',
    symbols: '!!!!',
    spaces: `${text(good)} `,
    'too much padding': `${text(good)}===`,
    'no JSON': text('{'),
    'a text': text('"x"'),
    'a list': text('[1]'),
    nothing: text('null'),
    'a number': text('1'),
    blank: text('  '),
    'no UTF-8': text(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
    'a key twice': text(good.replace('{', '{"network":"base",')),
    'a key twice deep inside': text(good.replace('"value":', '"value":"1","value":')),
    'too deep': text('{"a":'.repeat(40) + 1 + '}'.repeat(40)),
    'too long': text(JSON.stringify({ ...JSON.parse(good), note: 'x'.repeat(PAYMENT_HEADER_MAX) })),
  }
  t.is(decodePayment(text(good)).kind, 'payment')
  for (const [name, header] of Object.entries(bad)) t.is(decodePayment(header).kind, 'malformed', name)
})

test('J-DOOR-05 N-42 fields of a wrong length, type or size are malformed', async (t) => {
  const { authorization, signature } = await signedBy()
  const read = (over: object, top: object = {}) =>
    readPayment({ ...v1Payload({ authorization: { ...authorization, ...over }, signature }), ...top }).kind
  const max = (2n ** 256n - 1n).toString()
  t.is(read({ validBefore: max, value: '9'.repeat(18), validAfter: '0' }), 'payment')
  const address = authorization.from
  const wrong: object[] = [
    ...['', '-1', '1.5', '01', '1e3', '0x10', ' 1', '9'.repeat(19), 50000, null].map((value) => ({ value })),
    ...[(2n ** 256n).toString(), '9'.repeat(78), 'soon', 1].map((validBefore) => ({ validBefore })),
    ...[address.slice(0, -1), `${address}0`, address.slice(2), 'vitalik.eth', 7, null].map((from) => ({ from })),
    ...[authorization.nonce.slice(0, -2), `${authorization.nonce}00`, '0x', 'x'].map((nonce) => ({ nonce })),
    { to: undefined },
  ]
  for (const over of wrong) t.is(read(over), 'malformed', JSON.stringify(over))
  for (const wrongly of ['', '0x', '0x0', 'zz', `0x${'00'.repeat(3073)}`, 1, null]) {
    const payload = { authorization, signature: wrongly }
    t.is(read({}, { payload }), 'malformed', String(wrongly).slice(0, 20))
  }
  for (const top of [{ scheme: 1 }, { network: undefined }, { network: '' }, { payload: null }, { payload: [] }])
    t.is(read({}, top), 'malformed', JSON.stringify(top))
  for (const x402Version of ['1', null, undefined, 1.5]) t.is(read({}, { x402Version }), 'malformed')
})

test('J-DOOR-05 N-42 what can be read and is not taken here is no malformed payment', async (t) => {
  const signed = await signedBy()
  const [v1, v2] = [v1Payload(signed), v2Payload(signed)]
  const unacceptable = (value: object, version: 1 | 2, reason: string) =>
    t.deepEqual(readPayment(value), { kind: 'unacceptable', version, reason } as never)
  unacceptable({ ...v1, x402Version: 3 }, 2, 'version')
  unacceptable({ ...v1, network: 'solana', payload: { transaction: 'AQID' } }, 1, 'network')
  unacceptable({ ...v1, scheme: 'upto', payload: { permit2Authorization: {} } }, 1, 'scheme')
  unacceptable({ ...v2, payload: { permit2Authorization: {}, signature: '0x' } }, 2, 'payload')
  const accepted = { scheme: 'exact', network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', payTo: 'base58' }
  unacceptable({ ...v2, accepted, payload: { transaction: 'AQID' } }, 2, 'network')
})

test('J-DOOR-05 an authorization on a network that nobody knows is still read', async (t) => {
  const signed = await signedBy()
  const read = readPayment({ ...v1Payload(signed), network: 'ethereum' })
  t.like(read, { kind: 'payment', payment: { network: 'ethereum', caip2: undefined } })
})

test('J-DOOR-05 N-42 reading a header never throws: random text, random bytes, mutated payments', async (t) => {
  const signed = await signedBy()
  const payloads = [v1Payload(signed), v2Payload(signed)].map((payload) => JSON.stringify(payload))
  const read = (header: string) => t.true(['payment', 'malformed', 'unacceptable'].includes(decodePayment(header).kind))
  const bytes = fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each))
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), read))
  fc.assert(fc.property(bytes, (each) => read(each.toString('base64'))))
  fc.assert(fc.property(fc.json(), (each) => read(Buffer.from(each).toString('base64url'))))
  const cut = fc.record({ which: fc.nat(1), at: fc.nat(900), gone: fc.nat(5), put: bytes })
  const mutated = fc.property(cut, ({ which, at, gone, put }) => {
    const whole = Buffer.from(payloads[which] ?? '')
    read(Buffer.concat([whole.subarray(0, at), put.subarray(0, 6), whole.subarray(at + gone)]).toString('base64'))
  })
  fc.assert(mutated, { numRuns: 1000 })
})

test('J-GAS-05 N-42 every field of a payment may be anything at all, and reading it does not throw', async (t) => {
  const signed = await signedBy()
  const roots = [v1Payload(signed), v2Payload(signed)]
  const paths = roots.map((root) => pathsOf(root))
  const check = fc.property(fc.nat(1), fc.nat(), fc.anything(), (which, at, value) => {
    const copy = structuredClone(roots[which]) as unknown as Tree
    const path = paths[which]?.[at % (paths[which]?.length ?? 1)] ?? []
    const parent = path.slice(0, -1).reduce<Tree>((tree, key) => tree[key] as Tree, copy)
    parent[path.at(-1) ?? ''] = value
    t.notThrows(() => [readPayment(copy), readRequirements(2, copy.accepted), readRequirements(1, copy.accepted)])
  })
  fc.assert(check, { numRuns: 1000 })
})

test('J-GAS-05 requirements are read in both versions, whatever sellers add to them', (t) => {
  const asset = BASE_SEPOLIA_USDC.verifyingContract
  const v1 = {
    scheme: 'exact',
    network: 'base-sepolia',
    maxAmountRequired: '10000',
    resource: 'https://seller.test/paid',
    description: '',
    mimeType: '',
    payTo: SELLER.toLowerCase(),
    maxTimeoutSeconds: 60,
    asset: asset.toLowerCase(),
    outputSchema: { input: { type: 'http' } },
    extra: { name: 'USDC', version: '2' },
  }
  const [caip2, amount] = ['eip155:84532', '10000']
  const token = { name: 'USDC', version: '2' }
  const common = { scheme: 'exact', caip2, amount, asset, payTo: SELLER }
  const resourceUrl = 'https://seller.test/paid'
  t.deepEqual(readRequirements(1, v1), { version: 1, network: 'base-sepolia', ...common, resourceUrl, token })
  const v2 = { scheme: 'exact', network: caip2, amount, asset, payTo: SELLER, maxTimeoutSeconds: 60 }
  t.deepEqual(readRequirements(2, { ...v2, extra: { feePayer: 1 }, challengeId: 7 }), {
    version: 2,
    network: caip2,
    ...common,
  })
  for (const bad of [null, 'x', {}, { ...v2, amount: 1 }, { ...v2, payTo: 'me' }, { ...v2, asset: 'usdc' }])
    t.is(readRequirements(2, bad), undefined)
  t.is(readRequirements(1, v2), undefined)
})

type Tree = Record<string, unknown>

const pathsOf = (value: unknown, path: string[] = []): string[][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsOf(inner, [...path, key])])
    : []

/** One text in both alphabets, padded and not. */
const formsOf = (padded: string): string[] => {
  const bytes = Buffer.from(padded, 'base64')
  const url = bytes.toString('base64url')
  return [padded, padded.replace(/=+$/, ''), url, url + '='.repeat((4 - (url.length % 4)) % 4)]
}
