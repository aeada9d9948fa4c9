import { relayId } from '../../domain/gasless/relay.ts'
import { createAttempts } from './attempts.ts'
import { watchBudget } from './budgets.ts'
import { confirmSent } from './confirm.ts'
import type { RelayParts } from './parts.ts'
import { sendWaiting } from './send.ts'

/**
 * Carries out the authorizations that wait on one network, in one process at a time. Everything it has to know after a
 * crash is in the log: what was accepted, what was sent under which nonce; it asks the chain for all else.
 */

/** Milliseconds between two looks at the chain while something is on its way, and while nothing is. */
const BUSY_LOOK_MS = 150
const IDLE_LOOK_MS = 2_000
/**
 * Milliseconds for which payments that come at the same moment are gathered, and again for each transaction that waits
 * for a block already: a few large transactions cost less than many small ones, and the number that may wait at once
 * then lasts for two seconds.
 */
const GATHER_MS = 15
/** Authorizations that are looked up at the start. */
const OPEN_MAX = 10_000

/** Runs until the signal aborts. A chain that does not answer is asked again. */
export const runRelay = async (parts: RelayParts, signal: AbortSignal): Promise<void> => {
  const { network, ledger, wallet, queue, log } = parts
  const attempts = createAttempts()
  const id = relayId(network, wallet.address)
  let isFilled = false
  let lookedAt: string | undefined
  while (!signal.aborted) {
    const version = queue.version()
    let isBusy = false
    let onTheirWay = 0
    try {
      isFilled ||= await fill(parts)
      const newest = await parts.asks.newest()
      const isNew = newest.hash !== lookedAt
      if (await confirmSent(parts, attempts, await ledger.relay.read(id), { ...newest, isNew })) lookedAt = newest.hash
      await watchBudget(parts)
      if (isFilled) await sendWaiting(parts, attempts, await ledger.relay.recent(id), newest)
      const { pending } = await ledger.relay.recent(id)
      onTheirWay = Object.keys(pending).length
      isBusy = onTheirWay > 0 || queue.waiting(network).length > 0
    } catch (error) {
      log.warn({ network, err: error }, 'the relayer could not go on, trying again')
    }
    await queue.changed(version, isBusy ? BUSY_LOOK_MS : IDLE_LOOK_MS, signal)
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, GATHER_MS * (1 + onTheirWay)))
  }
}

const fill = async ({ open, queue }: RelayParts): Promise<boolean> => {
  const ids = await open(OPEN_MAX)
  if (ids === undefined) return false
  queue.add(ids)
  return true
}
