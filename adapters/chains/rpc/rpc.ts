/** JSON-RPC over HTTP to the providers of one EVM chain. */

import { HttpRequestError, http, ResponseBodyTooLargeError } from 'viem'
import { httpUrl } from './http.ts'
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

/** viem's own time limit ends with the response's head, so a signal of ours covers its body too. */
const open = (url: string, label: string): JsonRpcClient => {
  const transport = http(httpUrl(url, label).href, {
    raw: true,
    retryCount: 0,
    timeout: 0,
    maxResponseBodySize: RPC_ANSWER_MAX_BYTES,
  })({})
  return {
    async call<T>(method: string, params: readonly unknown[], signal: AbortSignal) {
      const answer: RawAnswer = await transport
        .request({ method, params }, { signal, retryCount: 0 })
        .catch((error) => {
          if (wasTooMuch(error)) throw new ProviderRefusal(`${label}: ${method}: ${reasonOf(error)}`)
          throw new ProviderFault(reasonOf(error))
        })
      if (answer.error && !tooManyRequests.includes(Number(answer.error.code)))
        throw new ProviderRefusal(`${label}: ${method}: error ${Number(answer.error.code)}`, revertOf(answer.error))
      if (answer.error || answer.result === undefined) throw new ProviderFault('no usable answer')
      return answer.result as T
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

const wasTooMuch = (error: unknown) =>
  error instanceof ResponseBodyTooLargeError ||
  (error instanceof HttpRequestError && tooMuchStatuses.includes(error.status ?? 0))

const reasonOf = (error: unknown): string => {
  if (error instanceof ResponseBodyTooLargeError) return `an answer above ${RPC_ANSWER_MAX_BYTES} bytes`
  if (error instanceof HttpRequestError) return error.status ? `HTTP status ${error.status}` : 'no connection'
  return 'no usable answer'
}
