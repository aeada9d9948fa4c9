/** Searches ranges of blocks of an EVM chain for payments. */

import type { ChainEnds, Transfer } from '../../../domain/kernel/ports.ts'
import { chainChanged } from '../rpc/range.ts'
import { blockAt, hex, inFlight, orderedTransfers, type Reader } from './evm-blocks.ts'
import {
  AUTHORIZATION_USED_TOPIC,
  authorizationsIn,
  type ContractBlooms,
  mayHoldTokens,
  nativeTransfer,
  type PlacedTransfer,
  type RawBlock,
  type RawLog,
  type RawReceipt,
  receiverOf,
  TRANSFER_TOPIC,
  tokenReceiverOf,
  tokenTransfers,
} from './evm-transfers.ts'

/**
 * Newest blocks of a range whose logs are checked against their header on a network without a coin of its own to read
 * blocks for.
 */
const EVM_CHECKED_BLOCKS = 8
/** Contracts of one eth_getLogs; for more it is asked several times. */
const EVM_LOGS_MAX_CONTRACTS = 500

/** A reader with the receivers, lower case, and the contracts that it looks for. */
type Ranger = Reader & { readonly addresses: ReadonlySet<string>; readonly sought: ContractBlooms }

/** A part of the range that is asked for, which ends at `rangeEnd`. */
type Range = ChainEnds & { readonly start: number; readonly end: number; readonly rangeEnd: number }

/** The transfers of a range, and the hash of its last block where that had to be read. */
type RangeTransfers = { readonly transfers: readonly Transfer[]; readonly last: string | undefined }

/**
 * Logs come first: they are what a provider refuses, so a smaller range is tried before any block has been paid for.
 */
export async function transfersOfBlocks(reader: Ranger, range: Range): Promise<RangeTransfers> {
  const { rpc, assets, addresses, sought } = reader
  const where = { fromBlock: hex(range.start), toBlock: hex(range.end) }
  const logs = sought.size > 0 ? await logsIn(reader, where) : []
  const blocks = await blocksOf(reader, range)
  const complete = await completeLogs(reader, blocks, logs)
  // A node that answers for other contracts than it was asked for must not bring in a stranger's token.
  const asked = complete.filter((log) => sought.has(log.address.toLowerCase()))
  const hits = asked.filter((log) => addresses.has(tokenReceiverOf(log)))
  const authorizations = hits.length > 0 ? authorizationsIn(asked) : new Map()
  const tokens = tokenTransfers(assets, hits, authorizations)
  const natives = assets.native ? await nativesIn(reader, blocks) : []
  return { transfers: await orderedTransfers(rpc, [...tokens, ...natives], blocks), last: blocks.at(-1)?.hash }
}

/** The blocks of a range that have to be read, in order, each the parent of the next and tied to both ends. */
async function blocksOf(reader: Ranger, { start, end, rangeEnd, before, last }: Range): Promise<readonly RawBlock[]> {
  const { network, native } = reader.assets
  const isFull = native !== undefined
  const first = isFull ? start : Math.max(start, rangeEnd - EVM_CHECKED_BLOCKS + 1)
  const heights = Array.from({ length: Math.max(0, end - first + 1) }, (_, n) => first + n)
  const blocks = await inFlight(heights, (height) => blockAt(reader, hex(height), isFull))
  checkLinks(network, blocks)
  if (last !== undefined && blocks.at(-1)?.hash !== last) throw chainChanged(network)
  if (before !== undefined) {
    const lowest = first === start ? blocks[0] : await blockAt(reader, hex(start), false)
    if (lowest?.parentHash !== before) throw chainChanged(network)
  }
  return blocks
}

/**
 * Behind one URL stand many nodes, and one that lags answers a range with too little. Each block at hand is therefore
 * compared with the logs: other hashes mean a reorganisation, and a block whose bloom filter promises logs that are
 * missing is asked for by hash.
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

/** Only hits are checked for success: they are few, and a failed transaction stands in its block like any other. */
async function nativesIn({ rpc, assets, addresses }: Ranger, blocks: readonly RawBlock[]): Promise<PlacedTransfer[]> {
  const paying = blocks.flatMap(({ transactions }) => transactions.filter((tx) => addresses.has(receiverOf(tx) ?? '')))
  const hits = paying.map((tx) => nativeTransfer(assets, tx)).filter((placed) => placed !== undefined)
  const succeeded = await inFlight(hits, async ({ transfer }) => {
    const receipt = await rpc.call<RawReceipt | null>('eth_getTransactionReceipt', [transfer.tx])
    if (receipt?.blockHash !== transfer.blockHash) throw chainChanged(assets.network)
    return receipt.status === '0x1'
  })
  return hits.filter((_, n) => succeeded[n])
}

const logsIn = async ({ rpc, sought }: Ranger, where: object): Promise<RawLog[]> => {
  const contracts = [...sought.keys()]
  const calls = Array.from({ length: Math.ceil(contracts.length / EVM_LOGS_MAX_CONTRACTS) }, (_, n) =>
    contracts.slice(n * EVM_LOGS_MAX_CONTRACTS, (n + 1) * EVM_LOGS_MAX_CONTRACTS),
  )
  const topics = [[TRANSFER_TOPIC, AUTHORIZATION_USED_TOPIC]]
  return (await inFlight(calls, (address) => rpc.call<RawLog[]>('eth_getLogs', [{ ...where, address, topics }]))).flat()
}

const checkLinks = (network: string, blocks: readonly RawBlock[]) => {
  const isBroken = blocks.some((block, n) => n > 0 && block.parentHash !== blocks[n - 1]?.hash)
  if (isBroken) throw chainChanged(network)
}
