/** JSON-RPC over several URLs: a URL that failed is set aside, so that one hanging provider does not slow every call. */

import { HttpRequestError, http, ResponseBodyTooLargeError } from 'viem'

/** Milliseconds one URL has for one call, the whole answer included. */
const RPC_CALL_TIMEOUT_MS = 2_000
/** Milliseconds a URL that failed is asked only after all others. */
const RPC_SET_ASIDE_MS = 30_000
/** URLs of one chain; a call so takes at most this many time limits. */
export const RPC_URLS_MAX = 5
/** Bytes of one answer. */
const RPC_ANSWER_MAX_BYTES = 32 * 1024 * 1024

export type RpcOptions = {
  /** Stands in front of every error message. */
  readonly network: string
  readonly chainId: number
  readonly urls: readonly string[]
  readonly timeoutMs?: number
  readonly setAsideMs?: number
}

export type Rpc = {
  /** The result of one call. Rejects with RpcRefused when a node answered with an error, else with RpcUnavailable. */
  call<T>(method: string, params: readonly unknown[]): Promise<T>
  /** Asks every URL for its chain. Rejects when one serves another chain than configured, or when none answers. */
  verifyChainId(): Promise<void>
}

/** A node answered, but with an error: asking for less may help. */
export class RpcRefused extends Error {}

/** No node gave a usable answer. */
export class RpcUnavailable extends Error {
  /** The last URL asked ran out of time; a smaller question may fit. */
  readonly timedOut: boolean

  constructor(message: string, timedOut = false) {
    super(message)
    this.timedOut = timedOut
  }
}

/** A URL serves another chain than the configured one: it is never asked again. */
class WrongChain extends Error {}

/**
 * URLs are asked in the order given, those that lately failed last. Each proves its chain id before its first answer is used.
 * No message holds a URL, which may carry a key, nor anything that was sent or that the node wrote.
 */
export const createRpc = (options: RpcOptions): Rpc => {
  const { network, chainId, urls, timeoutMs = RPC_CALL_TIMEOUT_MS, setAsideMs = RPC_SET_ASIDE_MS } = options
  if (urls.length === 0 || urls.length > RPC_URLS_MAX) throw new Error(`${network}: give 1 to ${RPC_URLS_MAX} RPC URLs`)
  const endpoints = urls.map((url, n) => openEndpoint(url, `${network}: RPC URL ${n + 1} of ${urls.length}`))
  const limits = { chainId, timeoutMs, setAsideMs }

  return {
    async call<T>(method: string, params: readonly unknown[]) {
      let failure: unknown = new WrongChain(`${network}: every RPC URL serves another chain than ${chainId}`)
      for (const endpoint of inOrder(endpoints)) {
        try {
          return (await attempt(endpoint, limits, method, params)) as T
        } catch (error) {
          if (!(failure instanceof RpcRefused)) failure = error
        }
      }
      throw failure
    },
    async verifyChainId() {
      const proofs = await Promise.allSettled(
        endpoints.map((endpoint) => {
          endpoint.proven = false
          return attempt(endpoint, limits, 'eth_chainId', [])
        }),
      )
      const reasons = proofs.flatMap((proof) => (proof.status === 'rejected' ? [proof.reason] : []))
      const wrong = reasons.find((reason) => reason instanceof WrongChain)
      if (wrong) throw wrong
      if (reasons.length === proofs.length) throw reasons[0]
    },
  }
}

type Limits = { readonly chainId: number; readonly timeoutMs: number; readonly setAsideMs: number }

/** One call to one URL; the proof of its chain, if still to be had, shares the call's time. */
const attempt = async (endpoint: Endpoint, limits: Limits, method: string, params: readonly unknown[]) => {
  const signal = AbortSignal.timeout(limits.timeoutMs)
  try {
    await prove(endpoint, limits.chainId, signal)
    const result = await endpoint.ask(method, params, signal)
    endpoint.asideUntil = 0
    return result
  } catch (error) {
    if (error instanceof RpcRefused || error instanceof WrongChain) throw error
    endpoint.asideUntil = performance.now() + limits.setAsideMs
    const reason = signal.aborted ? `no answer within ${limits.timeoutMs} ms` : reasonOf(error)
    throw new RpcUnavailable(`${endpoint.label}: ${method}: ${reason}`, signal.aborted)
  }
}

const prove = async (endpoint: Endpoint, chainId: number, signal: AbortSignal) => {
  if (endpoint.proven) return
  const quantity = await endpoint.ask('eth_chainId', [], signal)
  if (typeof quantity !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(quantity)) throw new Error('no chain id')
  if (BigInt(quantity) !== BigInt(chainId)) {
    endpoint.asideUntil = Number.POSITIVE_INFINITY
    throw new WrongChain(`${endpoint.label} serves chain ${BigInt(quantity)}, configured is ${chainId}`)
  }
  endpoint.proven = true
}

type Endpoint = {
  readonly label: string
  ask(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
  /** Reading of the monotonic clock in milliseconds. */
  asideUntil: number
  proven: boolean
}

/** viem's own time limit ends with the response's head, so a signal of ours covers its body too. */
const openEndpoint = (url: string, label: string): Endpoint => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Error(`${label}: not an http URL`)
  const transport = http(url, { raw: true, retryCount: 0, timeout: 0, maxResponseBodySize: RPC_ANSWER_MAX_BYTES })({})
  return {
    label,
    asideUntil: 0,
    proven: false,
    async ask(method, params, signal) {
      const answer: RawAnswer = await transport
        .request({ method, params }, { signal, retryCount: 0 })
        .catch((error) => {
          if (wasTooMuch(error)) throw new RpcRefused(`${label}: ${method}: ${reasonOf(error)}`)
          throw error
        })
      if (answer.error && !tooManyRequests.includes(Number(answer.error.code)))
        throw new RpcRefused(`${label}: ${method}: error ${Number(answer.error.code)}`)
      if (answer.error || answer.result === undefined) throw new Error('no result')
      return answer.result
    },
  }
}

type RawAnswer = { readonly error?: { readonly code: unknown } | undefined; readonly result?: unknown }

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

/** The healthy first, then those set aside, the soonest to be healthy again before the others; never those of another chain. */
const inOrder = (endpoints: readonly Endpoint[]): readonly Endpoint[] => {
  const now = performance.now()
  const wait = ({ asideUntil }: Endpoint) => Math.max(0, asideUntil - now)
  return endpoints.filter((e) => e.asideUntil !== Number.POSITIVE_INFINITY).toSorted((a, b) => wait(a) - wait(b))
}
