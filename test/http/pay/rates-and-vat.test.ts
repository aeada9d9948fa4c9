import test from 'ava'
import { assets } from '../../../domain/kernel/assets.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleCall, type Fields, said } from '../../support/console.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { activeSeller, ok, PAY_TO, signUp } from '../../support/seller.ts'
import { type Refused, refused, strictly } from '../strict.ts'
import { FRENCH, GOOD, playOutside, UNKNOWN } from './played-outside.ts'
import { refusals } from './rates-and-vat-refusals.ts'

/** Rates, VAT and coins on the merchant console. */

let app: TestApp
let outside: Awaited<ReturnType<typeof playOutside>>
const clock = { aheadMs: 0 }

test.before(async () => {
  outside = await playOutside()
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.aheadMs) }, env: outside.env })
})
test.after.always(async () => {
  await app?.stop()
  outside?.stop()
})

const call = (key: string, name: string, fields: Fields = {}) => said(consoleCall(app, key, name, fields))
const save = (key: string, settings: object) =>
  consoleCall(app, key, 'save-settings', { settings: JSON.stringify(settings) })

const token = (code: string, more: object = {}) => ({
  type: 'erc-20',
  code,
  contract_address: PAY_TO,
  decimals: 6,
  name: 'Gold',
  ...more,
})
const addToken = (key: string, body: object) => ok(app.call('POST', '/v1/custom-tokens', { key, body }))

test('M-RAT-01 an ether at the fixed rate is 2000 dollars, in the account’s currency unless another is named, exactly', async (t) => {
  const { key } = await signUp(app)
  const value = async (fields: Fields) => (await call(key, 'get-fiat-value', fields)).value
  t.deepEqual(await call(key, 'get-fiat-value', { amount: '1', cryptocurrency_code: 'eth', currency_code: 'usd' }), {
    value: '2000',
    currency: 'USD',
    amount: '1',
    cryptocurrency: 'eth',
  })
  t.is(await value({ amount: '1', cryptocurrency_code: 'ETH', currency_code: '' }), '2000', 'an empty field is none')
  t.is(await value({ amount: '0.000000000000000001', cryptocurrency_code: 'eth' }), '0')
  t.is(await value({ amount: '0.0000000005', cryptocurrency_code: 'eth' }), '0.000001')
  t.is(await value({ amount: '999999999999999.000001', cryptocurrency_code: 'usdc' }), '999999999999999.000001')
  await ok(save(key, { currency: 'EUR' }))
  t.like(await call(key, 'get-fiat-value', { amount: '1.5', cryptocurrency_code: 'eth' }), {
    value: '2400',
    currency: 'EUR',
  })
  await addToken(key, token('gold', { rate: '2.5' }))
  t.is(await value({ amount: '3', cryptocurrency_code: 'gold', currency_code: 'EUR' }), '6')
})

test('M-RAT-02 rates are those of the coins that are named, or of all that can be received, own tokens among them', async (t) => {
  const { key } = await signUp(app)
  await addToken(key, token('gold', { rate: '2.5' }))
  const rates = (fields: Fields = {}) => call(key, 'get-exchange-rates', fields)
  t.deepEqual(await rates({ cryptocurrency_code: 'eth' }), { rates: { eth: '2000' }, currency: 'USD' })
  t.deepEqual(await rates({ cryptocurrency_code: 'eth, USDT,gold,eth', currency_code: 'eur' }), {
    rates: { eth: '1600', usdt: null, gold: '2' },
    currency: 'EUR',
  })
  t.deepEqual(await rates(), { rates: { eth: '2000', usdt: null, usdc: '1', gold: '2.5' }, currency: 'USD' })
  t.deepEqual((await rates({ currency_code: 'JPY', cryptocurrency_code: 'usdc' })).rates, { usdc: '160' })
})

test('M-RAT-03 rates to the dollar are those of coins and of currencies', async (t) => {
  const { key } = await signUp(app)
  const rates = (fields: Fields = {}) => call(key, 'get-usd-rates', fields)
  t.deepEqual(await rates({ cryptocurrency_code: 'eth' }), { rates: { eth: '2000' }, currency: 'USD' })
  t.deepEqual((await rates({ currency_code: 'eur,USD,chf' })).rates, { EUR: '1.25', USD: '1', CHF: null })
  t.deepEqual((await rates({ currency_code: 'EUR', cryptocurrency_code: 'eth,usdt' })).rates, {
    eth: '2000',
    usdt: null,
    EUR: '1.25',
  })
  t.deepEqual((await rates()).rates, { eth: '2000', usdt: null, usdc: '1', USD: '1' })
})

test('M-SET-01 the coins are those of the catalogue, by their networks', async (t) => {
  const { key } = await signUp(app)
  const { codes, networks, details } = await call(key, 'get-cryptocurrency-codes')
  t.deepEqual(
    codes,
    assets.map(({ code }) => code),
  )
  t.true(['btc', 'eth', 'sol', 'usdc_base'].every((code) => codes.includes(code)))
  t.deepEqual(networks.eth, ['eth', 'usdt', 'usdc'])
  t.deepEqual(details[0], { code: 'btc', name: 'Bitcoin', network: 'btc', decimals: 8, contract_address: '' })
})

