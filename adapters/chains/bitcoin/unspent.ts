/**
 * What an address holds on a chain that keeps no index of addresses: the node looks through all that is unspent. On a
 * main chain that takes minutes and much of a disk, so it is tried rarely there.
 */

import { toUnits } from '../../../domain/kernel/money.ts'
import { ProviderFault, ProviderRefusal, ProviderUnavailable, type Question } from '../rpc/providers.ts'
import { type BitcoinClient, type BitcoinRpcOptions, createBitcoinRpc } from './rpc.ts'

/** Milliseconds one node has to look through everything. */
const SCAN_TIMEOUT_MS = 3_000
/** Milliseconds until a node that needs longer is asked again. */
const SCAN_PAUSE_MS = 3_600_000
/** Milliseconds to tell a node that nobody waits any more. */
const ABORT_TIMEOUT_MS = 1_000
/** A node does one at a time; so many wait, and who comes then is not told. */
const SCANS_WAITING_MAX = 100
const DECIMALS = 8

/**
 * Answers what the outputs with a script come to; undefined where that is not to be had, or not in time. It has a line
 * to the nodes of its own, with breakers of its own: a node that is slow in this is as good as before for blocks.
 */
export const createUnspentScan = (options: BitcoinRpcOptions) => {
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

/** By the script, since a node knows addresses only as its own kind of coin writes them. */
const totalOf =
  (script: Uint8Array): Question<BitcoinClient, bigint> =>
  async (client, signal) => {
    const wanted = [`raw(${Buffer.from(script).toString('hex')})`]
    try {
      return totalIn(await client.call('scantxoutset', ['start', wanted], signal, withExactTotal))
    } catch (error) {
      // It would go on with nobody listening, and take no other.
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

/** Coins are written as JSON numbers, which are no exact ones. */
const withExactTotal = (text: string): unknown =>
  parse(text, (key, value, { source }) => (key === 'total_amount' ? source : value))

/** ECMAScript tells a reviver the source text, TypeScript does not know it yet. */
const parse = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown
