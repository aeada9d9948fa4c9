import type { Logger } from 'pino'
import type { ChainNode } from '../../adapters/chains/rpc/chain-node.ts'
import { type ChainHealth, keepHealth } from '../../adapters/chains/rpc/health.ts'
import type { SecondVoices, VoicesReport } from '../../adapters/chains/watch/second-voice.ts'
import { type WatchContext, watchChain } from '../../adapters/chains/watch/watch.ts'
import { createWatched } from '../../adapters/chains/watch/watched.ts'
import type { Leases } from '../../adapters/postgres/lease.ts'
import type { Relayer } from '../../domain/gasless/relayer.ts'
import type { Feed } from '../../domain/kernel/following.ts'
import { type Network, networkOf } from '../../domain/kernel/networks.ts'
import type { World } from '../../domain/kernel/ports.ts'
import { mayBeCarriedOut } from '../../domain/use-cases/gasless/may-be-carried-out.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import type { Queries } from '../../projections/index.ts'
import type { Foundation } from './foundation.ts'
import type { Workers } from './workers.ts'

export type ChainReport = ChainHealth & {
  /** Providers that can be asked apart from one another; 1 decides alone. */
  readonly voices: number
  /** Payments that no second provider has confirmed. */
  readonly payments: VoicesReport
}

/** The watches of all chains, and how the chains are. */
export type ChainWatches = {
  /**
   * The reports by network: each chain as it was last checked, and the payments that wait for a second voice as they
   * are now.
   */
  health(): ReadonlyMap<string, ChainReport>
  /** Resolves once every chain has been checked. */
  readonly checked: Promise<unknown>
  readonly ended: Promise<unknown>
}

type Parts = Pick<Foundation, 'store' | 'sql'> & {
  readonly chains: ReadonlyMap<string, ChainNode>
  readonly relayers: ReadonlyMap<string, Relayer>
  readonly feed: Feed
  readonly leases: Leases
  readonly doors: LedgerDoors
  readonly world: World
  readonly queries: Pick<Queries, 'pendingPayments' | 'bookedPayments'>
  readonly workers: Pick<Workers, 'projected'>
  readonly secondVoice: SecondVoices
  readonly log: Logger
}

/** How long a look at the payments that a reorganisation may have moved waits for the read models. */
const READ_MODELS_WAIT_MS = 1_000

/**
 * Watches every chain, each in one process at a time, and keeps an eye on each in every process, until the signal
 * aborts.
 */
export const startWatching = (parts: Parts, signal: AbortSignal): ChainWatches => {
  const { chains, relayers, sql, store, feed, leases, doors, world, secondVoice, log } = parts
  const own = [...chains].map(([name, node]) => ({ name, node, network: networkNamed(name) }))
  const networks = new Map(own.map(({ name, node: { keyOf = same } }) => [name, keyOf]))
  const watched = createWatched({ networks, sql, store, feed, now: world.now, log })
  const pending = pendingPayments(parts)
  const booked = bookedPayments(parts)
  const cursors = new Map<string, number>()
  const stands: WatchContext['stands'] = (network, height) => void cursors.set(network, height)

  const watches = own.map(({ name, node, network }) => {
    const actor = chainWatch(name)
    const { ledger } = doors.open({ actor, correlationId: actor })
    const mayCome: WatchContext['mayCome'] = (...asked) => mayBeCarriedOut({ ledger, relayers }, ...asked)
    const context = { ledger, watched: watched.on, pending, booked, mayCome, secondVoice, stands, log }
    return leases.hold(actor, signal, (held) =>
      watchChain(network, node, context, held).finally(() => cursors.delete(name)),
    )
  })
  const checks = own.map(({ name, node, network }) => {
    const cursor = () => cursors.get(name)
    return { name, node, ...keepHealth({ network, node, cursor, now: world.now }, signal) }
  })

  return {
    health: () => new Map(checks.map(({ name, node, latest }) => [name, reportOf(latest(), node, secondVoice)])),
    checked: Promise.all(checks.map((check) => check.checked)),
    ended: Promise.allSettled([...watches, ...checks.map((check) => check.ended)]).then(() => watched.stop()),
  }
}

const reportOf = (health: ChainHealth, { network, voices = 1 }: ChainNode, secondVoice: SecondVoices): ChainReport => {
  const payments = secondVoice.report(network)
  const status = health.status === 'ok' && payments.disputedCount > 0 ? 'disagree' : health.status
  return { ...health, status, voices, payments }
}

/** Finds the pending payments. After a reorganisation, those that were seen just before it count, too. */
const pendingPayments =
  ({ workers, store, queries }: Parts): WatchContext['pending'] =>
  async (network, height, from, limit, after) => {
    if (from !== undefined) await workers.projected(await store.head(), READ_MODELS_WAIT_MS)
    return queries.pendingPayments(network, height, from, limit, after)
  }

/**
 * Finds the booked payments, with all that were booked before the question; undefined while the read models are behind.
 */
const bookedPayments =
  ({ workers, store, queries }: Parts): WatchContext['booked'] =>
  async (network, range, limit) =>
    (await workers.projected(await store.head(), READ_MODELS_WAIT_MS))
      ? queries.bookedPayments(network, range, limit)
      : undefined

const networkNamed = (name: string): Network => {
  const network = networkOf(name)
  if (!network) throw new Error(`there is no network ${name}`)
  return network
}

const same = (address: string) => address

/** The name under which the watch of a network is known. */
export const chainWatch = (network: string): string => `chain-watch-${network}`