test('M-SET-02 X-TEN-01 the custom tokens are those of the JSON API, and of this account', async (t) => {
  const [{ key }, other] = await Promise.all([signUp(app), signUp(app)])
  t.deepEqual(await call(key, 'get-custom-tokens'), { custom_tokens: [] })
  await addToken(key, token('gold'))
  const { json } = await ok(app.call('GET', '/v1/custom-tokens', { key }))
  t.is(json.custom_tokens.length, 1)
  t.deepEqual(await call(key, 'get-custom-tokens'), json)
  t.deepEqual(await call(other.key, 'get-custom-tokens'), { custom_tokens: [] })
  await ok(app.call('DELETE', '/v1/custom-tokens?code=gold', { key }))
  t.deepEqual(await call(key, 'get-custom-tokens'), { custom_tokens: [] })
})

test('M-SET-08 the address of a coin is the main one that is configured, also while the coin is paused', async (t) => {
  const { key } = await activeSeller(app)
  const second = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
  const set = (asset: string, address: string) => ok(app.call('POST', '/v1/wallets', { key, body: { asset, address } }))
  const address = async (code: string) =>
    (await call(key, 'settings-get-address', { cryptocurrency_code: code })).address
  await set('eth', `${PAY_TO},${second}`)
  t.is(await address('eth'), PAY_TO)
  await ok(app.call('PUT', '/v1/wallets?asset=eth', { key, body: { active: false } }))
  t.is(await address('ETH'), PAY_TO)
  await addToken(key, token('gold'))
  await set('gold', second)
  t.is(await address('gold'), second)
  await ok(app.call('DELETE', '/v1/custom-tokens?code=gold', { key }))
  await addToken(key, token('gold', { contract_address: second }))
  const answer = await consoleCall(app, key, 'settings-get-address', { cryptocurrency_code: 'gold' })
  t.deepEqual([answer.status, answer.json.error_code], [400, 'svc_invalid_request'], 'it is another token now')
})

test('M-VAT-01 without rules there is no VAT; with them it is the tax for the settings, on top or within', async (t) => {
  const { key } = await signUp(app)
  const { note, ...none } = await call(key, 'vat', { amount: '100' })
  t.regex(note, /not switched on.*save-settings/)
  t.like(await call(key, 'get-settings'), { vat: { enabled: false } })
  t.deepEqual(none, {
    amount: '100',
    vat: '0',
    total: '100',
    rate: '0',
    country: '',
    reverse_charge: false,
    vat_details: '',
    currency: 'USD',
  })
  await ok(save(key, { currency: 'EUR', vat: { enabled: true, country: 'de' } }))
  t.like(await call(key, 'get-settings'), { vat: { enabled: true, country: 'DE' } })
  const { vat_details, ...added } = await call(key, 'vat', { amount: '49.99' })
  t.deepEqual(added, {
    amount: '49.99',
    vat: '9.5',
    total: '59.49',
    rate: '19',
    country: 'DE',
    reverse_charge: false,
    currency: 'EUR',
  })
  t.deepEqual(JSON.parse(vat_details), {
    country: 'DE',
    rate: '19',
    base: '49.99',
    amount: '9.5',
    number: null,
    valid: null,
    checked: null,
    reverse_charge: false,
  })
  t.like(await call(key, 'vat', { amount: '100', country_code: 'fi' }), { vat: '25.5', total: '125.5', country: 'FI' })
  t.like(await call(key, 'vat', { amount: '100', country_code: 'EL' }), { vat: '24', country: 'GR' })
  t.like(await call(key, 'vat', { amount: '100', country_code: 'EE', date: '2025-06-30' }), { rate: '22' })
  t.like(await call(key, 'vat', { amount: '100', country_code: 'CH' }), { vat: '0', rate: '0', country: 'CH' })
  t.like(await call(key, 'vat', { amount: '999', currency_code: 'JPY' }), {
    vat: '190',
    total: '1189',
    currency: 'JPY',
  })
  await ok(save(key, { vat: { inclusive: true, rates: { el: '6.5' } } }))
  t.like(await call(key, 'vat', { amount: '119' }), { amount: '119', vat: '19', total: '119' })
  t.like(await call(key, 'vat', { amount: '106.5', country_code: 'GR' }), { vat: '6.5', total: '106.5', rate: '6.5' })
})

deepTest.serial('M-VAT-01 the rate is that of the day on the service’s clock', async (t) => {
  const { key } = await signUp(app)
  await ok(save(key, { vat: { enabled: true, country: 'DE' } }))
  clock.aheadMs = Date.parse('2020-09-01T12:00:00Z') - Date.now()
  const then = call(key, 'vat', { amount: '100' }).finally(() => {
    clock.aheadMs = 0
  })
  t.like(await then, { vat: '16', rate: '16' })
})

