/**
 * Tron read over java-tron's HTTP interface. A block that cannot be read whole is an error, never an empty block:
 * silence loses payments.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { toHex } from 'tronweb/utils'
import { assetsOn } from '../../../domain/kernel/assets.ts'
import type { ChainHead, Transfer } from '../../../domain/kernel/ports.ts'
import { type ChainCoin, coinNamed } from '../coin.ts'
import { answers, type ChainNode, type ChainOptions } from '../rpc/chain-node.ts'
import {
  createProviders,
  ProviderFault,
  type Providers,
  ProviderUnavailable,
  type Question,
  WrongChain,
} from '../rpc/providers.ts'
import { chainChanged, checkRange } from '../rpc/range.ts'
import { voicesBy } from '../watch/voices.ts'
import { openTronClient, type TronClient } from './http.ts'
import { EVERY_TRANSFER, transfersOfBlock, transfersOfTx, tronAssetsOf, wantedOf } from './transfers.ts'
import {
  asBlock,
  asInfo,
  asWhole,
  heightOf,
  isOfBlock,
  millisecondsOf,
  parentOf,
  type RawHeader,
  type TronRawBlock,
  type WholeBlock,
} from './wire.ts'

/** Blocks of one `transfersIn`; the caller asks for more in several calls. */
export const TRON_RANGE_MAX_BLOCKS = 5_000
/**
 * Milliseconds one provider has for one question: a block and its outcomes are a megabyte or more, and come from far
 * away too.
 */
const TRON_CALL_TIMEOUT_MS = 5_000
/** Blocks read at the same time, two calls each; one after the other once a range has met a refusal. */
const TRON_BLOCKS_IN_FLIGHT = 2
/**
 * Milliseconds to wait each time before a block is asked for again, once others of its range were read: 500 blocks are
 * a thousand calls, and all of them would be lost to one refusal. TronGrid refuses above 15 a second, and then
 * everything for 30 seconds.
 */
const TRON_PAUSES_MS = [1_000, 5_000, 30_000]

type TronOptions = ChainOptions & {
  /** Milliseconds before a block is asked for again, each time. */
  readonly pausesMs?: readonly number[]
}

/**
 * Reads TRX and TRC-20 transfers (J-GEN-05, J-TOK-08), coin sent by contracts among them where the node keeps internal
 * transactions. Hashes are 64 hex digits without 0x, as Tron writes them, addresses base58, amounts in smallest units.
 * A block takes two calls, whatever is looked for. Every method rejects with an Error without URL or key when no node
 * gives a usable answer in time, and when the chain changes while it is read. `transfersIn` rejects when a block is not
 * there yet.
 */
export const tronChain = (options: TronOptions): ChainNode => {
  const { network, chain, rpcUrls, assets: catalogue, pausesMs = TRON_PAUSES_MS, ...given } = options
  const limits = { timeoutMs: TRON_CALL_TIMEOUT_MS, ...given }
  const reference = chain.caip2.slice('tron:0x'.length)
  const providers = createProviders<TronClient>({
    network,
    urls: rpcUrls,
    ...limits,
    open: openTronClient,
    prove: (...asked) => prove(reference, ...asked),
  })
  const closing = new AbortController()
  const there = assetsOn(network, chain.caip2, catalogue)
  const assets = tronAssetsOf(network, there)

  return {
    network,
    caip2: chain.caip2,
    head: async () => headOf(await providers.ask('the newest block', newest)),
    hashAt: async (height) => (await providers.ask(`block ${height}`, headerAt(height)))?.blockID,
    async transfersOf(tx) {
      const hash = /^(?:0x)?([0-9a-f]{64})$/.exec(tx.toLowerCase())?.[1]
      return hash === undefined ? undefined : transfersOfHash(hash)
    },
    async transfersIn(from, to, addresses, contracts, ends = {}) {
      checkRange(network, { from, to, max: TRON_RANGE_MAX_BLOCKS })
      const wanted = wantedOf(assets, addresses, contracts)
      const found: Transfer[] = []
      let [inFlight, failures, parent] = [TRON_BLOCKS_IN_FLIGHT, 0, ends.before]
      for (let next = from; next <= to; ) {
        try {
          const count = Math.min(inFlight, to - next + 1)
          const blocks = Array.from({ length: count }, (_, n) => wholeBlock(providers, next + n))
          for (const whole of await Promise.all(blocks)) {
            if (parent !== undefined && parentOf(whole.block) !== parent) throw chainChanged(network)
            parent = whole.block.blockID
            found.push(...transfersOfBlock(assets, whole, wanted))
          }
          next += count
          failures = 0
        } catch (error) {
          const waitMs = pausesMs[failures++]
          if (next === from || waitMs === undefined || !(error instanceof ProviderUnavailable)) throw error
          inFlight = 1
          await pause(waitMs, undefined, { signal: closing.signal })
        }
      }
      if (ends.last !== undefined && from <= to && parent !== ends.last) throw chainChanged(network)
      return found
    },
    async balanceOf(address, name) {
      const coin = coinNamed(network, there, name)
      return coin && balanceAt(providers, network, address, coin)
    },
    verifyChain: () => providers.verifyChain(),
    async tips() {
      const headers = answers(await providers.askAll('the newest block', newest))
      return headers.map((header) => header && headOf(header))
    },
    async hashesAt(height) {
      const headers = answers(await providers.askAll(`block ${height}`, headerAt(height)))
      return headers.map((header) => header?.blockID)
    },
    providers: () => providers.states(),
    ...voicesBy(tronChain, options),
    async close() {
      // A call under way ends by its own time limit.
      closing.abort()
    },
  }

  async function transfersOfHash(hash: string): Promise<Transfer[] | undefined> {
    const info = await providers.ask('a transaction', async (client, signal) =>
      asInfo(await client.ask('gettransactioninfobyid', { value: hash }, signal), hash),
    )
    if (!info) return undefined
    const height = Number(info.blockNumber)
    const block = await providers.ask(`block ${height}`, (client, signal) => blockAt(client, height, signal))
    const tx = block.transactions?.find(({ txID }) => txID === hash)
    if (!tx || !isOfBlock(info, block)) throw chainChanged(network)
    return transfersOfTx(assets, block, tx, info, EVERY_TRANSFER)
  }
}

