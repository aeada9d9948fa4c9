import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { freshAddress, send, verify } from '../../support/sale.ts'
import { offerOf, seller, signUp } from '../../support/seller.ts'
import { causedBy, refused, strictly } from '../strict.ts'

const HOOK = 'https://hooks.example.com/settings'

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('J-SET-01 J-GEN-02 a new account shows exactly the documented tree', async (t) => {
  const { key } = await signUp(app)
  const { status, json } = await strictly(t, app)('GET', '/v1/settings', { key })
  t.is(status, 200)
  t.deepEqual(json, tree)
})

test('J-SET-02 Q-34 each section alone is changed, shown with all the rest, and stays', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  let expected: object = tree
  for (const change of sections) {
    const { status, json } = await call('PUT', '/v1/settings', { key, body: change })
    expected = { ...expected, ...change }
    t.deepEqual([status, json], [200, expected])
    t.deepEqual((await call('GET', '/v1/settings', { key })).json, expected)
  }
  const again = await call('PUT', '/v1/settings', { key, body: Object.assign({}, ...sections) })
  t.deepEqual(again.json, expected)
  t.deepEqual(await causedBy(app, again.requestId), [], 'the same again changes nothing')
  t.deepEqual((await call('PUT', '/v1/settings', { key, body: {} })).json, expected)
})

deepTest(
  'J-SET-02 a field of a section keeps its value when it is not given, and what was set can be taken back',
  async (t) => {
    const call = strictly(t, app)
    const { key } = await signUp(app)
    const put = async (body: object) => (await call('PUT', '/v1/settings', { key, body })).json
    await put({ branding: { brand_name: 'Shop', color_1: '#A0b1C2' }, payment: { refunds: true } })
    const partly = await put({ branding: { brand_name: 'Store' }, payment: { accept_underpayments: 2.5 } })
    t.deepEqual(partly.branding, { ...tree.branding, brand_name: 'Store', color_1: '#A0b1C2' })
    t.deepEqual(partly.payment, { accept_underpayments: 2.5, redirect: '', refunds: true })
    await put({ web3_names: { ens: 'shop.eth' }, confirmations: { default: 3, coins: { eth: 2 } } })
    const back = {
      confirmations: { default: null, coins: { eth: null } },
      web3_names: { ens: null },
      payment: { refunds: false },
    }
    const cleared = await put({ ...back, branding: { brand_name: '', color_1: '' } })
    t.deepEqual(cleared, { ...tree, payment: { ...tree.payment, accept_underpayments: 2.5 } })
  },
)

deepTest(
  'J-SET-02 setting one coin keeps the others, and null removes one; so it is with names and VAT rates',
  async (t) => {
    const call = strictly(t, app)
    const { key } = await signUp(app)
    const put = async (body: object) => (await call('PUT', '/v1/settings', { key, body })).json
    await put({ confirmations: { coins: { eth: 3, btc: 2 } }, web3_names: { ens: 'shop.eth', sns: 'shop.sol' } })
    const one = await put({ confirmations: { coins: { eth: 7 } }, web3_names: { ens: 'store.eth' } })
    t.deepEqual(one.confirmations.coins, { eth: 7, btc: 2 })
    t.deepEqual(one.web3_names, { ens: 'store.eth', sns: 'shop.sol' })
    const without = await put({ confirmations: { coins: { btc: null } }, web3_names: { ens: null } })
    t.deepEqual([without.confirmations.coins, without.web3_names], [{ eth: 7 }, { sns: 'shop.sol' }])
    const save = async (change: object) => {
      const body = new URLSearchParams({ function: 'save-settings', settings: JSON.stringify(change) }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await app.call('POST', '/api.php', { key, headers, body })).json.response
    }
    t.deepEqual((await save({ confirmations: { coins: { btc: 4 } } })).confirmations.coins, { eth: 7, btc: 4 })
    await save({ vat: { country: 'DE', rates: { DE: '19', FR: '20' } } })
    t.deepEqual((await save({ vat: { rates: { FR: null, AT: '20' } } })).vat.rates, { DE: '19', AT: '20' })
    const names = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`s${n}`, 'x']))
    await refused(t, app, [
      {
        what: 'a name too many',
        key,
        method: 'PUT',
        path: '/v1/settings',
        body: { web3_names: names },
        status: 400,
        code: 'svc_invalid_request',
      },
    ])
  },
)

test('a coin that is not known is refused with the nearest that is', async (t) => {
  const { key } = await signUp(app)
  const message = async (code: string) =>
    (await app.call('PUT', '/v1/settings', { key, body: { confirmations: { coins: { [code]: 1 } } } })).json.message
  t.regex(await message('USDC_BASE'), /Did you mean usdc_base\?/)
  t.regex(await message('usdc_bsae'), /Did you mean usdc_base\?/)
  t.regex(await message('quatloo'), /Known codes: .*btc, .*eth/)
})

