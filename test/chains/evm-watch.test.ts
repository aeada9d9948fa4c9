import test from 'ava'
import type { Hex } from 'viem'
import { assetOf } from '../../domain/kernel/assets.ts'
import { watchedChainContract } from '../contracts/watched-chain.ts'
import { type Anvil, startAnvil, tokenCall } from '../support/anvil.ts'
import { freshAddress } from '../support/sale.ts'

const USDC = assetOf('usdc')?.contract ?? ''
const FOREIGN = '0x1111111111111111111111111111111111111111'
/** PUSH1 0, PUSH1 0, REVERT. */
const REVERTING = '0x60006000fd'

let anvil: Anvil
test.after.always(() => anvil?.stop())

watchedChainContract(test, 'anvil', 'whole', async () => {
  anvil = await startAnvil()
  await anvil.deployToken(USDC, 10n ** 30n)
  await anvil.deployToken(FOREIGN, 10n ** 30n)
  await anvil.mine(10)
  const raw = new Map<string, Hex>()
  const keep = async (hash: Hex) => {
    raw.set(
      hash,
      (await anvil.client.request({ method: 'eth_getRawTransactionByHash', params: [hash] } as never)) as Hex,
    )
    return hash
  }
  return {
    env: { CHAIN_ETH_RPC: anvil.url, CHAIN_ETH_ID: String(anvil.chainId) },
    assets: ['eth', 'usdc'],
    freshAddress,
    pay: async (asset, to, amount) =>
      keep(await (asset === 'eth' ? anvil.send(to, amount) : anvil.sendToken(USDC, to, amount))),
    mine: (blocks) => anvil.mine(blocks),
    payTwo: {
      asset: 'usdc',
      pay: ([a, first], [b, second]) =>
        anvil.transact({
          to: USDC,
          data: tokenCall('transferMany', [
            [a, b],
            [first, second],
          ]),
        }),
    },
    payForeign: (to, amount) => anvil.sendToken(FOREIGN, to, amount),
    async payInVain(asset, to, amount) {
      if (asset !== 'eth')
        return anvil.transact({ to: USDC, data: tokenCall('transfer', [to, 10n ** 40n]), gas: 100_000n })
      await anvil.setCode(to, REVERTING)
      const hash = await anvil.transact({ to, value: amount, gas: 100_000n })
      await anvil.setCode(to, '0x')
      return hash
    },
    reorg: (blocks) => anvil.reorg(blocks),
    async again(tx) {
      const serializedTransaction = raw.get(tx) ?? '0x'
      await anvil.mined(await anvil.client.sendRawTransaction({ serializedTransaction }))
    },
  }
})
