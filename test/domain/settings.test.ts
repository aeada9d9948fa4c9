import test from 'ava'
import { integrations } from '../../domain/account/integrations.ts'
import { settings } from '../../domain/account/settings.ts'
import { given } from '../support/given.ts'

const confirmations = { default: 4, coins: { eth: 3, btc: 1 }, increase: [{ above: '100', confirmations: 9 }] }
const branding = { brandName: 'Shop', logoUrl: '', logoUrlDark: '', color1: '', color2: '', color3: '' }

test('J-SET-02 each section that changes is one event with the whole section, and the others are left alone', (t) => {
  given(t, settings)
    .when('change', { currency: 'EUR', branding: { brandName: 'Shop' } })
    .yields({ type: 'CurrencySet', data: { currency: 'EUR' } }, { type: 'BrandingSet', data: branding })
  given(t, settings, { type: 'BrandingSet', data: branding })
    .when('change', { branding: { color1: '#000000' }, notifications: { email: true } })
    .yields(
      { type: 'NotificationsSet', data: { email: true } },
      { type: 'BrandingSet', data: { ...branding, color1: '#000000' } },
    )
})

test('J-SET-02 a field or name that is not given keeps its value, null removes a name, and a list is replaced whole', (t) => {
  const set = { type: 'ConfirmationsSet', data: confirmations } as const
  const change = given(t, settings, set)
  change
    .when('change', { confirmations: { default: null } })
    .yields({ type: 'ConfirmationsSet', data: { ...confirmations, default: null } })
  change
    .when('change', { confirmations: { default: undefined, coins: { eth: 7 }, increase: [] } })
    .yields({ type: 'ConfirmationsSet', data: { default: 4, coins: { eth: 7, btc: 1 }, increase: [] } })
  change
    .when('change', { confirmations: { coins: { eth: null, ltc: null } } })
    .yields({ type: 'ConfirmationsSet', data: { ...confirmations, coins: { btc: 1 } } })
  given(t, settings, { type: 'Web3NamesSet', data: { names: { ens: 'a.eth', sns: 'a.sol' } } })
    .when('change', { web3Names: { sns: null } })
    .yields({ type: 'Web3NamesSet', data: { names: { ens: 'a.eth' } } })
})

test('settings that are what they were yield nothing, in whatever order a map is written', (t) => {
  given(t, settings)
    .when('change', {
      currency: 'USD',
      confirmations: { default: null },
      payment: { refunds: false },
      notifications: {},
      web3Names: {},
    })
    .yieldsNothing()
  given(t, settings, { type: 'ConfirmationsSet', data: confirmations })
    .when('change', { confirmations: { coins: { btc: 1, eth: 3 } } })
    .yieldsNothing()
  given(t, settings, { type: 'PaymentRulesSet', data: { underpaymentBasisPoints: 50, redirect: '', refunds: true } })
    .when('change', { payment: { underpaymentBasisPoints: 50 } })
    .yieldsNothing()
})

test('J-INT-02 credentials are one event, and the same ones again are none, though they are sealed anew', (t) => {
  const first = { values: 'v1.acc_1.iv.one', fingerprint: 'f1' }
  given(t, integrations).when('set', first).yields({ type: 'IntegrationsSet', data: first })
  given(t, integrations, { type: 'IntegrationsSet', data: first })
    .when('set', { ...first, values: 'v1.acc_1.iv.two' })
    .yieldsNothing()
  const other = { values: 'v1.acc_1.iv.three', fingerprint: 'f2' }
  given(t, integrations, { type: 'IntegrationsSet', data: first })
    .when('set', other)
    .yields({ type: 'IntegrationsSet', data: other })
})

test('N-90 a time zone is one of IANA, is UTC until another is set, and repeated says nothing', (t) => {
  const fresh = given(t, settings)
  fresh.when('change', { timeZone: 'Europe/Berlin' }).yields({ type: 'TimeZoneSet', data: { zone: 'Europe/Berlin' } })
  fresh.when('change', { timeZone: 'UTC' }).yields()
  for (const timeZone of ['Europe/Atlantis', '+01:00', '', 'Berlin'])
    fresh.when('change', { timeZone }).isRefused('invalid-request')
  const set = given(t, settings, { type: 'TimeZoneSet', data: { zone: 'Europe/Berlin' } })
  set.when('change', { timeZone: 'Europe/Berlin', currency: 'USD' }).yields()
  set.when('change', { timeZone: 'UTC' }).yields({ type: 'TimeZoneSet', data: { zone: 'UTC' } })
})
