/**
 * A TON chain read over toncenter's API. A block that cannot be read whole is an error, never an empty block: silence
 * loses payments.
 */

import { setTimeout as pause } from 'node:timers/promises'
import { assetsOn } from '../../../domain/kernel/assets.ts'
import type { Transfer } from '../../../domain/kernel/ports.ts'
import { coinNamed } from '../coin.ts'
import { answers, type ChainNode, type ChainOptions } from '../rpc/chain-node.ts'
import { ProviderUnavailable } from '../rpc/providers.ts'
import { checkRange } from '../rpc/range.ts'
import { voicesBy } from '../watch/voices.ts'
import { createTonApi, type TonApi } from './api.ts'
import { balanceAt } from './balance.ts'
import { createBlockReader, hashOfBlock, newestBlock } from './blocks.ts'
import { createJettonWallets } from './jetton-wallets.ts'
import { publicKeyAt } from './public-key.ts'
import { hashOf, tracedBy } from './traces.ts'
import { createTransferReader, type TransferReader } from './transfers.ts'

/** Blocks of one `transfersIn`; the caller asks for more in several calls. */
export const TON_RANGE_MAX_BLOCKS = 1_000
/** A block whose provider wants a pause is asked for so often, so that the blocks before it need not be read again. */
const TRIES = 3
const TRY_AGAIN_MS = 1_000

/**
 * Reads TON and jettons (J-GEN-05, J-TOK-08). Heights are those of the masterchain, whose blocks make those of every
 * shard final. Addresses are `UQ…`, hashes 64 hex digits, amounts in smallest units. A transfer goes by the transaction
 * in which it arrived, whichever hash of its trace was posted. Every method rejects with an Error without URL, key or
 * call data when no provider gives a usable answer in time; `transfersIn` rejects when a block is not there yet.
 */
export const tonChain = (options: ChainOptions): ChainNode => {
  const { network, chain, rpcUrls, assets, ...limits } = options
  const api = createTonApi({ network, chain, urls: rpcUrls, ...limits })
  const readBlock = createBlockReader(network, api)
  const there = assetsOn(network, chain.caip2, assets)
  const reader = createTransferReader(network, there, createJettonWallets(network, api))
  let newest = -1

  return {
    network,
    caip2: chain.caip2,
    async head() {
      const head = await api.ask('/masterchainInfo', newestBlock)
      newest = Math.max(newest, head.height)
      return head
    },
    async hashAt(height) {
      const hash = await api.ask('/blocks', hashOfBlock(height))
      // What was there once is there for good: no answer then must not look like a reorganisation.
      if (hash === undefined && height <= newest) throw new Error(`${network}: a provider lags behind block ${height}`)
      return hash
    },
    async transfersOf(tx) {
      const hash = hashOf(tx)
      return hash === undefined ? undefined : transfersOfTrace(network, api, reader, hash)
    },
    async transfersIn(from, to, addresses, contracts, ends = {}) {
      checkRange(network, { from, to, max: TON_RANGE_MAX_BLOCKS })
      const found: Transfer[] = []
      for (let height = from; height <= to; height++) {
        const { hash, transactions } = await patiently(() => readBlock(height))
        const isOther = height === to && ends.last !== undefined && ends.last !== hash
        if (isOther) throw new Error(`${network}: block ${height} is another than was told`)
        const arrived = await patiently(() => reader.to(transactions, addresses, contracts))
        found.push(...arrived.map((transfer) => ({ ...transfer, blockHash: hash })))
      }
      return found
    },
    async balanceOf(address, name) {
      const coin = coinNamed(network, there, name)
      return coin && balanceAt(api, address, coin)
    },
    publicKeyOf: (address) => publicKeyAt(api, address),
    verifyChain: () => api.verifyChain(),
    async tips() {
      return answers(await api.askAll('/masterchainInfo', newestBlock))
    },
    async hashesAt(height) {
      return answers(await api.askAll('/blocks', hashOfBlock(height)))
    },
    providers: () => api.states(),
    ...voicesBy(tonChain, options),
    async close() {
      // Nothing is held open: a call under way ends by its own time limit.
    },
  }
}

/**
 * While nothing has arrived and something still may, the answer is that the chain does not know it: a payer is then
 * told to wait.
 */
const transfersOfTrace = async (
  network: string,
  api: TonApi,
  reader: TransferReader,
  hash: string,
): Promise<Transfer[] | undefined> => {
  const traced = await tracedBy(api, hash)
  if (!traced) return undefined
  const arrived = await reader.of(traced.transactions, hash)
  if (arrived.length === 0 && !traced.isComplete) return undefined
  const hashes = new Map<number, string>()
  for (const height of new Set(arrived.map((transfer) => transfer.height))) {
    const blockHash = await api.ask('/blocks', hashOfBlock(height))
    if (!blockHash) throw new Error(`${network}: block ${height} is not there yet`)
    hashes.set(height, blockHash)
  }
  return arrived.map((transfer) => ({ ...transfer, blockHash: hashes.get(transfer.height) ?? '' }))
}

const patiently = async <T>(read: () => Promise<T>): Promise<T> => {
  for (let tried = 1; ; tried++)
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ProviderUnavailable) || tried === TRIES) throw error
      await pause(TRY_AGAIN_MS)
    }
}
