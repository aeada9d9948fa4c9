import test from 'ava'
import type { Chain } from '../../domain/kernel/ports.ts'
import { ownBalances } from '../../domain/use-cases/selling/challenges/own-balances.ts'
import { newStore } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { flow } from './flow-setup.ts'

test('M-SET-06 a balance without a rate, and a part of one, is null and never a guess', async (t) => {
  const store = newStore(t)
  const world = fixedWorld()
  const { ledger } = flow(store, world)
  await ledger.wallet.setAddress('acc_1', { asset: 'eth', addresses: ['0xa', '0xb'] })
  await ledger.settings.change('acc_1', { currency: 'EUR' })
  const told = async (held: Readonly<Record<string, bigint>>, rates: Readonly<Record<string, string>>) => {
    const usdPer = async (code: string) => rates[code] ?? Promise.reject(new Error('no rate right now'))
    const balanceNow = async (_: Chain, address: string) => held[address]
    return ownBalances({ ...flow(store, world), rates: { usdPer }, balanceNow }, 'acc_1')
  }
  const [whole, rates] = [
    { '0xa': 10n ** 18n, '0xb': 1n },
    { eth: '3000', EUR: '1.2' },
  ]
  const eth = { amount: '1.000000000000000001', fiat: '2500', currency: 'EUR', addresses: 2 }
  t.deepEqual(await told(whole, rates), { balances: { eth }, total_fiat: '2500', currency: 'EUR' })
  for (const [held, known, amount] of [
    [{ '0xa': 10n ** 18n }, rates, null],
    [whole, { eth: '3000' }, eth.amount],
    [whole, { EUR: '1.2' }, eth.amount],
  ] as const) {
    const balances = { eth: { ...eth, amount, fiat: null } }
    t.deepEqual(await told(held, known), { balances, total_fiat: null, currency: 'EUR' })
  }
})
