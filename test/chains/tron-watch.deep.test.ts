import { randomBytes } from 'node:crypto'
import test from 'ava'
import { fromHex, toHex } from 'tronweb/utils'
import type { Hex } from 'viem'
import { assetOf } from '../../domain/kernel/assets.ts'
import { watchedChainContract } from '../contracts/watched-chain.ts'
import { type Anvil, startAnvil, tokenCall } from '../support/anvil.ts'
import { startTronNode, type TronNode } from '../support/tron-node.ts'

const evmForm = (address: string) => `0x${toHex(address).slice(2)}`
const USDT = evmForm(assetOf('usdt_trx')?.contract ?? '')
const FOREIGN = '0x1111111111111111111111111111111111111111'
/** PUSH1 0, PUSH1 0, REVERT. */
const REVERTING = '0x60006000fd'

let anvil: Anvil
let node: TronNode
test.after.always(() => {
  node?.close()
  return anvil?.stop()
})

watchedChainContract(test, 'tron', 'brief', async () => {
  anvil = await startAnvil({ chainId: 728126428 })
  await anvil.deployToken(USDT, 10n ** 30n)
  await anvil.deployToken(FOREIGN, 10n ** 30n)
  await anvil.mine(10)
  node = await startTronNode({ rpcUrl: anvil.url })
  const raw = new Map<string, Hex>()
  const keep = async (hash: Hex) => {
    const signed = await anvil.client.request({ method: 'eth_getRawTransactionByHash', params: [hash] } as never)
    raw.set(hash.slice(2), signed as Hex)
    return hash.slice(2)
  }
  return {
    env: { CHAIN_TRX_RPC: node.url },
    assets: ['trx', 'usdt_trx'],
    freshAddress: () => fromHex(`41${randomBytes(20).toString('hex')}`),
    pay: async (asset, to, amount) =>
      keep(await (asset === 'trx' ? anvil.send(evmForm(to), amount) : anvil.sendToken(USDT, evmForm(to), amount))),
    mine: (blocks) => anvil.mine(blocks),
    payTwo: {
      asset: 'usdt_trx',
      async pay([a, first], [b, second]) {
        const data = tokenCall('transferMany', [
          [evmForm(a), evmForm(b)],
          [first, second],
        ])
        return keep(await anvil.transact({ to: USDT, data }))
      },
    },
    payForeign: async (to, amount) => keep(await anvil.sendToken(FOREIGN, evmForm(to), amount)),
    async payInVain(asset, to, amount) {
      if (asset !== 'trx') {
        const data = tokenCall('transfer', [evmForm(to), 10n ** 40n])
        return keep(await anvil.transact({ to: USDT, data, gas: 100_000n }))
      }
      await anvil.setCode(evmForm(to), REVERTING)
      const hash = await anvil.transact({ to: evmForm(to), value: amount, gas: 100_000n })
      await anvil.setCode(evmForm(to), '0x')
      return keep(hash)
    },
    reorg: (blocks) => anvil.reorg(blocks),
    async again(tx) {
      const serializedTransaction = raw.get(tx) ?? '0x'
      await anvil.mined(await anvil.client.sendRawTransaction({ serializedTransaction }))
    },
  }
})
