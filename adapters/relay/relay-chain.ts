/** What a relayer asks of its chain: fees, balances, whether a call would go through, and to send. */

import { type Hex, hexToString, isHex } from 'viem'
import type { RawReceipt } from '../chains/evm-transfers.ts'
import { ProviderRefused } from '../chains/providers.ts'
import { createRpc, type RpcOptions } from '../chains/rpc.ts'

export type Fees = { readonly baseFee: bigint; readonly tip: bigint }

export type RelayReceiptRaw = RawReceipt & {
  readonly blockNumber: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  /** Wei for the data on the layer below; only chains that have one say it. */
  readonly l1Fee?: string
}

/** A call of a contract: what it gives, or why it was reverted, in the contract's own words where it has any. */
export type Called = { readonly data: Hex; readonly reverted?: undefined } | { readonly reverted: string }

export type RelayChain = ReturnType<typeof createRelayChain>

/** Rejects as providers do; a call that is reverted is an answer and not an error. `tip` is instead of what the node suggests. */
export const createRelayChain = (options: RpcOptions & { readonly tip?: bigint | undefined }) => {
  const rpc = createRpc(options)
  const call = async (request: { from?: string; to: string; data: string; gas?: bigint }): Promise<Called> => {
    const { gas, ...rest } = request
    try {
      const data = await rpc.call<Hex>('eth_call', [{ ...rest, ...(gas !== undefined && { gas: hex(gas) }) }, 'latest'])
      return { data }
    } catch (error) {
      if (error instanceof ProviderRefused && error.revert !== undefined) return { reverted: wordsOf(error.revert) }
      throw error
    }
  }
  return {
    call,
    /** Code of a contract, or of a key that has given itself some (EIP-7702). */
    hasCode: async (address: string) => (await rpc.call<string>('eth_getCode', [address, 'latest'])) !== '0x',
    coinOf: async (address: string) => BigInt(await rpc.call<string>('eth_getBalance', [address, 'latest'])),
    async tokenOf(contract: string, address: string): Promise<bigint> {
      const called = await call({ to: contract, data: `0x70a08231${address.slice(2).toLowerCase().padStart(64, '0')}` })
      if (called.reverted !== undefined || called.data === '0x')
        throw new Error(`${options.network}: no balance of a token`)
      return BigInt(called.data)
    },
    /** The nonce after the newest that is mined. */
    minedNonce: async (address: string) =>
      Number(await rpc.call<string>('eth_getTransactionCount', [address, 'latest'])),
    async newest(): Promise<{ height: number; hash: string; timestamp: bigint; baseFee: bigint }> {
      const block = await rpc.call<{ number: string; hash: string; timestamp: string; baseFeePerGas?: string } | null>(
        'eth_getBlockByNumber',
        ['latest', false],
      )
      if (!block) throw new Error(`${options.network}: no newest block`)
      const { number, hash, timestamp, baseFeePerGas = '0x0' } = block
      return { height: Number(number), hash, timestamp: BigInt(timestamp), baseFee: BigInt(baseFeePerGas) }
    },
    tip: async () => options.tip ?? BigInt(await rpc.call<string>('eth_maxPriorityFeePerGas', [])),
    receipt: (hash: string) => rpc.call<RelayReceiptRaw | null>('eth_getTransactionReceipt', [hash]),
    /** Hashes of the transactions in which a payer's nonce was used or given up, in these blocks. */
    async nonceLogs(contract: string, payer: string, nonce: string, topic: string, from: number, to: number) {
      const topics = [topic, `0x${payer.slice(2).toLowerCase().padStart(64, '0')}`, nonce]
      const range = { fromBlock: hex(BigInt(from)), toBlock: hex(BigInt(to)) }
      const logs = await rpc.call<{ transactionHash: string }[]>('eth_getLogs', [
        { address: contract, topics, ...range },
      ])
      return logs.map(({ transactionHash }) => transactionHash.toLowerCase())
    },
    /**
     * Sends to every provider, so that one that drops it does not matter. Resolves also when they refuse: what they say (known already,
     * nonce too low, underpriced) is no proof that it will not be mined. Rejects when none was reached.
     */
    async broadcast(raw: Hex): Promise<void> {
      const sent = await rpc.askAll('eth_sendRawTransaction', (client, signal) =>
        client.call<string>('eth_sendRawTransaction', [raw], signal),
      )
      const isHeard = ({ status, ...rest }: PromiseSettledResult<string>) =>
        status === 'fulfilled' || ('reason' in rest && rest.reason instanceof ProviderRefused)
      if (!sent.some(isHeard)) throw new Error(`${options.network}: no provider took the transaction`)
    },
  }
}

const hex = (value: bigint): Hex => `0x${value.toString(16)}`

/** `Error(string)` in words; anything else as it is. */
export const wordsOf = (revert: string): string => {
  if (!isHex(revert) || !revert.startsWith('0x08c379a0')) return revert
  const length = Number(BigInt(`0x${revert.slice(74, 138) || '0'}`))
  return hexToString(`0x${revert.slice(138, 138 + 2 * Math.min(length, 500))}`)
}
