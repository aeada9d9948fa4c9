import type { Chain } from '../../domain/kernel/ports.ts'
import { recentMap } from '../../domain/kernel/recent-map.ts'
import { atMost } from '../timing/time-limit.ts'
import { createTurns, type Turns } from '../timing/turns.ts'

/**
 * Milliseconds an answer is kept, so that somebody who looks again and again does not use up what a provider allows.
 */
const BALANCE_KEPT_MS = 15_000
/** Milliseconds a caller waits; an answer that comes later is there for the next one. */
const BALANCE_WAIT_MS = 4_000
/** Questions to one chain at the same time. More would stand in the way of those that watch for payments. */
const BALANCE_CALLS_MAX = 4
/** Questions that wait for their turn on one chain; beyond that nothing is asked. */
const BALANCE_LINE_MAX = 1_000
/** Answers in memory, up to twice as many. */
const BALANCES_KEPT = 10_000

/**
 * Tells the balance of an address in a coin, at most some seconds old; undefined where it cannot be told in time, for
 * whatever reason. Never rejects. Callers who ask the same share one question.
 */
export const createKeptBalances = (now: () => Date, { waitMs = BALANCE_WAIT_MS } = {}) => {
  const kept = recentMap<KeptBalance>(BALANCES_KEPT)
  const lines = new Map<string, Turns>()

  return async (chain: Chain, address: string, coin: string): Promise<bigint | undefined> => {
    const key = `${chain.network} ${coin} ${address}`
    const known = kept.get(key)
    if (known && (known.isOpen || isFresh(known, now()))) return atMost(waitMs, known.asking)
    const line = lines.get(chain.network) ?? createTurns(BALANCE_CALLS_MAX, BALANCE_LINE_MAX)
    lines.set(chain.network, line)
    const since = performance.now()
    const asking = line(async () => (performance.now() - since < waitMs ? chain.balanceOf(address, coin) : undefined))
    const entry: KeptBalance = { isOpen: true, at: now(), asking: asking.catch(() => undefined) }
    kept.set(key, entry)
    void entry.asking.finally(() => {
      entry.isOpen = false
    })
    return atMost(waitMs, entry.asking)
  }
}

type KeptBalance = { isOpen: boolean; readonly at: Date; readonly asking: Promise<bigint | undefined> }

/** A clock that was put back makes an answer old. */
const isFresh = ({ at }: KeptBalance, now: Date): boolean => {
  const age = now.getTime() - at.getTime()
  return age >= 0 && age < BALANCE_KEPT_MS
}
