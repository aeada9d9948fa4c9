/** An Ethereum-like chain read over JSON-RPC. A block that cannot be read whole is an error, never an empty block: silence loses payments. */

import { assetsOn } from '../../domain/assets.ts'
import type { ChainHead, Transfer } from '../../domain/ports.ts'
import { answers, type ChainNode, type ChainOptions } from './chain-node.ts'
import {
  AUTHORIZATION_USED_TOPIC,
  authorizationsIn,
  type EvmAssets,
  evmAssetsOf,
  inChainOrder,
  mayHoldTokens,
  nativeTransfer,
  type Placed,
  type RawBlock,
  type RawLog,
  type RawReceipt,
  type RawTx,
  type Sought,
  soughtOf,
  TRANSFER_TOPIC,
  tokenTransfer,
} from './evm-transfers.ts'
import { ProviderRefused, ProviderUnavailable, type Question } from './providers.ts'
import { createRpc, type Rpc, type RpcClient } from './rpc.ts'

/** Blocks of one `transfersIn`; the caller asks for more in several calls. */
export const EVM_RANGE_MAX_BLOCKS = 5_000
/** Blocks of one eth_getLogs; halved while a provider refuses the range, a tenth more after each answer. */
const EVM_LOGS_MAX_BLOCKS = 100
/** Newest blocks of a range whose logs are checked against their header on a network without a coin of its own to read blocks for. */
const EVM_CHECKED_BLOCKS = 8
/** Contracts of one eth_getLogs; for more it is asked several times. */
const EVM_LOGS_MAX_CONTRACTS = 500
/** Blocks or receipts asked for at the same time. */
const EVM_CALLS_IN_FLIGHT = 4

export type EvmOptions = ChainOptions & {
  /** Blocks of one eth_getLogs. */
  readonly logsMaxBlocks?: number
}

/**
 * Reads native value and ERC-20 transfers (J-GEN-05, J-TOK-08). Addresses are EIP-55, hashes lower case, amounts in smallest units. Every method rejects with an Error without URL or call data when no node gives a usable answer in time, and when
 * blocks change while they are read. `transfersIn` rejects when a block is not there yet. Known limit: coin sent by a contract (a
 * multi-signature wallet, an exchange's batch) is an internal call, which only a trace shows; it is reported by neither method.
 */
export const evmChain = (options: EvmOptions): ChainNode => {
  const { network, chain, rpcUrls, logsMaxBlocks = EVM_LOGS_MAX_BLOCKS, assets, ...limits } = options
  const chainId = Number(chain.caip2.slice('eip155:'.length))
  const rpc = createRpc({ network, chainId, urls: rpcUrls, ...limits })
  const reader = { rpc, assets: evmAssetsOf(network, assetsOn(network, chain.caip2, assets)) }
  if (!(logsMaxBlocks >= 1)) throw new Error(`${network}: a range of logs is at least one block`)
  let span = logsMaxBlocks

  return {
    network,
    caip2: chain.caip2,
    async head() {
      return headOf(await blockAt(reader, 'latest', false))
    },
    async hashAt(height) {
      return (await rpc.call<RawBlock | null>('eth_getBlockByNumber', [hex(height), false]))?.hash
    },
    async transfersOf(tx) {
      if (!/^0x[0-9a-fA-F]{64}$/.test(tx)) return undefined
      return transfersOfTx(reader, tx.toLowerCase())
    },
    async transfersIn(from, to, addresses, contracts) {
      checkRange(network, from, to)
      const ranger = { ...reader, addresses, sought: soughtOf(reader.assets, contracts) }
      const found: Transfer[] = []
      for (let start = from; start <= to; ) {
        const end = Math.min(start + span - 1, to)
        try {
          found.push(...(await transfersOfBlocks(ranger, start, end, to)))
          start = end + 1
          span = Math.min(span + Math.ceil(span / 10), logsMaxBlocks)
        } catch (error) {
          const isOneBlock = start === end
          if (isTooMuch(error)) span = Math.max(1, Math.floor((end - start + 1) / 2))
          if (isOneBlock || !(error instanceof ProviderRefused)) throw error
        }
      }
      return found
    },
    verifyChain: () => rpc.verifyChain(),
    async tips() {
      const blocks = answers(await rpc.askAll('eth_getBlockByNumber', newestBlock))
      return blocks.map((block) => (block ? headOf(block) : undefined))
    },
    async hashesAt(height) {
      const blocks = answers(
        await rpc.askAll('eth_getBlockByNumber', (client, signal) =>
          client.call<RawBlock | null>('eth_getBlockByNumber', [hex(height), false], signal),
        ),
      )
      return blocks.map((block) => block?.hash)
    },
    async close() {
      // Nothing is held open: a call under way ends by its own time limit.
    },
  }
}

