/** The questions of a relayer to its chain: fees, balances, and whether a call would go through; and how it sends. */

import { type Hex, hexToString, isHex, keccak256 } from 'viem'
import { AUTHORIZATION_CANCELED_TOPIC, AUTHORIZATION_USED_TOPIC, type RawReceipt } from '../chains/evm/evm-transfers.ts'
import { ProviderRefusal } from '../chains/rpc/providers.ts'
import { createRpc, type RpcOptions } from '../chains/rpc/rpc.ts'
import { askDataFee, type DataFee } from './data-fee.ts'

/** The price that a transaction of ours offers for a unit of gas, in wei. */
export type GasPrice = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** A payer's nonce of a token. */
export type NonceUse = {
  readonly contract: string
  readonly payer: string
  readonly nonce: string
}

/** The events that tell of a nonce. */
const NONCE_TOPICS = [AUTHORIZATION_USED_TOPIC, AUTHORIZATION_CANCELED_TOPIC]
/** Questions that a search for one nonce may take. */
const NONCE_SEARCHES_MAX = 600

/** The fees for one unit of gas, in wei, and the fee for a payment's data. */
export type Fees = { readonly baseFee: bigint; readonly tip: bigint; readonly data: DataFee }

export type RelayReceiptRaw = RawReceipt & {
  readonly blockNumber: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  /** Wei for the data on the layer below; only chains that have such a layer tell it. */
  readonly l1Fee?: string
}

/** The outcome of a contract's call: its data, or why it was reverted, in the contract's own words where it has any. */
export type CallResult =
  | { readonly data: Hex; readonly reverted?: undefined }
  | { readonly data?: undefined; readonly reverted: string }

/**
 * A call that is tried. With `fees` a contract sees the price of gas that the transaction would have, and not 0;
 * without `to` the data is code that is run and kept nowhere.
 */
type TrialCall = {
  readonly from?: string
  readonly to?: string
  readonly data: string
  readonly gas?: bigint
  readonly fees?: GasPrice | undefined
}

export type RelayChain = ReturnType<typeof createRelayChain>

/**
 * Rejects as providers do; a call that is reverted is an answer and not an error. `tip` replaces the one that the node
 * suggests.
 */
export const createRelayChain = (options: RpcOptions & { readonly tip?: bigint | undefined }) => {
  const rpc = createRpc(options)
  const ask = async (method: 'eth_call' | 'eth_estimateGas', asked: TrialCall): Promise<CallResult> => {
    try {
      return { data: await rpc.call<Hex>(method, [inHex(asked), 'latest']) }
    } catch (error) {
      if (error instanceof ProviderRefusal && error.revert !== undefined) return { reverted: wordsOf(error.revert) }
      throw error
    }
  }
  const call = (asked: TrialCall) => ask('eth_call', asked)
  return {
    call,
    /** The gas that a call takes, refunds not taken off; undefined when it would be reverted. */
    async gasOf(asked: TrialCall): Promise<bigint | undefined> {
      const called = await ask('eth_estimateGas', asked)
      return called.reverted === undefined ? BigInt(called.data) : undefined
    },
    /**
     * keccak256 of the code of a contract, or of a key that has given itself some (EIP-7702); undefined without any.
     */
    async codeHash(address: string): Promise<string | undefined> {
      const code = await rpc.call<Hex>('eth_getCode', [address, 'latest'])
      return code === '0x' ? undefined : keccak256(code)
    },
    dataFee: () => askDataFee(options.network, options.chainId, async (asked) => (await call(asked)).data),
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
    /** Finds out which of these addresses have code now, with one question for all. */
    async withCode(addresses: readonly string[]): Promise<ReadonlySet<string>> {
      const called = await call({ data: codeLook(addresses) })
      if (called.reverted !== undefined || called.data.length !== 2 + 2 * addresses.length)
        throw new Error(`${options.network}: nobody says which payers have code`)
      return new Set(addresses.filter((_, n) => called.data.slice(2 + 2 * n, 4 + 2 * n) !== '00'))
    },
    /**
     * The hashes of the newest transactions in these blocks in which a payer's nonce was used or given up. A provider
     * that answers for few blocks at a time is asked for fewer, from the newest on. Rejects when that would take too
     * many questions.
     */
    async nonceLogs(use: NonceUse, from: number, to: number): Promise<readonly string[]> {
      const { contract, payer, nonce } = use
      const sought = [NONCE_TOPICS, `0x${payer.slice(2).toLowerCase().padStart(64, '0')}`, nonce]
      let span = to - from + 1
      let end = to
      for (let asked = 0; end >= from; asked++) {
        if (asked === NONCE_SEARCHES_MAX) throw new Error(`${options.network}: a nonce is searched for too long`)
        const start = Math.max(from, end - span + 1)
        const range = { fromBlock: hex(BigInt(start)), toBlock: hex(BigInt(end)) }
        try {
          const logs = await rpc.call<{ transactionHash: string }[]>('eth_getLogs', [
            { address: contract, topics: sought, ...range },
          ])
          if (logs.length > 0) return logs.map(({ transactionHash }) => transactionHash.toLowerCase())
          end = start - 1
        } catch (error) {
          if (!(error instanceof ProviderRefusal) || start === end) throw error
          span = Math.ceil((end - start + 1) / 2)
        }
      }
      return []
    },
    /**
     * Sends to every provider, so that one that drops it does not matter. Resolves also when they refuse: what they say
     * (known already, nonce too low, underpriced) is no proof that it will not be mined. Rejects when none was reached.
     */
    async broadcast(raw: Hex): Promise<void> {
      const sent = await rpc.askAll('eth_sendRawTransaction', (client, signal) =>
        client.call<string>('eth_sendRawTransaction', [raw], signal),
      )
      const isHeard = ({ status, ...rest }: PromiseSettledResult<string>) =>
        status === 'fulfilled' || ('reason' in rest && rest.reason instanceof ProviderRefusal)
      if (!sent.some(isHeard)) throw new Error(`${options.network}: no provider took the transaction`)
    },
  }
}

const inHex = ({ from, to, data, gas, fees }: TrialCall) => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
  data,
  ...(gas !== undefined && { gas: hex(gas) }),
  ...(fees && { maxFeePerGas: hex(fees.maxFeePerGas), maxPriorityFeePerGas: hex(fees.maxPriorityFeePerGas) }),
})

/**
 * Code that answers one byte for each of the addresses behind it: 1 where there is code. It is run without being put
 * anywhere, which every node does.
 */
export const codeLook = (addresses: readonly string[]): Hex => {
  const looks = addresses.map((address, n) => `73${address.slice(2).toLowerCase()}3b151561${u16(n)}53`)
  return `0x${looks.join('')}61${u16(addresses.length)}6000f3`
}

/** Two bytes in hex. */
const u16 = (n: number): string => n.toString(16).padStart(4, '0')

const hex = (value: bigint): Hex => `0x${value.toString(16)}`

/** The words of an `Error(string)`; anything else as it is. */
export const wordsOf = (revert: string): string => {
  if (!isHex(revert) || !revert.startsWith('0x08c379a0')) return revert
  const length = Number(BigInt(`0x${revert.slice(74, 138) || '0'}`))
  return hexToString(`0x${revert.slice(138, 138 + 2 * Math.min(length, 500))}`)
}