test('J-SET-03 X-ONCE-01 the webhook among the settings is the account’s: its secret is shown once, and rotates', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  const put = async (webhook: object) => (await call('PUT', '/v1/settings', { key, body: { webhook } })).json.webhook
  const first = await put({ url: HOOK })
  t.regex(first.secret, /^whsec_[0-9a-f]{64}$/)
  const shown = { url: HOOK, has_secret: true, secret_last4: first.secret.slice(-4), agent_url: '' }
  t.deepEqual((await call('GET', '/v1/settings', { key })).json.webhook, shown)
  t.deepEqual((await call('GET', '/v1/webhook', { key })).json, shown)
  const rotated = await put({ rotate_secret: true })
  t.not(rotated.secret, first.secret)
  t.is(rotated.secret_last4, rotated.secret.slice(-4))
  t.deepEqual(await put({ rotate_secret: false }), { ...shown, secret_last4: rotated.secret.slice(-4) })
  t.deepEqual(await put({ url: '' }), tree.webhook)
  t.deepEqual((await call('GET', '/v1/webhook', { key })).json, tree.webhook)
})

test('J-SET-02 J-SET-04 Q-38 what does not exist, or is of another form, is refused and changes nothing', async (t) => {
  const call = strictly(t, app)
  const { key } = await signUp(app)
  await call('PUT', '/v1/settings', { key, body: { currency: 'EUR' } })
  const before = (await call('GET', '/v1/settings', { key })).text
  t.false(/private|custod|node|payout/.test(before))
  const refusal = { method: 'PUT', path: '/v1/settings', key, status: 400, code: 'svc_invalid_request' }
  // What is right beside it is not saved either.
  const calls = bad.map((body) => ({ what: JSON.stringify(body), body: { currency: 'GBP', ...body }, ...refusal }))
  await refused(t, app, calls)
  const unknown = { what: 'a coin', body: { confirmations: { coins: { zzz: 1 } } }, ...refusal }
  await refused(t, app, [{ ...unknown, code: 'svc_unknown_asset' }])
  const ap2 = {
    what: 'a webhook beside',
    body: { webhook: { url: HOOK }, payment: { ap2: { accept: [], require: true } } },
  }
  const rotated = { what: 'no secret', body: { currency: 'GBP', webhook: { rotate_secret: true } } }
  await refused(t, app, [
    { ...refusal, ...ap2 },
    { ...refusal, ...rotated },
  ])
  t.is((await call('GET', '/v1/settings', { key })).text, before)
})

test('J-SET-05 J-VER-02 the confirmations that are set are locked in a challenge, and verify by hash waits for them', async (t) => {
  const call = strictly(t, app)
  const { key, resId } = await seller(app, { address: freshAddress(), webhook: false })
  const set = (confirmations: object) => call('PUT', '/v1/settings', { key, body: { confirmations } })
  await set({ coins: { eth: 3 } })
  const offer = await offerOf(app, key, resId)
  t.is(offer.requiredConfirmations, 3)
  await set({ coins: { eth: 200 } })
  const hash = await send(app, offer)
  const { json } = await verify(app, offer.challengeId, hash)
  t.like(json, { status: 'pending', required: 3 })
  t.true(json.confirmations >= 1 && json.confirmations < 3)
  await app.anvil.mine(2)
  t.deepEqual((await verify(app, offer.challengeId, hash)).json, { settled: true })
  t.is((await offerOf(app, key, resId)).requiredConfirmations, 200)
  await set({ default: 0, coins: { eth: null } })
  t.is((await offerOf(app, key, resId)).requiredConfirmations, 1)
  await set({ increase: [{ above: 99.99, confirmations: 12 }] })
  t.is((await offerOf(app, key, resId)).requiredConfirmations, 12)
})

deepTest('J-SET-05 a door that was asked before asks for what is set now', async (t) => {
  const { key, resId } = await seller(app, { webhook: false })
  const depth = async () => (await app.call('GET', `/r/${resId}`)).json.accepts[0].requiredConfirmations
  t.is(await depth(), 6)
  await app.call('PUT', '/v1/settings', { key, body: { confirmations: { coins: { eth: 7 } } } })
  t.is(await depth(), 7)
})

const tree = {
  confirmations: { default: null, coins: {}, increase: [] },
  webhook: { url: '', has_secret: false, secret_last4: '', agent_url: '' },
  currency: 'USD',
  address_reuse_cooldown: 86_400,
  payment: { accept_underpayments: 0, redirect: '' },
  notifications: { email: false },
  branding: { brand_name: '', logo_url: '', logo_url_dark: '', color_1: '', color_2: '', color_3: '' },
}

const issuerKey = {
  kty: 'EC',
  crv: 'P-256',
  kid: 'wallet-1',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
}
const someRules = {
  accept: ['registered', 'self'],
  require: true,
  issuers: [
    { iss: 'https://wallet.example', jwks: { keys: [issuerKey] } },
    { iss: 'https://bank.example.com', jwks_uri: 'https://bank.example.com/jwks.json' },
  ],
}

