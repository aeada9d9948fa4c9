/**
 * Bitcoin and Litecoin, read from a node of its own kind. A block that cannot be read whole is an error, never an empty
 * block: silence loses payments.
 */
import type { Network, Transaction } from 'bitcoinjs-lib'
import { assetsOn } from '../../../domain/kernel/assets.ts'
import { toUnits } from '../../../domain/kernel/money.ts'
import type { ChainHead, Transfer } from '../../../domain/kernel/ports.ts'
import { addressOfScript, addressOfSpender, addressRulesOf, scriptOfAddress } from '../bitcoin-address.ts'
import { answers, type ChainNode, type ChainOptions } from '../rpc/chain-node.ts'
import { ProviderFault, ProviderRefusal, type Providers, ProviderUnavailable, type Question } from '../rpc/providers.ts'
import { chainChanged, checkRange } from '../rpc/range.ts'
import { voicesBy } from '../watch/voices.ts'
import { type BitcoinBlock, readBlock, readTransactionOf } from './block.ts'
import { type BitcoinClient, type BitcoinRpcOptions, bytesIn, createBitcoinRpc, hashIn, ifThere } from './rpc.ts'

/** Blocks of one `transfersIn`; the caller asks for more in several calls. */
export const BITCOIN_RANGE_MAX_BLOCKS = 1_000
/** Blocks asked for at the same time, each up to 8 MB of hex. */
const BITCOIN_CALLS_IN_FLIGHT = 4

/**
 * Reads what transactions pay to addresses (J-GEN-05). Hashes are lower case, amounts in the smallest unit, and the
 * index of a transfer is the number of its output, since one transaction can pay an address twice. Every method rejects
 * with an Error without URL, login or call data when no node gives a usable answer in time, and when the chain changes
 * while it is read. Nothing is known of a transaction before it is mined. Left out: what a block pays to its own miner,
 * which cannot be spent for 100 blocks, and what moves inside Litecoin's extension block, where amounts and receivers
 * are hidden; coins that leave it for an address are reported. The node needs `txindex=1`.
 */
export const bitcoinChain = (options: ChainOptions): ChainNode => {
  const { network, chain, rpcUrls, assets, ...limits } = options
  const rules = addressRulesOf(chain)
  if (!rules) throw new Error(`${network}: no address rules for ${chain.caip2}`)
  const nodes = { network, caip2: chain.caip2, urls: rpcUrls, ...limits }
  const rpc = createBitcoinRpc(nodes)
  const scan = createUnspentScan(nodes)
  const native = assetsOn(network, chain.caip2, assets).find((asset) => asset.contract === undefined)
  const reader = { rpc, network, rules, asset: native?.code }

  return {
    network,
    caip2: chain.caip2,
    head: () => rpc.ask('getblockheader', newestBlock),
    hashAt: (height) => rpc.ask('getblockhash', hashOf(height)),
    async transfersOf(tx) {
      if (!/^[0-9a-fA-F]{64}$/.test(tx)) return undefined
      return transfersOfTx(reader, tx.toLowerCase())
    },
    async transfersIn(from, to, addresses, _, ends = {}) {
      checkRange(network, { from, to, max: BITCOIN_RANGE_MAX_BLOCKS })
      const found: Transfer[] = []
      let previous = ends.before
      for (let start = from; start <= to; start += BITCOIN_CALLS_IN_FLIGHT) {
        const count = Math.min(BITCOIN_CALLS_IN_FLIGHT, to - start + 1)
        const heights = Array.from({ length: count }, (_, n) => start + n)
        for (const { height, block } of await Promise.all(heights.map((height) => blockAt(reader, height)))) {
          if (previous !== undefined && block.previous !== previous) throw chainChanged(network)
          previous = block.hash
          for (const tx of block.transactions)
            found.push(...transfersBy(reader, tx, { ...block, height }, (to) => addresses.has(to)))
        }
      }
      if (ends.last !== undefined && previous !== ends.last) throw chainChanged(network)
      return found
    },
    async balanceOf(address, coin) {
      return coin === native?.code ? scan(scriptOfAddress(address, rules)) : undefined
    },
    verifyChain: () => rpc.verifyChain(),
    providers: () => rpc.states(),
    ...voicesBy(bitcoinChain, options),
    tips: async () => answers(await rpc.askAll('getblockheader', newestBlock)),
    hashesAt: async (height) => answers(await rpc.askAll('getblockhash', hashOf(height))),
    async close() {
      // Nothing is held open: a call under way ends by its own time limit.
    },
  }
}

