import { isRefusal } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { closePage } from './close.ts'

/**
 * Pages of processors that are left behind: what came of them is asked for where nobody tells it, and they are closed
 * (N-31).
 */

/** The processor tells by itself, seconds later, that a page has ended; it is asked when it has not. */
const GRACE_MS = 5 * 60_000
/** A processor that cannot be asked, or money that does not come, is waited for so long. */
const LAST_MS = 7 * 24 * 3_600_000
/** In one go; the rest come with the next. */
const AT_ONCE_MAX = 200

export type DuePage = { readonly id: string; readonly accountId: string; readonly expiresAt: string }

export type DueCardPages = {
  /**
   * Pages of which nobody knows what came, after an id in the order of ids: their time was up before, or what they were
   * opened for takes no payment any more.
   */
  cardPagesDue(before: string, after: string, limit: number): Promise<readonly DuePage[]>
}

/**
 * One round over them. Answers where the next one goes on: those that cannot be closed yet are so in nobody's way.
 * `failed` is told of what went wrong by our own fault.
 */
export const endDueCardPages = async (
  flow: UseCaseContext,
  due: DueCardPages,
  after: string,
  failed: (error: unknown, cardPayment: string) => void,
  stopping?: AbortSignal,
): Promise<string> => {
  const now = flow.world.now().getTime()
  const pages = await due.cardPagesDue(new Date(now - GRACE_MS).toISOString(), after, AT_ONCE_MAX)
  /** Sellers whose processor does not answer; it is asked once a round. */
  const silent = new Set<string>()
  let last = after
  for (const page of pages) {
    // A round may take long, and whoever stops does not wait for it.
    if (stopping?.aborted) return last
    last = page.id
    const outcome = silent.has(page.accountId) ? 'unasked' : await closed(flow, page).catch(told(failed, page))
    if (outcome === 'unasked') silent.add(page.accountId)
    const isOpen = outcome === 'unasked' || outcome === 'waiting'
    if (isOpen && Date.parse(page.expiresAt) < now - LAST_MS) await givenUp(flow, page).catch(told(failed, page))
  }
  return pages.length < AT_ONCE_MAX ? '' : last
}

const closed = async (flow: UseCaseContext, { id }: DuePage): Promise<'unasked' | 'waiting' | 'ended'> => {
  try {
    const outcome = await closePage(flow, id)
    return outcome === 'unasked' || outcome === 'waiting' ? outcome : 'ended'
  } catch (error) {
    if (isRefusal(error, 'unavailable', 'state-forbids')) return 'unasked'
    throw error
  }
}

/** Nobody knows whether it was paid: what the processor says of it later counts all the same. */
const givenUp = async ({ ledger, cards }: UseCaseContext, { id, accountId }: DuePage): Promise<void> => {
  const { events } = await ledger.cardPayment.fail(id, { reason: 'expired' })
  if (events.length > 0)
    cards.alarm('nobody could say what became of a payment by card', { cardPayment: id, accountId })
}

const told =
  (failed: (error: unknown, cardPayment: string) => void, { id }: DuePage) =>
  (error: unknown): undefined =>
    void failed(error, id)
