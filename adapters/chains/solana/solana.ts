/**
 * Solana read over JSON-RPC. Heights are slots, of which some stay empty. A block that cannot be read whole is an
 * error, never an empty block.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { base58 } from '@scure/base'
import { assetsOn } from '../../../domain/kernel/assets.ts'
import type { ChainEnds, ChainHead, Transfer } from '../../../domain/kernel/ports.ts'
import { coinNamed } from '../coin.ts'
import { answers, type ChainNode, type ChainOptions } from '../rpc/chain-node.ts'
import type { JsonRpc, JsonRpcClient } from '../rpc/json-rpc.ts'
import { ProviderRefusal, ProviderUnavailable } from '../rpc/providers.ts'
import { chainChanged, checkRange } from '../rpc/range.ts'
import { voicesBy } from '../watch/voices.ts'
import { balanceAt } from './balance.ts'
import { createSolanaRpc } from './rpc.ts'
import {
  anything,
  type BlockPlace,
  type RawTransaction,
  type SolanaCoins,
  type SolanaTransferFilter,
  solanaCoinsOf,
  transfersIn,
  wantedOf,
} from './transfers.ts'

/** Slots of one `transfersIn`; the caller asks for more in several calls. */
export const SOLANA_RANGE_MAX_SLOTS = 5_000
/** Blocks asked for at the same time; each may have several megabytes. */
const BLOCKS_IN_FLIGHT = 4
/**
 * Times that one block is asked for, and milliseconds in between: behind one URL stand many nodes, and one may be a
 * slot behind the rest.
 */
const BLOCK_TRIES_MAX = 3
const BLOCK_RETRY_MS = 500
/**
 * The newest kind of transaction whose accounts are known to be listed as they are read here; a block with a newer one
 * is refused (-32015).
 */
const TRANSACTION_VERSION_MAX = 0

/**
 * Two thirds of the stake have voted for the block: it has never been taken back so far. Its finality is 32
 * confirmations.
 */
const confirmed = { commitment: 'confirmed' } as const
const headersOnly = { ...confirmed, transactionDetails: 'none', rewards: false } as const
const withAccounts = {
  ...confirmed,
  transactionDetails: 'accounts',
  rewards: false,
  maxSupportedTransactionVersion: TRANSACTION_VERSION_MAX,
} as const
const inJson = { ...confirmed, encoding: 'json', maxSupportedTransactionVersion: TRANSACTION_VERSION_MAX } as const

/**
 * Reads SOL, SPL Token and Token-2022 (J-GEN-05, J-TOK-08). Addresses are base58 of wallets, never of token accounts; a
 * hash is a transaction's first signature. Every method rejects with an Error without URL or call data when no node
 * gives a usable answer in time, and when blocks change while they are read. Slots are asked for only where the node
 * lists a block, and every block must name the one before it: a slot counts as skipped because its neighbours say so,
 * never because a node has nothing there. Known limit: the amounts of confidential transfers (Token-2022) are hidden
 * from everybody but the receiver, and are not reported.
 */
export const solanaChain = (options: ChainOptions): ChainNode => {
  const { network, chain, rpcUrls, assets, ...limits } = options
  const rpc = createSolanaRpc({ network, chain, urls: rpcUrls, ...limits })
  const there = assetsOn(network, chain.caip2, assets)
  const reader: Reader = { network, rpc, coins: solanaCoinsOf(network, there) }

  return {
    network,
    caip2: chain.caip2,
    head: () => rpc.ask('the newest block', (client, signal) => headOf(reader, client, signal)),
    hashAt: (height) => hashAt(reader, height),
    async transfersOf(tx) {
      return isSignature(tx) ? transfersOfTx(reader, tx) : undefined
    },
    async transfersIn(from, to, addresses, contracts, ends = {}) {
      checkRange(network, { from, to, max: SOLANA_RANGE_MAX_SLOTS, unit: 'slot' })
      const wanted = wantedOf(reader.coins, addresses, contracts)
      return from > to ? [] : transfersOfSlots(reader, { from, to, ...ends }, wanted)
    },
    async balanceOf(address, name) {
      const coin = coinNamed(network, there, name)
      return coin && balanceAt(rpc, address, coin)
    },
    verifyChain: () => rpc.verifyChain(),
    providers: () => rpc.states(),
    ...voicesBy(solanaChain, options),
    async tips() {
      return answers(await rpc.askAll('the newest block', (client, signal) => headOf(reader, client, signal)))
    },
    async hashesAt(height) {
      const blocks = await rpc.askAll('getBlock', (client, signal) =>
        client.call<RawHeader | null>('getBlock', [height, headersOnly], signal),
      )
      return answers(blocks).map((block) => block?.blockhash)
    },
    async close() {
      // Nothing is held open: a call under way ends by its own time limit.
    },
  }
}