deepTest(
  'M-VAT-01 M-VAT-02 a business of another member state pays none once its number was checked, also while the registry is down',
  async (t) => {
    const { key } = await signUp(app)
    await ok(save(key, { vat: { enabled: true, country: 'AT', number: 'atu 13585627' } }))
    const vat = (fields: Fields) => call(key, 'vat', { amount: '100', country_code: 'DE', ...fields })
    const good = await vat({ vat_number: GOOD })
    t.like(good, { vat: '0', total: '100', country: 'DE', reverse_charge: true })
    const evidence = { number: GOOD, valid: true, checked: 'registry', consultation: 'WAPI42', reverse_charge: true }
    t.like(JSON.parse(good.vat_details), { country: 'DE', rate: '0', base: '100', amount: '0', ...evidence })
    t.regex(JSON.parse(good.vat_details).note, /Reverse charge/)
    t.true(
      outside
        .viesAsked()
        .some(({ requesterMemberStateCode: state, requesterNumber: own }) => state === 'AT' && own === 'U13585627'),
    )
    t.like(await vat({ vat_number: UNKNOWN }), { vat: '19', reverse_charge: false })
    t.like(await vat({ vat_number: 'DE136695977' }), { vat: '19', reverse_charge: false })
    const down = await vat({ vat_number: FRENCH, country_code: 'FR' })
    t.like(down, { vat: '0', reverse_charge: true })
    t.like(JSON.parse(down.vat_details), { number: FRENCH, valid: null, checked: 'format' })
  },
)

deepTest(
  'M-VAT-02 a number is good or bad by its registry, by its form where there is none, and open while the registry is down',
  async (t) => {
    const { key } = await signUp(app)
    const check = (vat_number: string) => call(key, 'vat-validation', { vat_number })
    const registry = { checked: 'registry', country: 'DE', name: 'Käse GmbH', consultation: 'WAPI42' }
    t.deepEqual(await check('de 136.695-976'), { valid: true, number: GOOD, ...registry })
    t.deepEqual(await check(UNKNOWN), { valid: false, number: UNKNOWN, ...registry })
    t.deepEqual(await check('DE1'), { valid: false, checked: 'format', country: 'DE', number: 'DE1' })
    t.deepEqual(await check('hello'), { valid: false, checked: 'format', country: '', number: 'HELLO' })
    t.deepEqual(await check(FRENCH), { valid: null, checked: 'format', country: 'FR', number: FRENCH })
    t.like(await check('XI110305878'), { checked: 'registry', country: 'XI' })
    t.like(await check('GB110305878'), { valid: true, checked: 'format' })
  },
)

test('M-SET-04 M-VAT-01 the rules of VAT are set and shown on the console, and are no setting of the JSON API', async (t) => {
  const { key } = await signUp(app)
  const none = { enabled: false, country: '', number: '', inclusive: false, rates: {} }
  t.deepEqual((await call(key, 'get-settings')).vat, none)
  t.deepEqual((await said(save(key, await call(key, 'get-settings')))).vat, none)
  const rules = {
    enabled: true,
    country: 'GR',
    number: 'EL094259216',
    inclusive: false,
    rates: { GR: '24.0', FR: '5.5' },
  }
  const written = { ...rules, country: 'el', number: 'gr 094259216', rates: { el: '24.0', fr: '5.5' } }
  t.deepEqual((await said(save(key, { vat: written }))).vat, rules)
  t.deepEqual((await call(key, 'get-settings')).vat, rules)
  t.deepEqual((await said(save(key, await call(key, 'get-settings')))).vat, rules)
  t.like(await said(save(key, { vat: { enabled: false, number: '' } })), {
    vat: { ...rules, enabled: false, number: '' },
  })
  t.false('vat' in (await ok(app.call('GET', '/v1/settings', { key }))).json)
  t.is((await app.call('PUT', '/v1/settings', { key, body: { vat: { enabled: true } } })).status, 400)
  // What a registry does not know may still be the number of a seller at home.
  t.like(await said(save(key, { vat: { number: UNKNOWN } })), { vat: { number: UNKNOWN } })
})

test('M-RAT-01 M-RAT-02 M-RAT-03 M-VAT-01 M-VAT-02 M-SET-01 M-SET-08 what cannot be answered is refused, and writes nothing', async (t) => {
  const { key } = await signUp(app)
  const other = await signUp(app)
  await addToken(other.key, token('theirs', { rate: '1' }))
  await addToken(key, token('priceless'))
  const form = (name: string, fields: Fields = {}) => new URLSearchParams({ function: name, ...fields }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const calls = refusals.map(([name, fields, status, code]): Refused => {
    const body = form(name, fields)
    return { what: body, path: '/api.php', body, key, headers, status, code }
  })
  await refused(t, app, calls)
  for (const name of ['vat', 'get-usd-rates', 'get-exchange-rates', 'get-cryptocurrency-codes', 'get-custom-tokens'])
    await strictly(t, app)('POST', '/api.php', {
      key,
      headers,
      body: form(name, name === 'vat' ? { amount: '1' } : {}),
    })
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
