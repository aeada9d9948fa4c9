import type { OpenSet } from './challenge-state.ts'
import type { paymentRequest } from './payment-request.ts'

/**
 * How challenges end with the request that they were opened for (T-CHL-04, T-SES-04, M-TXN-10). A request may be
 * withdrawn, or be given another price, while its challenges are open: these then end at that moment, as if their
 * time had been up, and money that is mined later is late. A seller who withdraws or reprices does not take from a
 * buyer what was paid before. Whoever cancels a cart has no order to be paid, so that whatever was not booked before
 * is late.
 */

type Request = typeof paymentRequest.initial

/**
 * Seconds in which the old price still counts after another one was set: a payment that was sent for it may not be
 * mined yet.
 */
const IN_FLIGHT_S = 120

/** A set of challenges as its request lets it stand: with the end that it really has. */
export const asRequested = <S extends Pick<OpenSet, 'expiresAt' | 'paymentRequest' | 'shut'>>(
  set: S,
  request: Request,
): S => {
  if (request.status === 'none') return set
  const { withdrawn, checkoutSession, repriced } = request
  const shut = withdrawn !== undefined && (withdrawn.reason === 'canceled' || checkoutSession !== undefined)
  const other = repriced[set.paymentRequest?.terms ?? 0]
  const ends = [set.expiresAt, withdrawn?.at, other && later(other, IN_FLIGHT_S)].filter((end) => end !== undefined)
  const expiresAt = ends.toSorted()[0] ?? set.expiresAt
  return expiresAt === set.expiresAt && !shut ? set : { ...set, expiresAt, ...(shut && { shut }) }
}

/** Whether a set asks for what its request asks for now, and its request takes payments. */
export const isCurrent = ({ paymentRequest }: Pick<OpenSet, 'paymentRequest'>, request: Request): boolean =>
  request.status === 'open' && request.repriced.length === (paymentRequest?.terms ?? 0)

const later = (time: string, seconds: number): string => new Date(Date.parse(time) + seconds * 1_000).toISOString()
