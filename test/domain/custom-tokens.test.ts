import test from 'ava'
import { CUSTOM_TOKENS_MAX, type CustomTokenEvents, customTokens } from '../../domain/account/custom-tokens.ts'
import { wallet } from '../../domain/account/wallet.ts'
import { assets, coinOf } from '../../domain/kernel/assets.ts'
import { networkOf } from '../../domain/kernel/networks.ts'
import { tokenTypesWith } from '../../domain/kernel/token-types.ts'
import { challenge } from '../../domain/selling/challenge.ts'
import { coinFacts } from '../../domain/selling/challenge-terms.ts'
import { receiveAddress } from '../../domain/selling/receive-address.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT, CHALLENGE_ID, entry, opened, PAY_TO, SET_ID, transferData } from './samples.ts'

const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'

const token: CustomTokenEvents['CustomTokenAdded'] = {
  type: 'erc-20',
  code: 'shop_coin',
  network: 'eth',
  contract: CONTRACT,
  decimals: 18,
  name: 'Shop Coin',
  rate: '0.25',
  rateUrl: null,
  confirmations: null,
  img: null,
}
const added = (code = token.code) => ({ type: 'CustomTokenAdded', data: { ...token, code } }) as const
const deleted = { type: 'CustomTokenDeleted', data: { code: token.code } } as const

test('J-TOK-02 J-TOK-05 a token is added once under its code, and not under a built-in one', (t) => {
  given(t, customTokens).when('add', token).yields(added())
  given(t, customTokens, added()).when('add', token).isRefused('custom-token-exists')
  given(t, customTokens, added())
    .when('add', { ...token, contract: USDC, network: 'base' })
    .isRefused('custom-token-exists')
  given(t, customTokens, added())
    .when('add', { ...token, code: 'other' })
    .yields(added('other'))
  for (const { code } of assets)
    given(t, customTokens)
      .when('add', { ...token, code })
      .isRefused('custom-token-exists')
})

test('J-TOK-07 a token is deleted once, and its code is free again', (t) => {
  given(t, customTokens, added()).when('remove', { code: token.code }).yields(deleted)
  given(t, customTokens).when('remove', { code: token.code }).isRefused('not-found')
  given(t, customTokens, added(), deleted).when('remove', { code: token.code }).isRefused('not-found')
  given(t, customTokens, added(), deleted).when('add', token).yields(added())
  for (const code of ['constructor', '__proto__'])
    given(t, customTokens).when('remove', { code }).isRefused('not-found')
})

test('J-TOK-04 a code that is none, or that every object has, is refused', (t) => {
  for (const code of ['', 'A', 'a-b', 'a b', 'é', 'x'.repeat(33), 'constructor', '__proto__'])
    given(t, customTokens)
      .when('add', { ...token, code })
      .isRefused('invalid-request')
})

test('an account has at most 200 tokens', (t) => {
  const full = Array.from({ length: CUSTOM_TOKENS_MAX }, (_, n) => added(`t${n}`))
  given(t, customTokens, ...full)
    .when('add', token)
    .isRefused('invalid-request')
  given(t, customTokens, ...full.slice(1))
    .when('add', token)
    .yields(added())
})

test('J-TOK-02 every type stands for a network that is known, and two more for those that are named', (t) => {
  const types = tokenTypesWith(['gnosis', 'linea'])
  t.is(types.size, 12)
  for (const [type, network] of types) t.truthy(networkOf(network), type)
  t.deepEqual([types.get('gnosis-20'), types.get('linea-20'), types.get('spl')], ['gnosis', 'linea', 'sol'])
})

test('J-TOK-08 a wallet remembers which contract its address is for', (t) => {
  const first = { asset: 'shop_coin', addresses: [PAY_TO], coin: `eth:${CONTRACT}` }
  const second = { ...first, coin: `base:${CONTRACT}` }
  const set = { type: 'WalletAddressSet', data: first } as const
  given(t, wallet).when('setAddress', first).yields(set)
  given(t, wallet, set).when('setAddress', first).yieldsNothing()
  given(t, wallet, set).when('setAddress', second).yields({ type: 'WalletAddressSet', data: second })
})

test('J-TOK-08 a coin is named by the catalogue or else by its contract, whatever its code', (t) => {
  t.is(coinOf({ asset: 'eth', network: 'eth' }), 'eth')
  t.is(coinOf({ asset: 'usdc', network: 'eth', contract: USDC }), 'usdc')
  t.is(coinOf({ asset: 'mine', network: 'eth', contract: USDC }), 'usdc')
  t.is(coinOf({ asset: 'mine', network: 'base', contract: USDC }), USDC)
  t.is(coinOf({ asset: 'usdc', network: 'eth', contract: CONTRACT }), CONTRACT)
})

test('J-TOK-08 a transfer of the very contract settles, and one of another contract or of the code does not', (t) => {
  const own = { ...entry, asset: 'shop_coin', contract: CONTRACT, decimals: 0 }
  const set = { type: 'ChallengeOpened', data: { ...opened, entries: [own] } } as const
  const pay = { challengeId: `${SET_ID}.shop_coin`, asset: 'shop_coin', transfer: { ...transferData, asset: CONTRACT } }
  const settle = (asset: string) => ({ ...pay, transfer: { ...pay.transfer, asset } })
  for (const asset of ['shop_coin', USDC, 'eth', CONTRACT.toLowerCase()])
    given(t, challenge, set).when('settle', settle(asset)).isRefused('payment-not-matching')
  const events = challenge.decide.settle(
    {
      ...opened,
      entries: [own],
      status: 'open',
      detected: {},
      settled: {},
      last: {},
      gone: {},
      rounds: {},
      parts: {},
      reserved: {},
      simulated: {},
    },
    pay,
    '',
  )
  t.like(events[0], { type: 'ChallengeSettled' })
  t.deepEqual(coinFacts(own), { decimals: 0, contract: CONTRACT })
})

test('an entry from before custom tokens finds its coin in the catalogue', (t) => {
  t.deepEqual(coinFacts(entry), { decimals: 18, contract: undefined })
  t.deepEqual(coinFacts({ ...entry, asset: 'usdc' }), { decimals: 6, contract: USDC })
})

test('N-21 the amount of a coin whose last place is worth much is moved by half a percent at most', (t) => {
  const ask = {
    challengeId: CHALLENGE_ID,
    accountId: ACCOUNT,
    anonymous: false,
    step: '1',
    coarse: true,
    endsAt: '2026-03-02T11:00:00.000Z',
    heldUntil: '2026-03-02T13:00:00.000Z',
  }
  given(t, receiveAddress)
    .when('reserve', { ...ask, price: '199' })
    .isRefused('no-free-amount')
  const [event] = receiveAddress.decide.reserve(receiveAddress.initial, { ...ask, price: '1000' }, NOW)
  const amount = event?.type === 'AmountReserved' ? Number(event.data.amount) : 0
  t.true(amount > 1_000 && amount <= 1_005, String(amount))
})