type Reader = { readonly network: string; readonly rpc: JsonRpc; readonly coins: SolanaCoins }

type RawHeader = {
  readonly blockhash: string
  readonly previousBlockhash: string
  readonly parentSlot: number
  /** Seconds since 1970. */
  readonly blockTime: number | null
}
type RawBlock = RawHeader & { readonly transactions: readonly RawTransaction[] }
type Header = RawHeader & { readonly slot: number }

/** Asks the same provider for slot and block: another may not have that slot yet. */
const headOf = async ({ network }: Reader, client: JsonRpcClient, signal: AbortSignal): Promise<ChainHead> => {
  const slot = await client.call<number>('getSlot', [confirmed], signal)
  const block = await client.call<RawHeader | null>('getBlock', [slot, headersOnly], signal)
  const { blockhash, blockTime } = headerOf(network, slot, block)
  return { height: slot, hash: blockhash, ...(blockTime !== null && { minedAt: timeOf(blockTime) }) }
}

/**
 * Rejects for a slot that is still to come: slots follow the clock, so a node that does not have it yet is only behind
 * the others.
 */
const hashAt = async (reader: Reader, height: number): Promise<string | undefined> => {
  const next = await firstFrom(reader, height)
  if (next === undefined) throw notThereYet(reader, height)
  if (next.slot > height && next.parentSlot >= height) throw missing(reader, next.parentSlot)
  return next.slot === height ? next.blockhash : undefined
}

async function transfersOfTx({ network, rpc, coins }: Reader, tx: string): Promise<Transfer[] | undefined> {
  const found = await rpc.call<(RawTransaction & { slot: number }) | null>('getTransaction', [tx, inJson])
  if (!found) return undefined
  const block = await rpc.call<RawHeader | null>('getBlock', [found.slot, headersOnly])
  const place = placeOf(network, headerOf(network, found.slot, block))
  return transfersIn(coins, found, () => place, anything)
}

type Range = ChainEnds & { readonly from: number; readonly to: number }

/**
 * The block after the range is read too where the range ends in skipped slots: it alone can say that nothing is missing
 * there.
 */
const transfersOfSlots = async (reader: Reader, range: Range, wanted: SolanaTransferFilter): Promise<Transfer[]> => {
  const { from, to } = range
  const slots = await reader.rpc.call<number[]>('getBlocks', [from, to, confirmed])
  if (!Array.isArray(slots) || slots.some((slot, n) => slot > to || slot < (n > 0 ? (slots[n - 1] ?? 0) + 1 : from)))
    throw new Error(`${reader.network}: no usable list of blocks`)
  const after = slots.at(-1) === to ? undefined : await firstFrom(reader, to + 1)
  if (slots.at(-1) !== to && !after) throw notThereYet(reader, to)

  const found: Transfer[] = []
  let first: Header | undefined
  let last: Header | undefined
  for (let n = 0; n < slots.length; n += BLOCKS_IN_FLIGHT) {
    const chunk = slots.slice(n, n + BLOCKS_IN_FLIGHT)
    for (const read of await Promise.all(chunk.map((slot) => blockAt(reader, slot, wanted)))) {
      checkLink(reader, from, last, read.header)
      first ??= read.header
      last = read.header
      found.push(...read.transfers)
    }
  }
  if (after) checkLink(reader, from, last, after)
  checkEnds(reader, range, first ?? after, last)
  return found
}

