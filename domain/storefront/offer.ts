import { decider, whenExists } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * A visitor's offer for what a lander sells, and what the seller decided on it (S-LAN-06). The stream is named by the
 * number of the offer.
 */

export const OFFER_STATUSES = ['new', 'viewed', 'accepted', 'rejected', 'spam'] as const
export type OfferStatus = (typeof OFFER_STATUSES)[number]

export type OfferEvents = {
  /** Who offers, and what they say, is sealed under the seller's account. */
  OfferMade: {
    accountId: string
    landerId: number
    checkoutId: string
    /** The price that is offered, in millionths of the currency. */
    amount: Units
    currency: string
    email: SealedText
    message: SealedText | null
    /** What its number was made from. */
    origin: string
    madeAt: string
  }
  OfferStatusChanged: { accountId: string; landerId: number; status: OfferStatus; changedAt: string }
}

export type OfferCommands = {
  make: Omit<OfferEvents['OfferMade'], 'madeAt'>
  setStatus: { accountId: string; status: OfferStatus }
}

type Offer = Pick<OfferEvents['OfferMade'], 'accountId' | 'landerId' | 'checkoutId' | 'origin'> & {
  status: OfferStatus
}
type State = { status: 'none' } | Offer

export const offer = decider<OfferEvents, OfferCommands, State>({
  category: 'offer',
  stateVersion: 1,
  initial: { status: 'none' },
  begins: ['make'],
  decide: {
    make: (state, data, now) => {
      if (state.status !== 'none') return refuse('id-taken')
      if (BigInt(data.amount) <= 0n) return refuse('amount-not-positive')
      return [{ type: 'OfferMade', data: { ...data, madeAt: now } }]
    },
    setStatus: (state, { accountId, status }, now) => {
      if (state.status === 'none' || state.accountId !== accountId) return refuse('offer-not-found')
      if (state.status === status) return []
      return [{ type: 'OfferStatusChanged', data: { accountId, landerId: state.landerId, status, changedAt: now } }]
    },
  },
  evolve: {
    OfferMade: (_, { accountId, landerId, checkoutId, origin }) => ({
      accountId,
      landerId,
      checkoutId,
      origin,
      status: 'new',
    }),
    OfferStatusChanged: whenExists((state, { status }) => ({ ...state, status })),
  },
})
