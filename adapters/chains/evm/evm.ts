/**
 * An Ethereum-like chain read over JSON-RPC. A block that cannot be read whole is an error, never an empty block:
 * silence loses payments.
 */

import { assetsOn } from '../../../domain/kernel/assets.ts'
import type { ChainHead, Transfer } from '../../../domain/kernel/ports.ts'
import { type ChainCoin, coinNamed } from '../coin.ts'
import { answers, type ChainNode, type ChainOptions } from '../rpc/chain-node.ts'
import type { JsonRpc, JsonRpcClient } from '../rpc/json-rpc.ts'
import { ProviderFault, ProviderRefusal, ProviderUnavailable, type Question } from '../rpc/providers.ts'
import { checkRange } from '../rpc/range.ts'
import { createRpc } from '../rpc/rpc.ts'
import { voicesBy } from '../watch/voices.ts'
import { blockAt, hex, transfersOfTx } from './evm-blocks.ts'
import { balanceCall, signatureCall } from './evm-calls.ts'
import { transfersOfBlocks } from './evm-range.ts'
import { createSought, evmAssetsOf, type RawBlock } from './evm-transfers.ts'

/** Blocks of one `transfersIn`; the caller asks for more in several calls. */
export const EVM_RANGE_MAX_BLOCKS = 5_000
/** Blocks of one eth_getLogs; halved while a provider refuses the range, a tenth more after each answer. */
const EVM_LOGS_MAX_BLOCKS = 100
export type EvmOptions = ChainOptions & {
  /** Blocks of one eth_getLogs. */
  readonly logsMaxBlocks?: number
}

/**
 * Reads native value and ERC-20 transfers (J-GEN-05, J-TOK-08). Addresses are EIP-55, hashes lower case, amounts in
 * smallest units. Every method rejects with an Error without URL or call data when no node gives a usable answer in
 * time, and when blocks change while they are read. `transfersIn` rejects when a block is not there yet. Known limit:
 * coin sent by a contract (a multi-signature wallet, an exchange's batch) is an internal call, which only a trace
 * shows; it is reported by neither method.
 */
export const evmChain = (options: EvmOptions): ChainNode => {
  const { network, chain, rpcUrls, logsMaxBlocks = EVM_LOGS_MAX_BLOCKS, assets, ...limits } = options
  const chainId = Number(chain.caip2.slice('eip155:'.length))
  const rpc = createRpc({ network, chainId, urls: rpcUrls, ...limits })
  const there = assetsOn(network, chain.caip2, assets)
  const reader = { rpc, assets: evmAssetsOf(network, there) }
  const soughtOf = createSought(reader.assets)
  if (!(logsMaxBlocks >= 1)) throw new Error(`${network}: a range of logs is at least one block`)
  let span = logsMaxBlocks

  return {
    network,
    caip2: chain.caip2,
    async head() {
      return headOf(await blockAt(reader, 'latest', false))
    },
    async hashAt(height) {
      return (await rpc.ask('eth_getBlockByNumber', headerAt(hex(height))))?.hash
    },
    async transfersOf(tx) {
      if (!/^0x[0-9a-fA-F]{64}$/.test(tx)) return undefined
      return transfersOfTx(reader, tx.toLowerCase())
    },
    keyOf: (address) => address.toLowerCase(),
    async transfersIn(from, to, addresses, contracts, ends = {}) {
      checkRange(network, { from, to, max: EVM_RANGE_MAX_BLOCKS })
      const ranger = { ...reader, addresses, sought: soughtOf(contracts) }
      const found: Transfer[] = []
      let { before } = ends
      for (let start = from; start <= to; ) {
        const end = Math.min(start + span - 1, to)
        try {
          const last = end === to ? ends.last : undefined
          const part = await transfersOfBlocks(ranger, { start, end, rangeEnd: to, before, last })
          found.push(...part.transfers)
          before = part.last
          start = end + 1
          span = Math.min(span + Math.ceil(span / 10), logsMaxBlocks)
        } catch (error) {
          const isOneBlock = start === end
          if (isTooMuch(error)) span = Math.max(1, Math.floor((end - start + 1) / 2))
          if (isOneBlock || !(error instanceof ProviderRefusal)) throw error
        }
      }
      return found
    },
    async balanceOf(address, name) {
      const coin = coinNamed(network, there, name)
      return coin && balanceAt(rpc, network, address, coin)
    },
    isSignedByContract: (address, hash, signature) => isSignedByContract(rpc, address, hash, signature),
    verifyChain: () => rpc.verifyChain(),
    async tips() {
      const blocks = answers(await rpc.askAll('eth_getBlockByNumber', headerAt('latest')))
      return blocks.map((block) => (block ? headOf(block) : undefined))
    },
    async hashesAt(height) {
      const blocks = answers(await rpc.askAll('eth_getBlockByNumber', headerAt(hex(height))))
      return blocks.map((block) => block?.hash)
    },
    providers: () => rpc.states(),
    ...voicesBy(evmChain, options),
    async close() {
      // Nothing is held open: a call under way ends by its own time limit.
    },
  }
}

