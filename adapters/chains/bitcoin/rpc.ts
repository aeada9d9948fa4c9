/** JSON-RPC over HTTP as bitcoind and its relatives speak it, to the providers of one chain. */
import { boundedBody, httpUrl, withLogin } from '../rpc/http.ts'
import {
  createProviders,
  ProviderFault,
  type ProviderLimits,
  ProviderRefusal,
  type Providers,
  WrongChain,
} from '../rpc/providers.ts'

/** Milliseconds one provider has for one call: a full block is up to 8 MB of hex, and comes from far away too. */
const BITCOIN_CALL_TIMEOUT_MS = 10_000
/** Bytes of one answer: a block of 4 MB is twice that in hex, and Litecoin's extension comes on top. */
const BITCOIN_ANSWER_MAX_BYTES = 16 * 1024 * 1024

export type BitcoinRpcOptions = ProviderLimits & {
  /** The network's name, which stands in front of every error message. */
  readonly network: string
  /** BIP-122: the first 32 digits of the hash of the first block. */
  readonly caip2: string
  readonly urls: readonly string[]
}

/**
 * The client of one provider. Rejects with NotThere when the provider knows no such thing, with ProviderRefusal on any
 * other error. Amounts in an answer are not exact, unless `parse` reads them exactly.
 */
export type BitcoinClient = {
  call(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
    parse?: (text: string) => unknown,
  ): Promise<unknown>
}

/** The provider answered that it knows no such block, height or transaction. */
class NotThere extends ProviderRefusal {}

/**
 * Each provider proves by the hash of its first block, and by those of later ones where other chains have the same
 * first block, which chain it serves. User and password stand in the URL.
 */
export const createBitcoinRpc = ({ caip2, timeoutMs, ...rest }: BitcoinRpcOptions): Providers<BitcoinClient> =>
  createProviders<BitcoinClient>({
    ...rest,
    timeoutMs: timeoutMs ?? BITCOIN_CALL_TIMEOUT_MS,
    open,
    prove: (...asked) => prove(caip2, ...asked),
  })

const prove = async (caip2: string, client: BitcoinClient, label: string, signal: AbortSignal): Promise<void> => {
  const served = `bip122:${hashIn(await client.call('getblockhash', [0], signal)).slice(0, 32)}`
  if (served !== caip2) throw new WrongChain(`${label} serves chain ${served}, configured is ${caip2}`)
  for (const { height, hash } of checkpointsOf(caip2)) {
    const found = await unlessRefused(client.call('getblockhash', [height], signal))
    // The node may still be reading the right chain from its beginning: its answers do not count yet, and it is asked
    // again.
    if (found === undefined) throw new ProviderFault(`it has not come to block ${height} yet, which proves its chain`)
    if (hashIn(found) !== hash)
      throw new WrongChain(`${label} serves a chain that split off ${caip2}: block ${height} is another one`)
  }
}

/** Nodes have different errors for a height above their newest block. */
const unlessRefused = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof ProviderRefusal) return undefined
    throw error
  }
}

/** The answer, or undefined when the provider knows no such thing. */
export const ifThere = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof NotThere) return undefined
    throw error
  }
}

/** The hash of a block or a transaction, as nodes write it. */
export const hashIn = (answer: unknown): string => {
  if (typeof answer !== 'string' || !/^[0-9a-f]{64}$/.test(answer)) throw new ProviderFault('no hash')
  return answer
}

/** Raw bytes as nodes write them. */
export const bytesIn = (answer: unknown): Buffer => {
  if (typeof answer !== 'string' || answer.length % 2 !== 0) throw new ProviderFault('no hex')
  const bytes = Buffer.from(answer, 'hex')
  // The decoder stops at the first character that is no hex digit.
  if (bytes.length * 2 !== answer.length) throw new ProviderFault('no hex')
  return bytes
}