const newestBlock: Question<RpcClient, RawBlock | null> = (client, signal) =>
  client.call('eth_getBlockByNumber', ['latest', false], signal)

const headOf = ({ number, hash, timestamp }: RawBlock): ChainHead => ({
  height: Number(number),
  hash,
  minedAt: new Date(Number(timestamp) * 1000).toISOString(),
})

type Reader = { readonly rpc: Rpc; readonly assets: EvmAssets }
/** Reads for some receivers and contracts. */
type Ranger = Reader & { readonly addresses: ReadonlySet<string>; readonly sought: Sought }
type IsWanted = (placed: Placed | undefined) => placed is Placed

async function transfersOfTx({ rpc, assets }: Reader, hash: string): Promise<Transfer[] | undefined> {
  const receipt = await rpc.call<RawReceipt | null>('eth_getTransactionReceipt', [hash])
  if (!receipt) return undefined
  if (receipt.status !== '0x1') return []
  const authorizations = authorizationsIn(receipt.logs)
  const placed = receipt.logs.map((log) => tokenTransfer(assets, log, authorizations))
  if (assets.native) {
    const tx = await rpc.call<RawTx | null>('eth_getTransactionByHash', [hash])
    if (tx?.blockHash !== receipt.blockHash) throw chainChanged(assets.network)
    placed.push(nativeTransfer(assets, tx))
  }
  return ordered(
    rpc,
    placed.filter((transfer) => transfer !== undefined),
  )
}

/** Logs come first: they are what a provider refuses, so a smaller range is tried before any block has been paid for. */
async function transfersOfBlocks(reader: Ranger, start: number, end: number, rangeEnd: number): Promise<Transfer[]> {
  const { rpc, assets, addresses, sought } = reader
  const logs = sought.size > 0 ? await logsIn(reader, { fromBlock: hex(start), toBlock: hex(end) }) : []
  const first = assets.native ? start : Math.max(start, rangeEnd - EVM_CHECKED_BLOCKS + 1)
  const isFull = assets.native !== undefined
  const heights = Array.from({ length: Math.max(0, end - first + 1) }, (_, n) => first + n)
  const blocks = await inFlight(heights, (height) => blockAt(reader, hex(height), isFull))
  checkLinks(assets.network, blocks)
  const isWanted: IsWanted = (placed): placed is Placed => placed !== undefined && addresses.has(placed.transfer.to)
  const complete = await completeLogs(reader, blocks, logs)
  // A node that answers for other contracts than it was asked for must not bring in a stranger's token.
  const asked = complete.filter((log) => sought.has(log.address.toLowerCase()))
  const authorizations = authorizationsIn(asked)
  const tokens = asked.map((log) => tokenTransfer(assets, log, authorizations)).filter(isWanted)
  const natives = isFull ? await nativesIn(reader, blocks, isWanted) : []
  return ordered(rpc, [...tokens, ...natives], blocks)
}

/**
 * Behind one URL stand many nodes, and one that lags answers a range with too little. Each block at hand is therefore held against
 * the logs: other hashes mean a reorganisation, and a block whose bloom filter promises logs that are missing is asked for by hash.
 */