type TronQuestion<T> = Question<TronClient, T>

/**
 * Proves the chain by the last four bytes of the first block's id, as CAIP-2 and java-tron's own `eth_chainId` do. The
 * JSON-RPC interface of a node may be closed; this one is not.
 */
const prove = async (reference: string, client: TronClient, label: string, signal: AbortSignal) => {
  const first = asBlock(await client.ask('getblockbynum', { num: 0 }, signal), 0)
  if (!first) throw new ProviderFault('it has no first block')
  const served = first.blockID.slice(-8)
  if (served !== reference) throw new WrongChain(`${label} serves chain 0x${served}, configured is 0x${reference}`)
}

/**
 * `getblock` without detail is a header of half a kilobyte, where `getnowblock` and `getblockbynum` send every
 * transaction along.
 */
const newest: TronQuestion<RawHeader> = async (client, signal) => {
  const header = asBlock(await client.ask('getblock', { detail: false }, signal))
  if (!header) throw new ProviderFault('it has no block')
  return header
}

const headerAt =
  (height: number): TronQuestion<RawHeader | undefined> =>
  async (client, signal) =>
    asBlock(await client.ask('getblock', { id_or_num: String(height), detail: false }, signal), height)

/** Both parts come from one provider and are compared, so that a provider that lags gives way to the next. */
const wholeBlock = (providers: Providers<TronClient>, height: number): Promise<WholeBlock> =>
  providers.ask(`block ${height}`, async (client, signal) => {
    const [block, infos] = await Promise.all([
      blockAt(client, height, signal),
      client.ask('gettransactioninfobyblocknum', { num: height }, signal),
    ])
    // The first block hands out the first coins; it is taken without the outcomes of its transactions.
    return height === 0 ? { block, infos: new Map() } : asWhole(block, infos)
  })

const blockAt = async (client: TronClient, height: number, signal: AbortSignal): Promise<TronRawBlock> => {
  const block = asBlock<TronRawBlock>(await client.ask('getblockbynum', { num: height }, signal), height)
  if (!block) throw new ProviderFault('it is not there yet')
  return block
}

const headOf = (header: RawHeader): ChainHead => ({
  height: heightOf(header),
  hash: header.blockID,
  minedAt: new Date(millisecondsOf(header)).toISOString(),
})

/** The balance of an address on Tron, as of the newest block. Staked coin is not part of it. */
const balanceAt = (
  providers: Providers<TronClient>,
  network: string,
  address: string,
  { contract }: ChainCoin,
): Promise<bigint> =>
  contract === undefined ? coinAt(providers, toHex(address)) : tokensAt(providers, network, toHex(address), contract)

/**
 * An account that nobody has paid yet is `{}`, and one that holds nothing has no balance: protobuf leaves out what is
 * 0.
 */
const coinAt = (providers: Providers<TronClient>, address: string): Promise<bigint> =>
  providers.ask('an account', async (client, signal) => {
    const answer = await client.ask('getaccount', { address }, signal)
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
      throw new ProviderFault('no usable answer')
    const account = answer as { readonly address?: unknown; readonly balance?: unknown }
    if (Object.keys(account).length === 0) return 0n
    if (account.address !== address) throw new ProviderFault('another account than the one asked for')
    const { balance = 0 } = account
    const isWhole = typeof balance === 'bigint' || Number.isSafeInteger(balance)
    if (!isWhole || (balance as number | bigint) < 0) throw new ProviderFault('no balance')
    return BigInt(balance as number | bigint)
  })

type RawResult = {
  /** `code` and `message` stand there only when the call failed. */
  readonly result?: { readonly result?: boolean; readonly code?: string; readonly message?: string }
  readonly constant_result?: readonly unknown[]
}

/** A failed call, or an answer that is not one number, is the fault of the token, not of the provider. */
const tokensAt = async (
  providers: Providers<TronClient>,
  network: string,
  owner_address: string,
  contract: string,
): Promise<bigint> => {
  const call = {
    owner_address,
    contract_address: toHex(contract),
    function_selector: 'balanceOf(address)',
    parameter: owner_address.slice(2).padStart(64, '0'),
  }
  const { result, constant_result } = await providers.ask('a token', async (client, signal) => {
    const answer = (await client.ask('triggerconstantcontract', call, signal)) as RawResult | null
    if (typeof answer?.result !== 'object' || answer.result === null) throw new ProviderFault('no usable answer')
    return answer
  })
  const word = constant_result?.[0]
  const hasRun = result?.result === true && result.code === undefined && result.message === undefined
  if (!hasRun || typeof word !== 'string' || !/^[0-9a-f]{64}$/i.test(word))
    throw new Error(`${network}: a contract that tells no balance`)
  return BigInt(`0x${word}`)
}
