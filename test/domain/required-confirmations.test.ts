import test from 'ava'
import type { Confirmations } from '../../domain/account/settings.ts'
import { type Asset, assetOf } from '../../domain/kernel/assets.ts'
import { requiredConfirmations, signedConfirmations } from '../../domain/selling/required-confirmations.ts'

const [eth, btc, sol] = ['eth', 'btc', 'sol'].map((code) => assetOf(code) as Asset) as [Asset, Asset, Asset]
const USD = 1_000_000n
const none: Confirmations = { default: null, coins: {}, increase: [] }

test('J-SET-05 without settings a network needs its own number', (t) => {
  t.deepEqual(
    [eth, btc, sol].map((asset) => requiredConfirmations(none, asset, USD)),
    [6, 2, 32],
  )
})

test('J-SET-05 a coin comes before the default, and the default before the network', (t) => {
  const set = { ...none, default: 4, coins: { eth: 3 } }
  t.is(requiredConfirmations(set, eth, USD), 3)
  t.is(requiredConfirmations(set, btc, USD), 4)
  t.is(requiredConfirmations({ ...none, default: 200 }, sol, USD), 200)
})

test('J-SET-05 none at all counts as one, because a payment that is in no block has not happened', (t) => {
  t.is(requiredConfirmations({ ...none, default: 0 }, eth, USD), 1)
  t.is(requiredConfirmations({ ...none, default: 9, coins: { eth: 0 } }, eth, USD), 1)
})

test('J-SET-05 N-26 what is worth more needs at least what the highest tier says that it is above', (t) => {
  const increase = [
    { above: String(1_000n * USD), confirmations: 30 },
    { above: String(100n * USD), confirmations: 10 },
  ]
  const at = (usd: bigint, rest: Partial<Confirmations> = {}) =>
    requiredConfirmations({ ...none, increase, ...rest }, eth, usd)
  t.is(at(100n * USD), 6)
  t.is(at(100n * USD + 1n), 10)
  t.is(at(1_000n * USD), 10)
  t.is(at(1_000n * USD + 1n), 30)
  t.is(at(1_000_000n * USD, { coins: { eth: 50 } }), 50, 'a tier never lowers what is set')
})

test('J-SET-05 N-26 N-42 a payment by signature counts as deep as any other, and after one block where one sequencer builds', (t) => {
  const [ether, base, polygon] = ['usdc', 'usdc_base', 'usdc_polygon'].map((code) => assetOf(code) as Asset) as [
    Asset,
    Asset,
    Asset,
  ]
  const asked = (set: Confirmations) => [ether, base, polygon].map((asset) => signedConfirmations(set, asset, USD))
  t.deepEqual(asked(none), [6, 1, 32])
  t.deepEqual(asked({ ...none, default: 4 }), [4, 4, 4])
  t.deepEqual(asked({ ...none, coins: { usdc_base: 9, usdc: 2 } }), [2, 9, 32])
  t.deepEqual(asked({ ...none, increase: [{ above: '1', confirmations: 20 }] }), [20, 20, 32])
})
