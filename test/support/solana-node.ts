import type { PublicKey } from '@solana/web3.js'
import { exactJson } from '../../adapters/chains/solana/rpc.ts'
import type { NetworkChain } from '../../domain/kernel/networks.ts'
import { written } from './json-rpc-server.ts'

/** A Solana chain of a test's own. It stands still unless told; a transaction that is sent gets the next slot. */
export type SolanaNode = {
  readonly url: string
  /** Puts an account there as it is, by no transaction. */
  setAccount(address: PublicKey, account: SolanaAccount): Promise<void>
  mine(slots: number): Promise<void>
  stop(): void
}

export type SolanaAccount = { readonly lamports: bigint; readonly owner: PublicKey; readonly data: Uint8Array }

/** A chain that somebody runs himself, as settings choose it. */
export const localnet: NetworkChain = { id: 'localnet', caip2: 'solana:localnet', test: true }

/** One call; rejects with the code of an error. */
export const askNode = async <T>(url: string, method: string, params: readonly unknown[] = []): Promise<T> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: written({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = exactJson(await response.text()) as { result: T; error?: { code: number; message: string } }
  if (error) throw Object.assign(new Error(`${method}: ${error.code} ${error.message}`), { code: error.code })
  return result
}
