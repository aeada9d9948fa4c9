import { setTimeout as pause } from 'node:timers/promises'
import type { Network } from '../../../domain/kernel/networks.ts'
import type { ChainHead } from '../../../domain/kernel/ports.ts'
import type { BreakerState } from './breaker.ts'
import type { ChainNode } from './chain-node.ts'

/**
 * The health of the chains, checked at intervals in the background, so that whoever asks for it never waits for a
 * chain. The status is the first of these that is true: `down`: no provider answers. `disagree`: providers show
 * different chains, or one is far behind another. `stale`: no new block for long. `behind`: the watch has not read the
 * newest blocks.
 */
type ChainStatus = 'ok' | 'down' | 'disagree' | 'stale' | 'behind'

export type ChainHealth = {
  readonly status: ChainStatus
  /** The highest newest block of any provider. */
  readonly head: number | null
  readonly headAgeSeconds: number | null
  /** Null in a process that does not watch the chain: one of several does. */
  readonly cursorBehindBlocks: number | null
  readonly answering: number
  readonly disagree: boolean
  /** One for each provider, in the order of the setting; their URLs are never shown. */
  readonly providers: readonly BreakerState[]
}

export type HealthParts = {
  readonly network: Network
  readonly node: ChainNode
  /** The newest block that the watch has read, where this process watches. */
  cursor(): number | undefined
  now(): Date
}

/** Milliseconds between two checks; each asks every provider one question, or two where there are several providers. */
const CHECK_EVERY_MS = 15_000
/**
 * Blocks in whose time a chain has to make a new one, or it is stale; but never within the first minute, since some
 * chains make blocks only on demand.
 */
const STALE_BLOCKS = 12
const STALE_MIN_SECONDS = 60
/** A provider or the watch may be behind by the blocks of this many seconds, and by a few blocks in any case. */
const BEHIND_SECONDS = 60
const BEHIND_MIN_BLOCKS = 3
/** Providers are compared so far below the lowest of their newest blocks, where a chain seldom forks. */
const COMPARED_BELOW = 3

/** Checks a chain until the signal aborts; `checked` resolves after the first check. */
export const keepHealth = (parts: HealthParts, signal: AbortSignal) => {
  let latest: ChainHealth = { status: 'down', ...NOTHING, answering: 0, providers: [] }
  const check = async () => {
    latest = await healthOf(parts)
  }
  const checked = check()
  const ended = (async () => {
    await checked
    while (!signal.aborted) {
      await pause(CHECK_EVERY_MS, undefined, { signal }).catch(() => {})
      if (!signal.aborted) await check()
    }
  })()
  return { latest: () => latest, checked, ended }
}

const NOTHING = { head: null, headAgeSeconds: null, cursorBehindBlocks: null, disagree: false } as const

/** One check. It never rejects: a chain that cannot be asked is down. */
export const healthOf = async ({ network, node, cursor, now }: HealthParts): Promise<ChainHealth> => {
  const tips: readonly (ChainHead | undefined)[] = await node.tips().catch(() => [])
  const answering = tips.filter((tip) => tip !== undefined)
  const providers = node.providers?.() ?? tips.map((tip) => (tip ? 'closed' : 'open'))
  const [highest] = answering.toSorted((a, b) => b.height - a.height)
  const known = { answering: answering.length, providers }
  if (!highest) return { status: 'down', ...NOTHING, ...known }
  const behindMax = Math.max(BEHIND_MIN_BLOCKS, Math.ceil(BEHIND_SECONDS / network.blockSeconds))
  const disagree = await doDisagree(node, answering, behindMax)
  const headAgeSeconds = ageOf(highest, now())
  const stands = cursor()
  const cursorBehindBlocks = stands === undefined ? null : Math.max(0, highest.height - stands)
  const isStale = (headAgeSeconds ?? 0) > Math.max(STALE_MIN_SECONDS, STALE_BLOCKS * network.blockSeconds)
  const isBehind = (cursorBehindBlocks ?? 0) > behindMax
  const status = disagree ? 'disagree' : isStale ? 'stale' : isBehind ? 'behind' : 'ok'
  return { status, head: highest.height, headAgeSeconds, cursorBehindBlocks, disagree, ...known }
}

const doDisagree = async (node: ChainNode, tips: readonly ChainHead[], behindMax: number): Promise<boolean> => {
  if (tips.length < 2) return false
  const heights = tips.map(({ height }) => height)
  const lowest = Math.min(...heights)
  if (Math.max(...heights) - lowest > behindMax) return true
  const hashes = await node.hashesAt(Math.max(0, lowest - COMPARED_BELOW)).catch(() => [])
  return new Set(hashes.filter((hash) => hash !== undefined)).size > 1
}

/** Seconds since the block's own time; null where the chain does not tell it. */
const ageOf = ({ minedAt }: ChainHead, now: Date): number | null =>
  minedAt === undefined ? null : Math.max(0, Math.round((now.getTime() - Date.parse(minedAt)) / 1000))
