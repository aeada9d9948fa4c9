/** Reads blocks and single transactions of an EVM chain. */

import type { Transfer } from '../../../domain/kernel/ports.ts'
import type { JsonRpc } from '../rpc/json-rpc.ts'
import { chainChanged } from '../rpc/range.ts'
import {
  authorizationsIn,
  type EvmAssets,
  inChainOrder,
  nativeTransfer,
  type PlacedTransfer,
  type RawBlock,
  type RawReceipt,
  type RawTx,
  tokenTransfers,
} from './evm-transfers.ts'

/** Blocks or receipts asked for at the same time. */
const EVM_CALLS_IN_FLIGHT = 4

export type Reader = { readonly rpc: JsonRpc; readonly assets: EvmAssets }

/** The transfers of a transaction: undefined when no block holds it, none when it failed. */
export async function transfersOfTx({ rpc, assets }: Reader, hash: string): Promise<Transfer[] | undefined> {
  const receipt = await rpc.call<RawReceipt | null>('eth_getTransactionReceipt', [hash])
  if (!receipt) return undefined
  if (receipt.status !== '0x1') return []
  const tokens = tokenTransfers(assets, receipt.logs, authorizationsIn(receipt.logs))
  if (!assets.native) return orderedTransfers(rpc, tokens)
  const tx = await rpc.call<RawTx | null>('eth_getTransactionByHash', [hash])
  if (tx?.blockHash !== receipt.blockHash) throw chainChanged(assets.network)
  const native = nativeTransfer(assets, tx)
  return orderedTransfers(rpc, native ? [native, ...tokens] : tokens)
}

/**
 * Orders transfers and gives them the times of their blocks. Blocks that are not at hand are asked for by hash, so that
 * no other block can answer.
 */
export async function orderedTransfers(
  rpc: JsonRpc,
  placed: readonly PlacedTransfer[],
  known: readonly RawBlock[] = [],
): Promise<Transfer[]> {
  const missing = new Set(placed.map(({ transfer }) => transfer.blockHash))
  for (const { hash } of known) missing.delete(hash)
  const asked = await inFlight([...missing], (hash) => rpc.call<RawBlock | null>('eth_getBlockByHash', [hash, false]))
  return inChainOrder(placed, [...known, ...asked.filter((block) => block !== null)])
}

export const blockAt = async ({ rpc, assets }: Reader, at: string, isFull: boolean): Promise<RawBlock> => {
  const block = await rpc.call<RawBlock | null>('eth_getBlockByNumber', [at, isFull])
  if (!block) throw new Error(`${assets.network}: block ${at === 'latest' ? at : Number(at)} is not there yet`)
  return block
}

export const inFlight = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  for (let n = 0; n < items.length; n += EVM_CALLS_IN_FLIGHT)
    results.push(...(await Promise.all(items.slice(n, n + EVM_CALLS_IN_FLIGHT).map(work))))
  return results
}

export const hex = (height: number) => `0x${height.toString(16)}`
