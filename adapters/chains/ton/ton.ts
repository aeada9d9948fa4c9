/**
 * A TON chain read over toncenter's API. A block that cannot be read whole is an error, never an empty block: silence
 * loses payments.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Address } from '@ton/core'
import { assetsOn } from '../../../domain/kernel/assets.ts'
import type { Transfer } from '../../../domain/kernel/ports.ts'
import { type ChainCoin, coinNamed } from '../coin.ts'
import { answers, type ChainNode, type ChainOptions } from '../rpc/chain-node.ts'
import { ProviderFault, ProviderRefusal, ProviderUnavailable } from '../rpc/providers.ts'
import { checkRange } from '../rpc/range.ts'
import { voicesBy } from '../watch/voices.ts'
import type { RawGetMethodResult, RawJettonWallet, RawTrace, TonRawTransaction } from './answers.ts'
import { createTonApi, type TonApi } from './api.ts'
import { createBlockReader, hashOfBlock, newestBlock } from './blocks.ts'
import { createJettonWallets } from './jetton-wallets.ts'
import { createTransferReader, type TransferReader } from './transfers.ts'

/** Blocks of one `transfersIn`; the caller asks for more in several calls. */
export const TON_RANGE_MAX_BLOCKS = 1_000
/**
 * Times that a block is asked for when its provider wants a pause, so that the blocks before it need not be read again.
 */
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
      // A block that was there once stays for good, so a missing answer must not look like a reorganisation.
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
 * The transfers of a trace. While nothing has arrived but something still may, answers undefined, as for an unknown
 * hash: a payer is then told to wait.
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

/**
 * Wallets of one owner and master that are read: there is one, and one more for each time that the master was given
 * other code.
 */
const WALLETS_MAX = 100

/** The balance of an address on TON, as of the newest block that the index knows. */
const balanceAt = (api: TonApi, address: string, { contract }: ChainCoin): Promise<bigint> =>
  contract === undefined ? coinAt(api, rawOf(address)) : jettonsAt(api, rawOf(address), rawOf(contract))

/** An account that nobody has paid yet is not listed. */
const coinAt = (api: TonApi, address: string): Promise<bigint> =>
  api.ask('/accountStates', async (client, signal) => {
    const query = { address, include_boc: 'false' }
    const answer = await client.get<{ accounts?: unknown }>('/accountStates', query, signal)
    if (!Array.isArray(answer?.accounts)) throw new ProviderFault('no accounts')
    const [account, ...more] = answer.accounts as readonly Partial<RawAccount>[]
    if (account === undefined) return 0n
    if (more.length > 0 || account.address !== address)
      throw new ProviderFault('another account than the one asked for')
    return unitsIn(account.balance)
  })

type RawAccount = { readonly address: string; readonly balance: unknown }

/** The index lists only wallets that the master itself calls this owner's; no wallet means no units. */
const jettonsAt = (api: TonApi, owner_address: string, jetton_address: string): Promise<bigint> =>
  api.ask('/jetton/wallets', async (client, signal) => {
    const query = { owner_address, jetton_address, limit: WALLETS_MAX }
    const answer = await client.get<{ jetton_wallets?: unknown }>('/jetton/wallets', query, signal)
    if (!Array.isArray(answer?.jetton_wallets)) throw new ProviderFault('no wallets')
    let sum = 0n
    for (const { owner, jetton, balance } of answer.jetton_wallets as readonly RawHolding[]) {
      if (owner !== owner_address || jetton !== jetton_address)
        throw new ProviderFault('another wallet than those asked for')
      sum += unitsIn(balance)
    }
    return sum
  })

type RawHolding = RawJettonWallet & { readonly balance: unknown }

/** Whole numbers beyond 53 bits are text. */
const unitsIn = (balance: unknown): bigint => {
  if (typeof balance !== 'string' || !/^\d{1,78}$/.test(balance)) throw new ProviderFault('no balance')
  return BigInt(balance)
}

/** The raw address in capitals, as the API writes it. */
const rawOf = (address: string): string => Address.parse(address).toRawString().toUpperCase()

/**
 * The key that a wallet on TON says is its own. In hex; undefined for an account that is not there, or that has no
 * such method.
 */
const publicKeyAt = async (api: TonApi, address: string): Promise<string | undefined> => {
  const raw = Address.parse(address).toRawString().toUpperCase()
  const ask = { address: raw, method: 'get_public_key', stack: [] }
  try {
    const { exit_code, stack } = await api.post<Partial<RawGetMethodResult>>('/runGetMethod', ask)
    if (typeof exit_code !== 'number' || !Array.isArray(stack)) throw new ProviderFault('no usable answer')
    const value = (stack[0] as { value?: unknown } | undefined)?.value
    if ((exit_code !== 0 && exit_code !== 1) || typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
      return undefined
    return value.slice(2).toLowerCase().padStart(64, '0')
  } catch (error) {
    if (error instanceof ProviderRefusal) return undefined
    throw error
  }
}

/** Traces, or transactions, that are read for one hash. A transaction has one, a message hardly ever more. */
const FOUND_MAX = 10

type TransactionTrace = {
  readonly transactions: readonly TonRawTransaction[]
  /** Whether nothing more can follow. */
  readonly isComplete: boolean
}

/**
 * Finds transactions by a posted hash of 64 hex digits. A payment is a trace of several: a payer knows the first, or
 * the message that began it. Answers everything in the trace of the transaction, or of the message, with this hash;
 * undefined when there is none. For a trace that is too large to be told, answers the transaction itself alone.
 */
const tracedBy = async (api: TonApi, hash: string): Promise<TransactionTrace | undefined> => {
  for (const by of ['tx_hash', 'msg_hash'] as const) {
    const answer = await api.get<{ traces: readonly RawTrace[] }>('/traces', { [by]: hash, limit: FOUND_MAX })
    const traces = answer?.traces ?? []
    if (traces.length === 0) continue
    const transactions = traces.flatMap((trace) => Object.values(trace.transactions ?? {}))
    const isUntold = traces.some((trace) => trace.is_incomplete && !trace.transactions)
    if (isUntold) transactions.push(...(await itself(api, by, hash)))
    const isComplete = traces.every(({ trace_info }) => trace_info.trace_state !== 'pending')
    return { transactions: transactions.filter(isFinal), isComplete }
  }
}

const itself = async (api: TonApi, by: 'tx_hash' | 'msg_hash', hash: string): Promise<readonly TonRawTransaction[]> => {
  const [path, name] = by === 'tx_hash' ? ['/transactions', 'hash'] : ['/transactionsByMessage', 'msg_hash']
  const answer = await api.get<{ transactions: readonly TonRawTransaction[] }>(path, { [name]: hash, limit: FOUND_MAX })
  if (!answer) throw new ProviderFault('a trace without its transactions')
  return answer.transactions
}

const isFinal = ({ emulated, finality = 'finalized' }: TonRawTransaction): boolean =>
  !emulated && finality === 'finalized'

/** Writes a hash in hex, base64 or base64url as 64 hex digits in lower case; undefined for what is no hash. */
const hashOf = (posted: string): string | undefined => {
  if (/^[0-9a-fA-F]{64}$/.test(posted)) return posted.toLowerCase()
  if (!/^(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9+/]{43})=?$/.test(posted)) return undefined
  return Buffer.from(posted, 'base64').toString('hex')
}
