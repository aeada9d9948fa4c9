/** JSON-RPC over HTTP to the providers of one EVM chain. */

import { boundedBody, httpUrl, withLogin } from './http.ts'
import { type JsonRpc, type JsonRpcClient, jsonRpc } from './json-rpc.ts'
import { createProviders, ProviderFault, type ProviderLimits, ProviderRefusal, WrongChain } from './providers.ts'

/** Bytes of one answer. */
const RPC_ANSWER_MAX_BYTES = 32 * 1024 * 1024

export type RpcOptions = ProviderLimits & {
  /** The network's name, which stands in front of every error message. */
  readonly network: string
  /** EIP-155. */
  readonly chainId: number
  readonly urls: readonly string[]
}

/** Each provider proves its chain id before its first answer is used. */
export const createRpc = ({ chainId, ...rest }: RpcOptions): JsonRpc =>
  jsonRpc(createProviders<JsonRpcClient>({ ...rest, open, prove: (...asked) => prove(chainId, ...asked) }))

const prove = async (chainId: number, client: JsonRpcClient, label: string, signal: AbortSignal) => {
  const quantity = await client.call<unknown>('eth_chainId', [], signal)
  if (typeof quantity !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(quantity)) throw new ProviderFault('no chain id')
  if (BigInt(quantity) !== BigInt(chainId))
    throw new WrongChain(`${label} serves chain ${BigInt(quantity)}, configured is ${chainId}`)
}

const open = (given: string, label: string): JsonRpcClient => {
  const { url, headers: login } = withLogin(httpUrl(given, label))
  const headers = { 'content-type': 'application/json', ...login }
  return {
    async call<T>(method: string, params: readonly unknown[], signal: AbortSignal) {
      const tooMuch = (words: string) => new ProviderRefusal(`${label}: ${method}: ${words}`)
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', headers, body, signal }).catch(() => {
        throw new ProviderFault('no connection')
      })
      const { error, result } = answerIn(
        response,
        String(await boundedBody(response, RPC_ANSWER_MAX_BYTES, tooMuch)),
        tooMuch,
      )
      if (error && !tooManyRequests.includes(Number(error.code)))
        throw new ProviderRefusal(`${label}: ${method}: error ${Number(error.code)}`, revertOf(error))
      if (error || result === undefined) throw new ProviderFault('no usable answer')
      return result as T
    },
  }
}

type RawError = { readonly code: unknown; readonly data?: unknown; readonly message?: unknown }
type RawAnswer = { readonly error?: RawError | undefined; readonly result?: unknown }

/** Characters that are kept of what a node says about a reverted call. */
const REVERT_MAX = 2_000

const revertOf = ({ data, message }: RawError): string | undefined => {
  const said = typeof data === 'string' && data.length > 2 ? data : message
  return typeof said === 'string' ? said.slice(0, REVERT_MAX) : undefined
}

/** HTTP's own code, which some providers also write as the code of the JSON-RPC error. */
const tooManyRequests = [429, -32029]

/** HTTP statuses by which providers say that a question asks for too much. */
const tooMuchStatuses = [400, 413, 422]

/** What a provider has answered. An HTTP error may bear the answer of the node as well, which says more. */
const answerIn = ({ ok, status }: Response, text: string, tooMuch: (words: string) => Error): RawAnswer => {
  const answer = parsed(text)
  if (ok || isNodes(answer?.error)) return answer ?? {}
  if (tooMuchStatuses.includes(status)) throw tooMuch(`HTTP status ${status}`)
  throw new ProviderFault(`HTTP status ${status}`)
}

const isNodes = (error: RawError | undefined): boolean =>
  typeof error?.code === 'number' && typeof error.message === 'string'

const parsed = (text: string): RawAnswer | undefined => {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? answer : undefined
  } catch {
    return undefined
  }
}