type Reader = {
  readonly rpc: Providers<BitcoinClient>
  readonly network: string
  readonly rules: Network
  /** The code of the chain's coin; undefined when the catalogue has none. */
  readonly asset: string | undefined
}

/** The block in which a transaction was mined. */
type Place = Pick<BitcoinBlock, 'hash' | 'minedAt'> & { readonly height: number }
type Header = Place & { readonly confirmations: number }
type BitcoinQuestion<T> = Question<BitcoinClient, T>

async function transfersOfTx(reader: Reader, id: string): Promise<Transfer[] | undefined> {
  const { rpc } = reader
  const mined = await rpc.ask('getrawtransaction', minedTransaction(id))
  if (!mined) return undefined
  const header = await rpc.ask('getblockheader', headerOf(mined.block))
  // A block that another one replaced has -1; what it held waits to be mined again.
  if (!header || header.confirmations < 1) return undefined
  return transfersBy(reader, mined.transaction, header, () => true)
}

/**
 * The payments of a transaction to wanted addresses; its hash and its payer are worked out only when there are some.
 */
const transfersBy = (reader: Reader, tx: Transaction, place: Place, isWanted: (to: string) => boolean): Transfer[] => {
  const { network, rules, asset } = reader
  if (asset === undefined || tx.isCoinbase()) return []
  const paid = tx.outs.flatMap(({ script, value }, n) => {
    const to = value > 0n ? addressOfScript(script, rules) : undefined
    return to !== undefined && isWanted(to) ? [{ to, amount: value, index: String(n) }] : []
  })
  if (paid.length === 0) return []
  const [spender] = tx.ins
  const from = (spender && addressOfSpender(spender, rules)) ?? ''
  const { height, hash: blockHash, minedAt } = place
  const rest = { network, tx: tx.getId(), asset, from, height, blockHash, minedAt }
  return paid.map((output) => ({ ...rest, ...output }))
}

/**
 * Asks for the block by its hash, so that no other block can answer; a provider whose bytes are not that block's gives
 * way to the next.
 */
const blockAt = async ({ rpc, network }: Reader, height: number): Promise<{ height: number; block: BitcoinBlock }> => {
  const hash = await rpc.ask('getblockhash', hashOf(height))
  if (hash === undefined) throw new Error(`${network}: block ${height} is not there yet`)
  const raw: BitcoinQuestion<BitcoinBlock> = async (client, signal) =>
    readBlock(bytesIn(await client.call('getblock', [hash, 0], signal)), hash)
  return { height, block: await rpc.ask('getblock', raw) }
}

const hashOf =
  (height: number): BitcoinQuestion<string | undefined> =>
  async (client, signal) => {
    const hash = await ifThere(client.call('getblockhash', [height], signal))
    return hash === undefined ? undefined : hashIn(hash)
  }

const newestBlock: BitcoinQuestion<ChainHead> = async (client, signal) => {
  const hash = hashIn(await client.call('getbestblockhash', [], signal))
  const { height, minedAt } = headerIn(await client.call('getblockheader', [hash], signal), hash)
  return { height, hash, minedAt }
}

const headerOf =
  (hash: string): BitcoinQuestion<Header | undefined> =>
  async (client, signal) => {
    const header = await ifThere(client.call('getblockheader', [hash], signal))
    return header === undefined ? undefined : headerIn(header, hash)
  }

const headerIn = (answer: unknown, hash: string): Header => {
  const { height, time, confirmations } = answer as Readonly<Record<string, unknown>>
  if (!isCount(height) || !isCount(time) || !Number.isSafeInteger(confirmations)) throw new ProviderFault('no header')
  return { height, hash, minedAt: new Date(time * 1_000).toISOString(), confirmations: Number(confirmations) }
}

