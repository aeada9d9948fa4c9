import { isRefusal } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { closePage } from './close.ts'

/**
 * Pages of processors that were left open: the processor is asked what came of them when it does not tell by itself,
 * and they are closed (N-31).
 */

/** How long after its end a page is left alone: the processor tells by itself, seconds later, that a page has ended. */
const GRACE_MS = 5 * 60_000
/** How long a processor that cannot be asked, or money that does not come, is waited for. */
const LAST_MS = 7 * 24 * 3_600_000
/** Pages that one round takes; the next round takes the rest. */
const AT_ONCE_MAX = 200

export type DuePage = { readonly id: string; readonly accountId: string; readonly expiresAt: string }

export type DueCardPages = {
  /**
   * Pages whose outcome nobody knows, in the order of their ids, from the one after `after`: their time was up before
   * `before`, or what they were opened for takes no payment any more.
   */
  cardPagesDue(before: string, after: string, limit: number): Promise<readonly DuePage[]>
}

/**
 * Makes one round over these pages. Answers the id after which the next round goes on, so that pages which cannot be
 * closed yet are in nobody's way. `failed` is told of what went wrong by our own fault.
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
    // A round may take long, and a process that stops does not wait for its end.
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

/**
 * Gives up a page of which nobody knows whether it was paid. What the processor says of it later counts all the same.
 */
const givenUp = async ({ ledger, cards }: UseCaseContext, { id, accountId }: DuePage): Promise<void> => {
  const { events } = await ledger.cardPayment.fail(id, { reason: 'expired' })
  if (events.length > 0)
    cards.alarm('nobody could say what became of a payment by card', { cardPayment: id, accountId })
}

const told =
  (failed: (error: unknown, cardPayment: string) => void, { id }: DuePage) =>
  (error: unknown): undefined =>
    void failed(error, id)
