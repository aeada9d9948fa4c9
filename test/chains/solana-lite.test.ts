import test from 'ava'
import { solanaContract } from '../contracts/solana.ts'
import { type LiteSolana, startLiteSolana } from '../support/lite-svm.ts'

let node: LiteSolana
const start = async () => {
  node = await startLiteSolana()
  return node
}

solanaContract(test, 'LiteSVM', start, {
  reorg: async (blocks) => node.reorg(blocks),
  rearrange: async () => node.rearrange(),
})
