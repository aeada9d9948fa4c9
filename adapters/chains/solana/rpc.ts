/** JSON-RPC over HTTP to the providers of one Solana chain, with every number exact. */

import { base58 } from '@scure/base'
import { type NetworkChain, networks } from '../../../domain/kernel/networks.ts'
import { boundedBody, httpUrl } from '../rpc/http.ts'
import { type JsonRpc, type JsonRpcClient, jsonRpc } from '../rpc/json-rpc.ts'
import { createProviders, ProviderFault, type ProviderLimits, ProviderRefusal, WrongChain } from '../rpc/providers.ts'

/**
 * Bytes of one answer, unpacked. A full block of the main chain has about 7 million, and blocks may grow to twice as
 * many transactions.
 */
const SOLANA_ANSWER_MAX_BYTES = 64 * 1024 * 1024
/** Milliseconds one provider has for one call: a full block takes its time even on a good line. */
const SOLANA_CALL_TIMEOUT_MS = 10_000

export type SolanaRpcOptions = ProviderLimits & {
  /** The network's name, which stands in front of every error message. */
  readonly network: string
  readonly chain: NetworkChain
  readonly urls: readonly string[]
}

/** Each provider proves its chain by the hash of the chain's first block before its first answer is used. */
export const createSolanaRpc = ({ chain, ...rest }: SolanaRpcOptions): JsonRpc =>
  jsonRpc(
    createProviders<JsonRpcClient>({
      timeoutMs: SOLANA_CALL_TIMEOUT_MS,
      ...rest,
      open,
      prove: (...asked) => prove(chain, ...asked),
    }),
  )

/** The chains whose first block everybody knows: a chain with another first block is somebody's own. */
const publicChains: readonly string[] = networks
  .filter(({ family }) => family === 'solana')
  .flatMap(({ chains }) => chains.map(({ caip2 }) => caip2))

const prove = async ({ id, caip2 }: NetworkChain, client: JsonRpcClient, label: string, signal: AbortSignal) => {
  const genesis = await client.call<unknown>('getGenesisHash', [], signal)
  if (typeof genesis !== 'string' || !isOf32Bytes(genesis)) throw new ProviderFault('no first block')
  const served = `solana:${genesis.slice(0, 32)}`
  const isRight = id === 'localnet' ? !publicChains.includes(served) : served === caip2
  if (!isRight) throw new WrongChain(`${label} serves chain ${served}, configured is ${caip2}`)
}

const open = (given: string, label: string): JsonRpcClient => {
  const url = httpUrl(given, label)
  return {
    async call<T>(method: string, params: readonly unknown[], signal: AbortSignal) {
      const tooMuch = (words: string) => new ProviderRefusal(`${label}: ${method}: ${words}`)
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal,
      }).catch(() => {
        throw new ProviderFault('no connection')
      })
      if (!response.ok) {
        await response.body?.cancel()
        throw new ProviderFault(`HTTP status ${response.status}`)
      }
      const { error, result } = answerIn(String(await boundedBody(response, SOLANA_ANSWER_MAX_BYTES, tooMuch)))
      if (error && !unwell.includes(Number(error.code)))
        throw new ProviderRefusal(`${label}: ${method}: error ${Number(error.code)}`)
      if (error || result === undefined) throw new ProviderFault('no usable answer')
      return result as T
    },
  }
}

type RawAnswer = { readonly error?: { readonly code: unknown } | undefined; readonly result?: unknown }

/** Error codes of a node that is behind the others (-32005) or wants a pause; some providers write HTTP's own code. */
const unwell = [429, -32429, -32005]

const answerIn = (text: string): RawAnswer => {
  try {
    const answer: unknown = exactJson(text)
    if (typeof answer === 'object' && answer !== null) return answer
  } catch {
    // The error below says so, without what the provider wrote.
  }
  throw new ProviderFault('no usable answer')
}

/**
 * A number that a double may not hold. Lamports are written as JSON numbers, and nine million SOL are more than 2^53 of
 * them.
 */
const MAY_BE_INEXACT = /[[,:]\s*(?:9\d{15}|\d{17,})\s*[,\]}]/

/**
 * JSON with whole numbers above 2^53 as bigint. Telling them apart takes five times as long, so it is done only where
 * there is one.
 */
export const exactJson = (text: string): unknown => {
  if (!MAY_BE_INEXACT.test(text)) return JSON.parse(text)
  const exact = (_key: string, value: unknown, { source = '' }: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(source) ? BigInt(source) : value
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown)
}

const isOf32Bytes = (text: string): boolean => {
  try {
    return base58.decode(text).length === 32
  } catch {
    return false
  }
}
