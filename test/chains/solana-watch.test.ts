import { PublicKey, SystemProgram } from '@solana/web3.js'
import test from 'ava'
import { freshWallet } from '../contracts/solana.ts'
import { watchedChainContract } from '../contracts/watched-chain.ts'
import { type LiteSolana, startLiteSolana } from '../support/lite-svm.ts'
import { openTill } from '../support/solana-till.ts'

/** Slots without a block, before each run of blocks. */
const SKIPPED = 3

let node: LiteSolana
test.after.always(() => node?.stop())

watchedChainContract(test, 'LiteSVM with skipped slots', 'brief', async () => {
  node = await startLiteSolana()
  const till = await openTill(node)
  await node.mine(40)
  return {
    env: { CHAIN_SOL_RPC: node.url, CHAIN_SOL_ID: 'localnet' },
    assets: ['sol', 'usdc_sol'],
    async freshAddress() {
      const wallet = freshWallet()
      // A wallet that is not there yet must get its rent with its first lamports.
      const account = { lamports: 10n ** 9n, owner: SystemProgram.programId, data: new Uint8Array() }
      await node.setAccount(new PublicKey(wallet), account)
      return wallet
    },
    pay: (asset, to, amount) => (asset === 'sol' ? till.sol(to, amount) : till.usdc(to, amount)),
    async mine(slots) {
      node.skip(SKIPPED)
      await node.mine(slots)
    },
    payTwo: {
      asset: 'usdc_sol',
      pay: (first, second) => till.several(['usdc_sol', ...first], ['usdc_sol', ...second]),
    },
    payForeign: till.foreignTokens,
    payInVain: till.inVain,
    reorg: async (blocks) => node.reorg(blocks),
    again: async (signature) => node.again(signature),
  }
})