/** Only what was found of a block is kept: the blocks of a range would not fit in memory. */
const blockAt = async ({ network, rpc, coins }: Reader, slot: number, wanted: SolanaTransferFilter) => {
  const block = await patiently(() => rpc.call<RawBlock | null>('getBlock', [slot, withAccounts]))
  const header = headerOf(network, slot, block)
  if (!block || !Array.isArray(block.transactions)) throw unreadable(network, slot)
  const place = () => placeOf(network, header)
  return { header, transfers: block.transactions.flatMap((raw) => transfersIn(coins, raw, place, wanted)) }
}

/** The first block at a slot or after it; undefined when there is none yet. */
const firstFrom = async ({ network, rpc }: Reader, slot: number): Promise<Header | undefined> => {
  const [first] = await rpc.call<number[]>('getBlocksWithLimit', [slot, 1, confirmed])
  if (first === undefined) return undefined
  const block = await patiently(() => rpc.call<RawHeader | null>('getBlock', [first, headersOnly]))
  return headerOf(network, first, block)
}

/**
 * A block names the one before it. One that names a slot which was not listed shows that the node does not have all of
 * them.
 */
const checkLink = (reader: Reader, from: number, last: Header | undefined, block: Header) => {
  if (block.parentSlot > (last?.slot ?? from - 1)) throw missing(reader, block.parentSlot)
  const isLinked = !last || (block.parentSlot === last.slot && block.previousBlockhash === last.blockhash)
  if (!isLinked) throw chainChanged(reader.network)
}

/** `first` may be the block after the range, where the range has none. */
const checkEnds = (
  reader: Reader,
  { before, last: end }: Range,
  first: Header | undefined,
  last: Header | undefined,
) => {
  const isLinked = before === undefined || first?.previousBlockhash === before
  if (!isLinked || (end !== undefined && last?.blockhash !== end)) throw chainChanged(reader.network)
}

const headerOf = (network: string, slot: number, block: RawHeader | null): Header => {
  if (!block) throw new Error(`${network}: slot ${slot} is not there yet`)
  const { blockhash, previousBlockhash, parentSlot, blockTime = null } = block
  const isWhole = typeof blockhash === 'string' && typeof previousBlockhash === 'string'
  if (!isWhole || !Number.isSafeInteger(parentSlot) || !Number.isSafeInteger(slot)) throw unreadable(network, slot)
  return { slot, blockhash, previousBlockhash, parentSlot, blockTime }
}

const placeOf = (network: string, { slot, blockhash, blockTime }: Header): BlockPlace => {
  if (blockTime === null) throw new Error(`${network}: slot ${slot} has no time`)
  return { height: slot, blockHash: blockhash, minedAt: timeOf(blockTime) }
}

const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString()

/**
 * Repeats a question that was refused or failed at once. One that ran out of time is not repeated, since the caller's
 * wait has a bound.
 */
const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      const mayPass = error instanceof ProviderRefusal || (error instanceof ProviderUnavailable && !error.timedOut)
      if (!mayPass || tries === BLOCK_TRIES_MAX) throw error
      await pause(BLOCK_RETRY_MS)
    }
}

const isSignature = (text: string): boolean => {
  if (!/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return false
  return base58.decode(text).length === 64
}

const notThereYet = ({ network }: Reader, slot: number) => new Error(`${network}: slot ${slot} is not there yet`)
const missing = ({ network }: Reader, slot: number) => new Error(`${network}: slot ${slot} is missing`)
const unreadable = (network: string, slot: number) => new Error(`${network}: slot ${slot} cannot be read`)
