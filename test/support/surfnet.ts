/**
 * Surfpool: a Solana node with its own RPC, in this process and offline. It stands behind a front that mends what it is
 * known to say unlike other nodes, so that the adapter is held to what Solana documents:
 * - `blockTime` is in thousands of seconds (seconds everywhere else).
 * - `sendTransaction` answers before the transaction's block is there.
 * - A block with transactions names itself as its parent, and its hash is not the one that the block after it names.
 */

import { createRequire } from 'node:module'
import { eventually } from '../../src/demo/stage.ts'
import { RpcError, serveJsonRpc } from './json-rpc-server.ts'
import { askNode, type SolanaNode } from './solana-node.ts'

const require = createRequire(import.meta.url)

type Surfpool = {
  readonly Surfnet: { startWithConfig(config: { blockProductionMode: 'transaction' }): Surfnet }
}
type Surfnet = { readonly rpcUrl: string; timeTravelToSlot(slot: number): unknown; stop(): void }

/** Undefined where its package does not run: it is there for Linux on x64 with glibc. */
export const surfpool = (): Surfpool | undefined => {
  try {
    return require('@solana/surfpool-linux-x64-gnu')
  } catch {
    return undefined
  }
}

export const startSurfnet = async ({ Surfnet }: Surfpool): Promise<SolanaNode> => {
  const net = Surfnet.startWithConfig({ blockProductionMode: 'transaction' })
  const ask = <T>(method: string, params: readonly unknown[] = []) => askNode<T>(net.rpcUrl, method, params)
  const processed = () => ask<number>('getSlot', [{ commitment: 'processed' }])
  const mine = async (slots: number) => {
    net.timeTravelToSlot((await processed()) + slots)
  }
  await ask('surfnet_pauseClock')
  // The slots before its start cannot be read.
  await mine(3)

  const header = { transactionDetails: 'none', rewards: false, commitment: 'confirmed' }
  const hashOf = async (slot: number) => (await ask<RawBlock>('getBlock', [slot, header])).blockhash
  const mended = async <T>(method: string, params: readonly unknown[]): Promise<T | null> => {
    const result = await ask<(T & { blockTime?: number }) | null>(method, params)
    return result?.blockTime ? { ...result, blockTime: result.blockTime * 1000 } : result
  }
  const sent = async (params: readonly unknown[]) => {
    const before = await processed()
    const signature = await ask('sendTransaction', params)
    await eventually('the block', async () => (await processed()) > before)
    return signature
  }
  const front = await serveJsonRpc(async (method, params) => {
    try {
      if (method === 'sendTransaction') return await sent(params)
      if (method === 'getTransaction') return await mended(method, params)
      if (method !== 'getBlock') return await ask(method, params)
      const block = await mended<RawBlock>(method, params)
      const parentSlot = Number(params[0]) - 1
      return block && { ...block, parentSlot, previousBlockhash: await hashOf(parentSlot) }
    } catch (error) {
      throw new RpcError((error as { code?: number }).code ?? -32603, (error as Error).message)
    }
  })

  return {
    url: front.url,
    async setAccount(address, { lamports, owner, data }) {
      const account = { lamports, owner: owner.toBase58(), data: Buffer.from(data).toString('hex') }
      await ask('surfnet_setAccount', [address.toBase58(), account])
    },
    mine,
    stop() {
      front.close()
      net.stop()
    },
  }
}

type RawBlock = { readonly blockhash: string }