async function completeLogs(reader: Ranger, blocks: readonly RawBlock[], logs: readonly RawLog[]): Promise<RawLog[]> {
  const { assets, sought } = reader
  const byHeight = Map.groupBy(logs, (log) => Number(log.blockNumber))
  const suspects: RawBlock[] = []
  for (const block of blocks) {
    const own = byHeight.get(Number(block.number)) ?? []
    if (own.some((log) => log.blockHash !== block.hash)) throw chainChanged(assets.network)
    if (own.length === 0 && mayHoldTokens(sought, block)) suspects.push(block)
  }
  const missing = await inFlight(suspects, ({ hash }) => logsIn(reader, { blockHash: hash }))
  return [...logs, ...missing.flat()]
}

/** Hits only are checked for success: they are few, and a failed transaction stands in its block like any other. */
async function nativesIn({ rpc, assets }: Reader, blocks: readonly RawBlock[], isWanted: IsWanted): Promise<Placed[]> {
  const hits = blocks.flatMap((block) => block.transactions.map((tx) => nativeTransfer(assets, tx))).filter(isWanted)
  const succeeded = await inFlight(hits, async ({ transfer }) => {
    const receipt = await rpc.call<RawReceipt | null>('eth_getTransactionReceipt', [transfer.tx])
    if (receipt?.blockHash !== transfer.blockHash) throw chainChanged(assets.network)
    return receipt.status === '0x1'
  })
  return hits.filter((_, n) => succeeded[n])
}

/** With the times of their blocks; those not at hand are asked for, by hash so that no other block can answer. */
async function ordered(rpc: Rpc, placed: readonly Placed[], known: readonly RawBlock[] = []): Promise<Transfer[]> {
  const missing = new Set(placed.map(({ transfer }) => transfer.blockHash))
  for (const { hash } of known) missing.delete(hash)
  const asked = await inFlight([...missing], (hash) => rpc.call<RawBlock | null>('eth_getBlockByHash', [hash, false]))
  return inChainOrder(placed, [...known, ...asked.filter((block) => block !== null)])
}

const logsIn = async ({ rpc, sought }: Ranger, where: object): Promise<RawLog[]> => {
  const contracts = [...sought.keys()]
  const calls = Array.from({ length: Math.ceil(contracts.length / EVM_LOGS_MAX_CONTRACTS) }, (_, n) =>
    contracts.slice(n * EVM_LOGS_MAX_CONTRACTS, (n + 1) * EVM_LOGS_MAX_CONTRACTS),
  )
  const topics = [[TRANSFER_TOPIC, AUTHORIZATION_USED_TOPIC]]
  return (await inFlight(calls, (address) => rpc.call<RawLog[]>('eth_getLogs', [{ ...where, address, topics }]))).flat()
}

const blockAt = async ({ rpc, assets }: Reader, at: string, isFull: boolean): Promise<RawBlock> => {
  const block = await rpc.call<RawBlock | null>('eth_getBlockByNumber', [at, isFull])
  if (!block) throw new Error(`${assets.network}: block ${at === 'latest' ? at : Number(at)} is not there yet`)
  return block
}

const checkRange = (network: string, from: number, to: number) => {
  const isValid = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0
  if (!isValid || to - from >= EVM_RANGE_MAX_BLOCKS)
    throw new Error(`${network}: a range is at most ${EVM_RANGE_MAX_BLOCKS} blocks from block 0 on`)
}

const checkLinks = (network: string, blocks: readonly RawBlock[]) => {
  const isBroken = blocks.some((block, n) => n > 0 && block.parentHash !== blocks[n - 1]?.hash)
  if (isBroken) throw chainChanged(network)
}

const chainChanged = (network: string) => new Error(`${network}: the chain changed while it was read`)

/** A time limit that ran out also makes the next range smaller, but is not tried again here: the caller's wait has a bound. */
const isTooMuch = (error: unknown) =>
  error instanceof ProviderRefused || (error instanceof ProviderUnavailable && error.timedOut)

const inFlight = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  for (let n = 0; n < items.length; n += EVM_CALLS_IN_FLIGHT)
    results.push(...(await Promise.all(items.slice(n, n + EVM_CALLS_IN_FLIGHT).map(work))))
  return results
}

const hex = (height: number) => `0x${height.toString(16)}`
