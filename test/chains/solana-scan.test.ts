/** What one block costs must not grow with the number of watched wallets. */
import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import test from 'ava'
import { connectSolana } from '../contracts/solana.ts'
import { serveJsonRpc } from '../support/json-rpc-server.ts'

const TRANSACTIONS = 1_500
const ACCOUNTS_EACH = 12
const HITS = 20
const [FEW, MANY] = [1_000, 100_000]
const ROUNDS = 9
const MAX_RATIO = 2
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

test('a block of 1,500 transactions costs at most twice as much with 100,000 watched wallets as with 1,000', async (t) => {
  const watched = Array.from({ length: MANY }, freshKey)
  const block = blockPaying(watched.slice(0, HITS))
  const server = await serveJsonRpc((method) => {
    if (method === 'getBlocks') return [5]
    return method === 'getBlock' ? block : freshGenesis
  })
  t.teardown(server.close)
  const chain = connectSolana(server.url)
  const cost = async (receivers: ReadonlySet<string>) => {
    const start = process.cpuUsage()
    const found = await chain.transfersIn(5, 5, receivers)
    const { user, system } = process.cpuUsage(start)
    t.is(found.length, 2 * HITS)
    return (user + system) / 1000
  }
  const [few, many] = [new Set(watched.slice(0, FEW)), new Set(watched)]
  const costs: [few: number, many: number][] = []
  for (let n = 0; n < ROUNDS; n++) costs.push([await cost(few), await cost(many)])
  const [withFew, withMany] = [median(costs.map(([cost]) => cost)), median(costs.map(([, cost]) => cost))]
  t.log(
    `${withFew.toFixed(0)} ms with ${FEW} wallets, ${withMany.toFixed(0)} ms with ${MANY}, serving the block included`,
  )
  t.true(withMany <= MAX_RATIO * withFew, `${withMany} ms against ${withFew} ms`)
})

const freshKey = () => base58.encode(randomBytes(32))
const freshGenesis = freshKey()
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** One in three transactions moves SOL and tokens to somebody; those to `receivers` among them. */
const blockPaying = (receivers: readonly string[]) => {
  const transactions = Array.from({ length: TRANSACTIONS }, (_, n) =>
    transaction(receivers[n] ?? freshKey(), n % 3 === 0 || n < HITS),
  )
  return { blockhash: freshKey(), previousBlockhash: freshKey(), parentSlot: 4, blockTime: 1_700_000_000, transactions }
}

const transaction = (to: string, isPaying: boolean) => {
  const keys = [freshKey(), to, ...Array.from({ length: ACCOUNTS_EACH - 2 }, freshKey)]
  const before = keys.map((_, n) => 2_039_280 * (n + 1))
  const after = isPaying ? before.map((lamports, n) => lamports + (n === 0 ? -6_000 : n === 1 ? 1_000 : 0)) : before
  const tokens = (amount: string) => ({
    accountIndex: 2,
    mint: USDC,
    owner: to,
    programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    uiTokenAmount: { amount, decimals: 6, uiAmount: null, uiAmountString: amount },
  })
  return {
    meta: {
      err: null,
      fee: 5_000,
      preBalances: before,
      postBalances: after,
      status: { Ok: null },
      preTokenBalances: isPaying ? [tokens('1')] : [],
      postTokenBalances: isPaying ? [tokens('3')] : [],
    },
    transaction: {
      accountKeys: keys.map((pubkey) => ({ pubkey, signer: false, source: 'transaction', writable: true })),
      signatures: [base58.encode(randomBytes(64))],
    },
    version: 0,
  }
}
