/** Blocks of the masterchain, each with every transaction that it made final, of whichever shard. */

import type { ChainHead } from '../../../domain/kernel/ports.ts'
import { ProviderFault, ProviderRefusal, ProviderUnavailable, type Question } from '../rpc/providers.ts'
import { hexOf, type TonRawBlock, type TonRawTransaction, timeOf } from './answers.ts'
import type { Query, TonApi, TonClient } from './api.ts'

/** Blocks of shards that one masterchain block makes final; the API gives no more at once. */
const BLOCKS_MAX = 1_000
/** Transactions of one masterchain block. */
const BLOCK_MAX_TRANSACTIONS = 50_000
/** Transactions asked for at once; halved while that is too much for a provider, a tenth more after each answer. */
const PAGE_MAX = 500
const PAGE_MIN = 25
const MASTERCHAIN = -1

export const newestBlock: Question<TonClient, ChainHead> = async (client, signal) => {
  const info = await client.get<{ last: TonRawBlock }>('/masterchainInfo', {}, signal)
  if (!info?.last) throw new ProviderFault('no usable answer')
  return headOf(info.last)
}

/** The hash of the masterchain block at a height; undefined when the provider has none. */
export const hashOfBlock =
  (height: number): Question<TonClient, string | undefined> =>
  async (client, signal) => {
    const query: Query = { workchain: MASTERCHAIN, seqno: height, limit: 1 }
    const answer = await client.get<{ blocks: readonly TonRawBlock[] }>('/blocks', query, signal)
    return answer?.blocks.map(headOf)[0]?.hash
  }

export type TonBlock = { readonly hash: string; readonly transactions: readonly TonRawTransaction[] }

/** Rejects when the block is not there yet, and when fewer transactions are to be had than its shards' blocks count. */
export const createBlockReader = (network: string, api: TonApi): ((height: number) => Promise<TonBlock>) => {
  let page = PAGE_MAX
  const pageOf = async (height: number, offset: number): Promise<readonly TonRawTransaction[]> => {
    for (;;)
      try {
        const query: Query = { seqno: height, limit: page, offset, sort: 'asc' }
        const answer = await api.get<{ transactions: readonly TonRawTransaction[] }>(PATH, query)
        if (!answer) throw new Error(`${network}: block ${height} is not there yet`)
        page = Math.min(PAGE_MAX, page + Math.ceil(page / 10))
        return answer.transactions
      } catch (error) {
        const isLeast = page === PAGE_MIN
        if (isTooMuch(error)) page = Math.max(PAGE_MIN, Math.floor(page / 2))
        if (isLeast || !(error instanceof ProviderRefusal)) throw error
      }
  }

  return async (height) => {
    const { hash, count } = await sizeOf(network, api, height)
    const found = new Map<string, TonRawTransaction>()
    for (let offset = 0; found.size < count; ) {
      const transactions = await pageOf(height, offset)
      for (const transaction of transactions) found.set(transaction.hash, checked(network, height, transaction))
      offset += transactions.length
      if (transactions.length === 0 || offset > BLOCK_MAX_TRANSACTIONS)
        throw new Error(`${network}: block ${height} came with ${found.size} of its ${count} transactions`)
    }
    return { hash, transactions: [...found.values()] }
  }
}

const PATH = '/transactionsByMasterchainBlock'

/** A masterchain block, and how many transactions it and the blocks of its shards hold. */
const sizeOf = async (network: string, api: TonApi, height: number): Promise<{ hash: string; count: number }> => {
  const query: Query = { mc_seqno: height, limit: BLOCKS_MAX }
  const { blocks = [] } = (await api.get<{ blocks: readonly TonRawBlock[] }>('/blocks', query)) ?? {}
  const own = blocks.find(({ workchain, seqno }) => workchain === MASTERCHAIN && seqno === height)
  if (!own) throw new Error(`${network}: block ${height} is not there yet`)
  const count = blocks.reduce((sum, block) => sum + block.tx_count, 0)
  const isWhole = blocks.length < BLOCKS_MAX && blocks.every((block) => Number.isSafeInteger(block.tx_count))
  if (!isWhole || count > BLOCK_MAX_TRANSACTIONS) throw new Error(`${network}: block ${height} cannot be counted`)
  return { hash: headOf(own).hash, count }
}

const headOf = ({ seqno, root_hash, gen_utime }: TonRawBlock): ChainHead => ({
  height: seqno,
  hash: hexOf(root_hash),
  minedAt: timeOf(gen_utime),
})

/** An answer of another form than was documented must not pass for a block without payments. */
const checked = (network: string, height: number, transaction: TonRawTransaction): TonRawTransaction => {
  const { account, hash, lt, now, mc_block_seqno, description, in_msg } = transaction
  const isWhole = [account, hash, lt].every((text) => typeof text === 'string') && Number.isSafeInteger(now)
  if (!isWhole || mc_block_seqno !== height || typeof description !== 'object' || in_msg === undefined)
    throw new Error(`${network}: block ${height} came with a transaction that cannot be read`)
  return transaction
}

/**
 * A time limit that ran out also makes the next page smaller, but is not tried again here: the caller's wait has a
 * bound.
 */
const isTooMuch = (error: unknown) =>
  error instanceof ProviderRefusal || (error instanceof ProviderUnavailable && error.timedOut)
