import test from 'ava'
import { watchedChainContract } from '../contracts/watched-chain.ts'
import { startTonNode } from '../support/ton-node.ts'
import { arrivedAt, payJetton, payTon, TON_USDT, tonAddress } from '../support/ton-payer.ts'
import { hex, startTonSandbox, transactionsAt } from '../support/ton-sandbox.ts'

const FOREIGN = tonAddress(1)

let stop: () => void
test.after.always(() => stop?.())

watchedChainContract(test, 'TON', 'brief', async () => {
  const sandbox = await startTonSandbox()
  await sandbox.deployJetton(TON_USDT, 10n ** 30n)
  await sandbox.deployJetton(FOREIGN, 10n ** 30n)
  const node = await startTonNode(sandbox)
  stop = node.stop
  let used = 1
  return {
    env: { CHAIN_TON_RPC: node.url },
    assets: ['ton', 'usdt_ton'],
    freshAddress: () => tonAddress(++used),
    pay: (asset, to, amount) =>
      asset === 'ton' ? payTon(sandbox, to, amount) : payJetton(sandbox, TON_USDT, to, amount),
    mine: async (blocks) => sandbox.mine(blocks),
    payTwo: {
      asset: 'usdt_ton',
      async pay(...both) {
        const messages = both.map(([to, amount]) => sandbox.jettonMessage(TON_USDT, to, amount))
        const sent = await sandbox.send(...(await Promise.all(messages)))
        const arrived = async ([to]: readonly [string, bigint]) => {
          const [transaction] = transactionsAt(sent, await sandbox.jettonWallet(TON_USDT, to))
          return transaction ? hex(transaction.hash()) : ''
        }
        return [await arrived(both[0]), await arrived(both[1])]
      },
    },
    payForeign: (to, amount) => payJetton(sandbox, FOREIGN, to, amount),
    async payInVain(asset, to, amount) {
      if (asset === 'ton') return arrivedAt(await sandbox.send({ to, value: amount, bounce: true }), to)
      return (await sandbox.send(await sandbox.jettonMessage(TON_USDT, to, 10n ** 31n))).message
    },
  }
})
