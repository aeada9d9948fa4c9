import { hasMoney } from '../../card/payment.ts'
import { isRefusal } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { attemptsOf } from './attempts.ts'
import { processorFor, type UsedProcessor } from './processor.ts'
import { type CardOutcome, finishCardPayment, takeAnswer } from './settle.ts'

/**
 * Ends pages of the processor that nobody is to pay on any more; what was paid on them before is taken (N-05, N-31).
 */

/**
 * Closes a page, so that it takes no payment from then on, and answers what came of it. `waiting`: money is on its way.
 * `processor`: the one that the page was opened at, where the seller has another one by now. Refuses `unavailable` when
 * the processor does not answer.
 */
export const closePage = async (flow: UseCaseContext, id: string, processor?: UsedProcessor): Promise<CardOutcome> => {
  const { ledger, cards } = flow
  const payment = await ledger.cardPayment.read(id)
  if (payment.status === 'none' || payment.status === 'failed') return 'failed'
  if (hasMoney(payment)) return finishCardPayment(ledger, id)
  const sessionId = payment.sessionId ?? (await withheld(flow, id))
  if (sessionId === undefined) return 'failed'
  const at = processor ?? (await processorFor(flow, payment))
  const told = at && (await cards.closeCheckout(at.secretKey, sessionId))
  if (!told) return 'unasked'
  const outcome = await takeAnswer(flow, id, told)
  // Money that is not what was asked stays the seller's to look at; nobody waits for it.
  if (outcome === 'mismatch') await ledger.cardPayment.fail(id, { reason: 'expired' })
  return outcome
}

/**
 * Fails a payment whose page is just being opened, or never was: whoever opens it sees that, and shows it to nobody.
 */
const withheld = async ({ ledger }: UseCaseContext, id: string): Promise<string | undefined> => {
  const { state } = await ledger.cardPayment.fail(id, { reason: 'expired' })
  return state.status === 'none' ? undefined : state.sessionId
}

/** Closes every page of a request whose price is fixed. True when a payment on one has come, or is on its way. */
export const closePages = async (flow: UseCaseContext, requestId: string): Promise<boolean> => {
  let isPaid = false
  for (const { id, payment } of await attemptsOf(flow, requestId))
    if (payment.status === 'open' || payment.status === 'reported') {
      const outcome = await closePage(flow, id)
      isPaid ||= outcome === 'settled' || outcome === 'doubled' || outcome === 'waiting'
    }
  return isPaid
}

/** The most pages that are closed before a seller leaves a processor, and how many are closed at the same time. */
const LEFT_MAX = 200
const TOGETHER = 10

/** The pages of a seller that are open, the newest first. */
export type OpenPages = (accountId: string, limit: number) => Promise<readonly string[]>

/**
 * Takes what was paid at the processor of a seller, and closes the other pages, while there is still a key for it:
 * afterwards nobody could ask. A key that no longer works must not keep the seller from leaving, so the operator is
 * only told of pages that could not be asked about.
 */
export const closePagesOf = async (flow: UseCaseContext, accountId: string, openPages: OpenPages): Promise<void> => {
  const ids = await openPages(accountId, LEFT_MAX)
  let unasked = 0
  for (let first = 0; first < ids.length; first += TOGETHER) {
    // A processor that does not answer is not waited for again and again.
    if (unasked > 0) unasked += Math.min(TOGETHER, ids.length - first)
    else
      for (const isAsked of await Promise.all(ids.slice(first, first + TOGETHER).map((id) => isClosed(flow, id))))
        unasked += isAsked ? 0 : 1
  }
  if (unasked > 0)
    flow.cards.alarm('pages of a card processor that is left could not be closed', { accountId, pages: unasked })
}

const isClosed = async (flow: UseCaseContext, id: string): Promise<boolean> => {
  try {
    const outcome = await closePage(flow, id)
    return outcome !== 'unasked' && outcome !== 'waiting'
  } catch (error) {
    if (isRefusal(error, 'unavailable', 'state-forbids')) return false
    throw error
  }
}