/** Every section but the webhook, whole. */
const sections = [
  { currency: 'EUR' },
  {
    confirmations: {
      default: 5,
      coins: { eth: 0, btc: 200 },
      increase: Array.from({ length: 10 }, (_, n) => ({ above: 1000.5 * (n + 1), confirmations: n })),
    },
  },
  {
    payment: {
      accept_underpayments: 0.29,
      redirect: 'https://shop.example.com/thanks?a=b#c',
      refunds: true,
      ap2: someRules,
    },
  },
  { notifications: { email: true } },
  {
    branding: {
      brand_name: 'Käse & Söhne 🐢',
      logo_url: 'https://shop.example.com/logo.svg',
      logo_url_dark: 'https://shop.example.com/dark.svg',
      color_1: '#000000',
      color_2: '#abcdef',
      color_3: '#ABCDEF',
    },
  },
  { web3_names: { ens: 'shop.eth', sns: 'shop.sol' } },
]

const ap2 = (change: object) => ({ payment: { ap2: change } })
const issuers = (...list: object[]) => ap2({ issuers: list })
const keyed = (...keys: object[]) => issuers({ iss: 'https://wallet.example', jwks: { keys } })

const link = (path: string) => `https://shop.example.com/${path}`
const bad: readonly object[] = [
  ...['private_key', 'node_url', 'custodial', 'payouts', 'success', '__proto_'].map((name) => ({ [name]: 'x' })),
  { address_reuse_cooldown: 1 },
  ...['usd', 'XXX', 'EURO', '', null, 7, {}].map((currency) => ({ currency })),
  ...[null, [], 'x', 1, { typo: 1 }].flatMap((section) =>
    ['confirmations', 'webhook', 'payment', 'notifications', 'branding'].map((name) => ({ [name]: section })),
  ),
  ...[-1, 201, 1.5, '3'].map((value) => ({ confirmations: { default: value } })),
  ...[-1, 201, 1.5, '3'].map((value) => ({ confirmations: { coins: { eth: value } } })),
  ...[-1, 0, '5', null, 1e-7].map((above) => ({ confirmations: { increase: [{ above, confirmations: 1 }] } })),
  { confirmations: { increase: [{ above: 5 }] } },
  { confirmations: { increase: [{ above: 5, confirmations: 1, more: 1 }] } },
  { confirmations: { increase: Array(11).fill({ above: 5, confirmations: 1 }) } },
  ...[-0.01, 100.01, 0.001, '5', null].map((value) => ({ payment: { accept_underpayments: value } })),
  ...[
    'http://shop.example.com/',
    'javascript:alert(1)',
    'shop',
    '//shop',
    link('"onload='),
    link('<b>'),
    link('a b'),
    link('x'.repeat(2_048)),
    'https://',
    null,
    7,
  ].flatMap((url) => [{ payment: { redirect: url } }, { branding: { logo_url: url } }]),
  ...[null, [], 'all', 7, { accept: 'self' }, { accept: ['all'] }, { accept: ['self', 'self'] }, { more: 1 }].map(
    (value) => ({
      payment: { ap2: value },
    }),
  ),
  ...[{ require: 'yes' }, { require: true, accept: [] }, { issuers: {} }].map(ap2),
  issuers({ iss: 'https://wallet.example' }),
  issuers({ iss: '', jwks: { keys: [issuerKey] } }),
  issuers({ iss: 'w', jwks: { keys: [issuerKey] }, jwks_uri: link('jwks.json') }),
  issuers({ iss: 'w', jwks: { keys: [] } }),
  issuers({ iss: 'w', jwks_uri: link('a') }, { iss: 'w', jwks_uri: link('b') }),
  ...['http://bank.example.com/jwks', 'https://127.0.0.1/jwks', 'https://localhost/jwks', 'jwks'].map((uri) =>
    issuers({ iss: 'w', jwks_uri: uri }),
  ),
  issuers(...Array.from({ length: 21 }, (_, n) => ({ iss: `w${n}`, jwks_uri: link('jwks') }))),
  keyed({ ...issuerKey, d: issuerKey.x }),
  keyed({ ...issuerKey, kid: '' }),
  keyed({ ...issuerKey, x: 'x' }),
  keyed({ ...issuerKey, y: issuerKey.x }),
  keyed({ ...issuerKey, crv: 'P-384' }),
  keyed({ kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'r' }),
  keyed(issuerKey, issuerKey),
  ...['true', 1, null].flatMap((flag) => [{ payment: { refunds: flag } }, { notifications: { email: flag } }]),
  ...['red', '#fff', '#12345g', '#1234567', null].map((colour) => ({ branding: { color_1: colour } })),
  ...['x'.repeat(101), null, 5].map((name) => ({ branding: { brand_name: name } })),
  ...[null, [], 'x', { ens: 5 }, { ens: 'x'.repeat(256) }, { '': 'x' }, { ['x'.repeat(33)]: 'x' }].map((names) => ({
    web3_names: names,
  })),
  { web3_names: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`s${n}`, 'x'])) },
  { webhook: { url: 'http://hooks.example.com/' } },
  { webhook: { url: HOOK, has_secret: true } },
  { webhook: { url: '', rotate_secret: true } },
  { webhook: { rotate_secret: true } },
]
