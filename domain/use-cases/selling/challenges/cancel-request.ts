import { refuse } from '../../../kernel/refusal.ts'
import type { OpenSet } from '../../../selling/challenge-state.ts'
import { challengeParts } from '../../../selling/challenge-terms.ts'
import { type OpenRequest, statusAt } from '../../../selling/payment-request.ts'
import type { UseCaseContext } from '../../context.ts'

export type CancelParts = {
  /** The challenges that were opened for a request. */
  readonly challengesOf: (requestId: string) => Promise<readonly string[]>
  /** Closes the pages of a card processor that it is open at; whether one was paid. */
  readonly closePages: (requestId: string) => Promise<boolean>
}

/**
 * Ends a request that its seller takes back before anybody has paid it: whatever comes afterwards is late. A part that
 * has come stays the seller's to give back. Refuses `request-not-found`, also for one that has ended unpaid (N-79),
 * `already-paid` once a payment was seen, `state-forbids` for what is ended elsewhere, and `unavailable` while nobody
 * can say whether a page of a card processor was paid.
 */
export const cancelRequest = async (
  flow: UseCaseContext,
  requestId: string,
  { challengesOf, closePages }: CancelParts,
): Promise<OpenRequest> => {
  const { ledger, world } = flow
  const request = await ledger.paymentRequest.read(requestId)
  if (request.status === 'none') return refuse('request-not-found')
  const { checkoutSession, topUp, balanceTopUp } = request
  if ((checkoutSession ?? topUp ?? balanceTopUp) !== undefined)
    refuse('state-forbids', 'This request pays a cart or a top-up, and ends with it. Cancel the cart instead.')
  if (request.status === 'paid') refuse('already-paid', 'This request is paid. Give the money back instead.')
  if (statusAt(request, world.now().toISOString()) === 'expired') return refuse('request-not-found', OVER)
  const setIds = new Set((await challengesOf(requestId)).flatMap((id) => challengeParts(id)?.setId ?? []))
  const sets = await Promise.all([...setIds].map((setId) => ledger.challenge.read(setId)))
  const isOnItsWay = sets.some((set) => set.status === 'open' && isBeingPaid(set))
  if (isOnItsWay || (await closePages(requestId)))
    refuse('already-paid', 'A payment of this request is on its way. Wait for its outcome.')
  const { state, events } = await ledger.paymentRequest.withdraw(requestId, { reason: 'canceled' })
  if (events.length === 0 && state.status === 'expired') return refuse('request-not-found', OVER)
  if (state.status === 'none') return refuse('request-not-found')
  return state.status === 'paid'
    ? refuse('already-paid', 'This request was paid meanwhile. Give the money back instead.')
    : state
}

const OVER = 'This request has ended already, so that nothing has to be canceled.'

/** Whether a payment of a set was seen or signed, beside the parts that are booked. */
const isBeingPaid = ({ settled, reserved, detected, parts }: OpenSet): boolean => {
  const isBooked = (asset: string, id: string) => parts[asset]?.some((part) => part.id === id) ?? false
  return (
    Object.keys(settled).length > 0 ||
    Object.keys(reserved).length > 0 ||
    Object.entries(detected).some(([asset, seen]) => seen.some(({ id }) => !isBooked(asset, id)))
  )
}
