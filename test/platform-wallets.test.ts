import test from 'ava'
import { addresses } from '../adapters/chains/addresses.ts'
import { PLATFORM } from '../domain/kernel/platform.ts'
import { setWallet } from '../domain/use-cases/account/set-wallet.ts'
import { createLedger } from '../domain/write-side/ledger.ts'
import { setPlatformWallets } from '../src/outside/platform.ts'
import { BadSetting } from '../src/settings/setting-kinds.ts'
import { flow } from './domain/flow-setup.ts'
import { PAY_TO } from './domain/samples.ts'
import { everything, newStore, noSnapshots } from './support/ledger.ts'
import { fixedWorld } from './support/world.ts'

test('the platform’s own wallets claim first at every start: an account that has one loses it, once', async (t) => {
  const store = newStore(t)
  const world = fixedWorld()
  const on = flow(store, world)
  await setWallet(on, 'acc_1', { asset: 'usdc', addresses: [PAY_TO] })
  const start = (address: string) =>
    setPlatformWallets(
      { platformWallets: new Map([['eth', address]]) },
      { sandbox: undefined } as never,
      addresses,
      createLedger(store, fixedWorld('start'), noSnapshots),
    )
  for (let n = 0; n < 2; n++) await start(PAY_TO)
  const claims = (await everything(store)).filter(({ type }) => type === 'AddressClaimed').map(({ data }) => data)
  t.like(claims, [
    { accountId: 'acc_1', from: [] },
    { accountId: PLATFORM, how: 'platform', from: ['acc_1'] },
  ])
  t.is(claims.length, 2)
  const dead = '0x000000000000000000000000000000000000dEaD'
  await t.throwsAsync(start(dead), { instanceOf: BadSetting, message: /burn address/ })
})