/** Undefined for a transaction that no block of the chain holds. */
const minedTransaction =
  (id: string): BitcoinQuestion<{ readonly transaction: Transaction; readonly block: string } | undefined> =>
  async (client, signal) => {
    const answer = await ifThere(client.call('getrawtransaction', [id, 1], signal))
    const { hex, blockhash, confirmations } = (answer ?? {}) as Readonly<Record<string, unknown>>
    if (blockhash === undefined || !isCount(confirmations) || confirmations < 1) return undefined
    return { transaction: readTransactionOf(bytesIn(hex), id), block: hashIn(blockhash) }
  }

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** Milliseconds one node has to look through everything. */
const SCAN_TIMEOUT_MS = 3_000
/** Milliseconds until a node that needs longer is asked again. */
const SCAN_PAUSE_MS = 3_600_000
/** Milliseconds to tell a node that nobody waits any more. */
const ABORT_TIMEOUT_MS = 1_000
/** Scans that wait at most, since a node does one at a time; a further caller gets undefined. */
const SCANS_WAITING_MAX = 100
const DECIMALS = 8

/**
 * Reads a balance on a chain that keeps no index of addresses: the node looks through all unspent outputs. On a main
 * chain that takes minutes and much work of the disk, so it is tried rarely there. Answers the sum of the outputs with
 * a script; undefined where it cannot be had, or not in time. It has its own connection to the nodes, with its own
 * breakers: a node that is slow at this is as good as before for blocks.
 */
const createUnspentScan = (options: BitcoinRpcOptions) => {
  const timeoutMs = Math.min(options.timeoutMs ?? SCAN_TIMEOUT_MS, SCAN_TIMEOUT_MS)
  const rpc = createBitcoinRpc({ ...options, timeoutMs })
  let line: Promise<unknown> = Promise.resolve()
  let waiting = 0
  /** Reading of the monotonic clock in milliseconds. */
  let pausedUntil = 0

  const scanned = async (script: Uint8Array): Promise<bigint | undefined> => {
    if (performance.now() < pausedUntil) return undefined
    try {
      return await rpc.ask('scantxoutset', totalOf(script))
    } catch (error) {
      if (error instanceof ProviderUnavailable && error.timedOut) pausedUntil = performance.now() + SCAN_PAUSE_MS
      else if (!(error instanceof ProviderRefusal)) throw error
      return undefined
    }
  }
  return async (script: Uint8Array): Promise<bigint | undefined> => {
    if (waiting >= SCANS_WAITING_MAX) return undefined
    waiting++
    const scan = line.then(() => scanned(script)).finally(() => waiting--)
    line = scan.catch(() => {})
    return scan
  }
}

/** Asks by the script, since a node knows addresses only as its own kind of coin writes them. */
const totalOf =
  (script: Uint8Array): Question<BitcoinClient, bigint> =>
  async (client, signal) => {
    const wanted = [`raw(${Buffer.from(script).toString('hex')})`]
    try {
      return totalIn(await client.call('scantxoutset', ['start', wanted], signal, withExactTotal))
    } catch (error) {
      // Otherwise the node goes on with a scan that nobody waits for, and takes no other.
      if (signal.aborted)
        await client.call('scantxoutset', ['abort'], AbortSignal.timeout(ABORT_TIMEOUT_MS)).catch(() => {})
      throw error
    }
  }

const totalIn = (answer: unknown): bigint => {
  const { success, total_amount } = answer as Readonly<Record<string, unknown>>
  if (success !== true || typeof total_amount !== 'string' || !/^\d{1,9}(\.\d{1,8})?$/.test(total_amount))
    throw new ProviderFault('no total')
  return toUnits(total_amount, DECIMALS)
}

/** Reads the total as text: nodes write amounts as JSON numbers, which are not exact. */
const withExactTotal = (text: string): unknown =>
  parse(text, (key, value, { source }) => (key === 'total_amount' ? source : value))

/** ECMAScript tells a reviver the source text, TypeScript does not know it yet. */
const parse = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown
