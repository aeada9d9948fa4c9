import { randomBytes } from 'node:crypto'
import test from 'ava'
import { address } from 'bitcoinjs-lib'
import { watchedChainContract } from '../contracts/watched-chain.ts'
import { type Litecoind, litecoindPath, startLitecoind, type TestOutput } from '../support/litecoind.ts'

let node: Litecoind
test.after.always(() => node?.stop())

/** The script behind each address (BIP-141). */
const scripts = new Map<string, Buffer>()
const freshAddress = () => {
  const digest = randomBytes(20)
  const fresh = address.toBech32(digest, 0, 'rltc')
  scripts.set(fresh, Buffer.from(`0014${digest.toString('hex')}`, 'hex'))
  return fresh
}
const paying = (to: string, amount: bigint): TestOutput => ({ script: scripts.get(to) ?? Buffer.alloc(0), amount })

if (litecoindPath())
  watchedChainContract(test, 'litecoind', 'brief', async () => {
    node = await startLitecoind()
    return {
      env: { CHAIN_LTC_RPC: node.url, CHAIN_LTC_ID: 'regtest' },
      assets: ['ltc'],
      freshAddress,
      pay: (_, to, amount) => node.pay(paying(to, amount)),
      mine: (blocks) => node.mineEmpty(blocks),
      payTwo: { asset: 'ltc', pay: (first, second) => node.pay(paying(...first), paying(...second)) },
      reorg: (blocks) => node.reorg(blocks),
      // It waits to be mined again by itself.
      again: (tx) => node.mineOnly(tx),
    }
  })
else test.skip('litecoind: it is not installed here', (t) => t.pass())