const headerAt =
  (at: string): Question<JsonRpcClient, RawBlock | null> =>
  (client, signal) =>
    client.call('eth_getBlockByNumber', [at, false], signal)

const headOf = ({ number, hash, timestamp }: RawBlock): ChainHead => ({
  height: Number(number),
  hash,
  minedAt: new Date(Number(timestamp) * 1000).toISOString(),
})

/**
 * A time limit that ran out also makes the next range smaller, but is not tried again here: the caller's wait has a
 * bound.
 */
const isTooMuch = (error: unknown) =>
  error instanceof ProviderRefusal || (error instanceof ProviderUnavailable && error.timedOut)

/**
 * Gas of one call to a token. A token that a seller names may do anything when it is asked, and must not keep a node
 * busy.
 */
const TOKEN_CALL_GAS = 10_000_000

/** The balance of an address of an EVM chain, as of its newest block. */
const balanceAt = (rpc: JsonRpc, network: string, address: string, { contract }: ChainCoin): Promise<bigint> =>
  contract === undefined ? coinAt(rpc, address) : tokensAt(rpc, network, address, contract)

const coinAt = (rpc: JsonRpc, address: string): Promise<bigint> =>
  rpc.ask('eth_getBalance', async (client, signal) => {
    const answer = await client.call<unknown>('eth_getBalance', [address, 'latest'], signal)
    if (typeof answer !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(answer)) throw new ProviderFault('no balance')
    return BigInt(answer)
  })

/** An answer that is not one number is the fault of the token, not of the provider. */
const tokensAt = async (rpc: JsonRpc, network: string, address: string, contract: string): Promise<bigint> => {
  const call = { to: contract, data: balanceCall(address), gas: `0x${TOKEN_CALL_GAS.toString(16)}` }
  const word = await rpc.ask('eth_call', async (client, signal) => {
    const answer = await client.call<unknown>('eth_call', [call, 'latest'], signal)
    if (typeof answer !== 'string' || !/^0x[0-9a-f]*$/i.test(answer)) throw new ProviderFault('no usable answer')
    return answer
  })
  if (word.length !== 66) throw new Error(`${network}: a contract that tells no balance`)
  return BigInt(word)
}

/** The answer of a contract that agrees: one word with nothing after it. */
const AGREED = `0x1626ba7e${'0'.repeat(56)}`
/** Gas of the question: whoever wrote the contract may do anything when it is asked, and must not keep a node busy. */
const CALL_GAS = 3_000_000

/**
 * Asks a contract wallet whether it agrees with a signature (EIP-1271). An account without code, and a contract that
 * reverts, do not agree.
 */
const isSignedByContract = async (rpc: JsonRpc, address: string, hash: string, signature: string): Promise<boolean> => {
  const call = { to: address, data: signatureCall(hash, signature), gas: `0x${CALL_GAS.toString(16)}` }
  try {
    const word = await rpc.ask('eth_call', async (client, signal) => {
      const answer = await client.call<unknown>('eth_call', [call, 'latest'], signal)
      if (typeof answer !== 'string' || !/^0x[0-9a-f]*$/i.test(answer)) throw new ProviderFault('no usable answer')
      return answer
    })
    return word.toLowerCase() === AGREED
  } catch (error) {
    if (error instanceof ProviderRefusal) return false
    throw error
  }
}