const open = (given: string, label: string): BitcoinClient => {
  const { url, headers: login } = withLogin(httpUrl(given, label))
  const headers = { 'content-type': 'application/json', ...login }
  return {
    async call(method, params, signal, parse = JSON.parse) {
      const body = JSON.stringify({ jsonrpc: '1.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' }).catch(() => {
        throw new ProviderFault('no connection')
      })
      const { result, error } = answerIn(
        await boundedBody(response, BITCOIN_ANSWER_MAX_BYTES, tooMuch),
        response.status,
        parse,
      )
      if (error) throw failureOf(error, `${label}: ${method}`)
      if (result === undefined || result === null) throw new ProviderFault('no usable answer')
      return result
    },
  }
}

const tooMuch = (words: string) => new ProviderFault(words)

type Answer = {
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null
}

/** Errors come with status 500 or 404 from older nodes and with 200 from newer ones, in the same form. */
const answerIn = (body: Buffer, status: number, parse: (text: string) => unknown): Answer => {
  const isOk = status === 200
  try {
    const answer = parse(body.toString())
    if (typeof answer === 'object' && answer !== null && (isOk || (answer as Answer).error)) return answer
  } catch {
    // The error below says so, without what was received.
  }
  throw new ProviderFault(isOk ? 'no usable answer' : `HTTP status ${status}`)
}

/**
 * Bitcoin Core's rpc/protocol.h: not connected to peers, downloading its first blocks, starting; then HTTP's own code
 * for a pause.
 */
const NOT_READY = [-9, -10, -28, 429, -32029]
/** An unknown hash; a height beyond the newest block or a parameter of the wrong form. */
const NOT_THERE = [-5, -8]

/**
 * Codes alone do not tell an unknown transaction from a node that cannot look for it, and some nodes have other codes:
 * the words do.
 */
const failureOf = ({ code: given, message }: NonNullable<Answer['error']>, question: string): Error => {
  const code = Number(given)
  const words = String(message)
  if (NOT_READY.includes(code)) return new ProviderFault(`not ready, error ${code}`)
  if (/process of being indexed/i.test(words)) return new ProviderFault('its index of transactions is not complete yet')
  if (/-txindex/i.test(words)) return new ProviderRefusal(`${question}: the node needs txindex=1`)
  if (NOT_THERE.includes(code) || (code === -1 && /^(tx|transaction) not found/i.test(words)))
    return new NotThere(`${question}: error ${code}`)
  return new ProviderRefusal(`${question}: error ${code}`)
}

/**
 * Blocks that tell a chain from those that split off it: Bitcoin Cash has Bitcoin's first block, and 478,558 more.
 * Test chains have none, because their coins are worth nothing.
 */

/** A block that stands for everything before it. */
type BitcoinCheckpoint = { readonly height: number; readonly hash: string }

/**
 * The checkpoints of a chain in the order of their heights; none for a chain that is not told from others in this way.
 */
const checkpointsOf = (caip2: string): readonly BitcoinCheckpoint[] => checkpoints.get(caip2) ?? []

const checkpoints: ReadonlyMap<string, readonly BitcoinCheckpoint[]> = new Map([
  [
    'bip122:000000000019d6689c085ae165831e93',
    [
      // Bitcoin's first block after Bitcoin Cash split off.
      { height: 478_559, hash: '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148' },
      // A block after Bitcoin Gold (491,407), Diamond (495,866), Private (511,346) and others; Bitcoin Core 28's
      // chainparams.cpp.
      { height: 840_000, hash: '0000000000000000000320283a032748cef8227873ff4872689bf23f1cda83a5' },
    ],
  ],
  [
    'bip122:12a765e31ffd4059bada1e25190f6e98',
    [
      // Litecoin after Litecoin Cash (1,371,111); a checkpoint of Litecoin's own wallet.
      { height: 1_411_200, hash: '92c85b76f3d4bffca76b23717e4eb1b667c77c96fd52d4dd5dd843bbee64cd73' },
    ],
  ],
])
