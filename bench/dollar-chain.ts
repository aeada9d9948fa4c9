import { createTestClient, type Hex, http, publicActions, toHex, walletActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { startSandboxChain } from '../adapters/chains/sandbox/sandbox.ts'
import { BASE_SEPOLIA, mintDollars, putDollar, TEST_USDC, usdcCall } from '../adapters/chains/sandbox/sandbox-dollar.ts'

/** A chain with the test dollar, and what the bench looks up in it. */

/** The payments that came to an address in some blocks, and the gas that their transactions have used. */
export type Arrived = {
  readonly payments: number
  readonly dollars: bigint
  /** Nonces of the authorizations that were used, each as often as it was used. */
  readonly nonces: readonly string[]
  readonly transactions: number
  readonly gas: bigint
}

export type DollarChain = Awaited<ReturnType<typeof startDollarChain>>

const CALL_MS = 30_000
/** keccak256 of `Transfer(address,address,uint256)` and of `AuthorizationUsed(address,bytes32)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

/** Starts the chain. Blocks come with each transaction, or at a pace. */
export const startDollarChain = async (options: { blockTimeSeconds?: number } = {}) => {
  const sandbox = await startSandboxChain({ chainId: BASE_SEPOLIA, ...options })
  const { url, stop, accounts } = sandbox
  const transport = http(url, { timeout: CALL_MS, retryCount: 0 })
  const rich = privateKeyToAccount(accounts.at(-1)?.privateKey ?? '0x')
  const client = createTestClient({ mode: 'anvil', account: rich, transport, pollingInterval: 100 })
    .extend(publicActions)
    .extend(walletActions)
  await putDollar(client)
  return {
    url,
    stop,
    /** Whether blocks come by themselves. */
    hasPace: options.blockTimeSeconds !== undefined,
    /** The key of a relayer with coin for gas; each number has its own. */
    relayerKey: (n: number): Hex => accounts[n]?.privateKey ?? '0x',
    mint: (to: string, amount: bigint) => mintDollars(client, to, amount),
    height: async () => Number(await client.getBlockNumber({ cacheTime: 0 })),
    mine: (blocks: number) => client.mine({ blocks }),
    /** A transfer of dollars that are made for it, mined; answers its hash. */
    async pay(to: string, amount: bigint): Promise<Hex> {
      await mintDollars(client, rich.address, amount)
      const hash = await client.sendTransaction({
        to: TEST_USDC,
        data: usdcCall('transfer', [to, amount]),
        chain: null,
      })
      // As in paySandbox: else a block may be missed.
      await client.waitForTransactionReceipt({ hash, checkReplacement: false })
      return hash
    },
    /** The payments that came to an address in the blocks after a height. */
    async arrived(to: string, after: number): Promise<Arrived> {
      const logs = await client.getLogs({ address: TEST_USDC, fromBlock: BigInt(after + 1) })
      const isTo = (topics: readonly string[]) =>
        topics[0] === TRANSFER && topics[2]?.slice(-40) === to.slice(2).toLowerCase()
      const payments = logs.filter(({ topics }) => isTo(topics))
      const used = logs.filter(({ topics }) => topics[0] === AUTHORIZATION_USED)
      const hashes = new Set(payments.map(({ transactionHash }) => transactionHash))
      return {
        payments: payments.length,
        dollars: payments.reduce((sum, { data }) => sum + BigInt(data), 0n),
        nonces: used.map(({ topics }) => topics[2] ?? ''),
        transactions: hashes.size,
        gas: await gasOf(new Set(payments.map(({ blockNumber }) => blockNumber)), hashes),
      }
    },
  }

  async function gasOf(blocks: ReadonlySet<bigint>, hashes: ReadonlySet<Hex>): Promise<bigint> {
    let gas = 0n
    for (const block of blocks) {
      const asked = { method: 'eth_getBlockReceipts', params: [toHex(block)] }
      const receipts = (await client.request(asked as never)) as { transactionHash: Hex; gasUsed: Hex }[]
      for (const { transactionHash, gasUsed } of receipts) if (hashes.has(transactionHash)) gas += BigInt(gasUsed)
    }
    return gas
  }
}
