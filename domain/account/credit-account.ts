import { decider, isAnswered, type Of } from '../kernel/decider.ts'
import type { OwnPrice, Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import { LANDER_PACK_SLOTS, LANDER_PACK_USD, POINT_USD } from '../money/billing.ts'
import type { SeatOrder } from './team.ts'

/**
 * Prepaid seller credit in millionths of a US dollar. It never goes below zero: the part of a fee that it does not
 * cover is owed, and taken first from the next credit (I-CRD-03, N-17). Nothing is booked twice: each source names the
 * place in the ledger's order that it answers, and only later places count. What the seller buys is refused when the
 * credit does not cover it (E-402-02); what was bought or earned lies in this stream too, so that each purchase is one
 * step (I-CRD-05, I-CRD-06).
 */

/**
 * What a booking answers: the ordered reactor that sends it, and the `order` of the event it reacts to. The stored name
 * is `position`, from when a log had only one home and both were the same number.
 */
type Answers = { ref: string; source: string; position: string }

/** The place that the booking before answers, when that may still be on its way too. */
type After = { after?: string }

export type CreditAccountEvents = {
  /**
   * `points` are those that a returned fee had earned, and are taken off again; where they were redeemed since, the
   * count of points falls below zero.
   */
  CreditGranted: {
    amount: Units
    reason: 'email-verified' | 'top-up' | 'seat-unused' | 'fee-returned' | 'gas-returned'
    points?: number
  } & Answers
  /** `amount` was taken from the credit; `owed` is the part of the bill that it did not cover. */
  CreditDebited: { amount: Units; owed: Units; points?: number } & Bill & BillWorth & Answers
  /** Part of a new credit that went to what was owed. */
  OwedCreditCollected: { amount: Units; ref: string }
  /**
   * A seat was paid for; `order` says what for, and is carried out whatever happens (I-CRD-04). Payments are counted
   * from 1.
   */
  SeatPaid: { number: number; amount: Units; order: SeatOrder }
  LanderPackBought: { purchaseId: string; qty: number; amount: Units; slots: number; request?: string }
  /** Points became credit. */
  PointsRedeemed: { purchaseId: string; points: number; amount: Units; request?: string }
}

export type CreditAccountCommands = {
  /** Refuses `busy` while the booking before is missing. */
  grant: CreditAccountEvents['CreditGranted'] & After
  /**
   * Bills `amount`, in full or in part, and never refuses for want of credit. Refuses `busy` while the booking before
   * is missing.
   */
  charge: { amount: Units; points?: number } & Bill & BillWorth & Answers & After
  /** Refuses `insufficient-credit`. */
  paySeat: { amount: Units; order: SeatOrder }
  /** Refuses `insufficient-credit`, and `idempotency-conflict` when the purchase was made with another request. */
  buyLanderPack: { purchaseId: string; qty: number; request?: string }
  redeemPoints: { purchaseId: string; points: number; request?: string }
}

/** The reason for a bill; for gas also what the gas has cost, before the markup. */
type Bill = { reason: 'platform-fee' | 'top-up-reversed' } | { reason: 'gasless-fee'; gasUsd: Units }

/** What the whole bill is worth in the currency of the seller's account, at the rate of the sale that is billed. */
type BillWorth = { ownPrice?: OwnPrice }

/** `purchases` are the last ones, those of seats too, so that a repeated one is recognised; `seats` counts payments. */
type State = {
  balance: bigint
  owed: bigint
  seen: { readonly [source: string]: bigint }
  landerSlots: number
  points: number
  seats: number
  purchases: readonly { id: string; request?: string }[]
}

/** The most purchases that are kept to recognise a repeat. */
const PURCHASES_KEPT = 100

export const creditAccount = decider<CreditAccountEvents, CreditAccountCommands, State>({
  category: 'creditAccount',
  grows: true,
  stateVersion: 2,
  initial: { balance: 0n, owed: 0n, seen: {}, landerSlots: 0, points: 0, seats: 0, purchases: [] },
  decide: {
    grant: (state, { after, ...data }) => {
      if (isAnswered(state.seen, { ...data, after })) return []
      return [{ type: 'CreditGranted', data }, ...collected(state, positive(data.amount), data.ref)]
    },
    charge: (state, { amount: bill, after, ...rest }) => {
      if (isAnswered(state.seen, { ...rest, after })) return []
      const due = positive(bill)
      const amount = due < state.balance ? due : state.balance
      return [{ type: 'CreditDebited', data: { amount: String(amount), owed: String(due - amount), ...rest } }]
    },
    paySeat: (state, { amount, order }) => {
      if (isMade(state, { purchaseId: order.id })) return []
      covers(state, positive(amount))
      return [{ type: 'SeatPaid', data: { number: state.seats + 1, amount, order } }]
    },
    buyLanderPack: (state, { qty, ...purchase }) => {
      if (isMade(state, purchase)) return []
      const amount = LANDER_PACK_USD * BigInt(qty)
      covers(state, positive(String(amount)))
      const bought = { qty, amount: String(amount), slots: LANDER_PACK_SLOTS * qty }
      return [{ type: 'LanderPackBought', data: { ...purchase, ...bought } }]
    },
    redeemPoints: (state, { points, ...purchase }) => {
      if (isMade(state, purchase)) return []
      const amount = positive(String(POINT_USD * BigInt(points)))
      if (points > state.points)
        return refuse('insufficient-credit', `points: there are ${state.points}, so send no more than that`)
      return [
        { type: 'PointsRedeemed', data: { ...purchase, points, amount: String(amount) } },
        ...collected(state, amount, purchase.purchaseId),
      ]
    },
  },
  evolve: {
    CreditGranted: (state, { amount, points = 0, source, position }) => ({
      ...state,
      points: state.points - points,
      balance: state.balance + BigInt(amount),
      seen: { ...state.seen, [source]: BigInt(position) },
    }),
    CreditDebited: (state, { amount, owed, points = 0, source, position }) => ({
      ...state,
      points: state.points + points,
      balance: state.balance - BigInt(amount),
      owed: state.owed + BigInt(owed),
      seen: { ...state.seen, [source]: BigInt(position) },
    }),
    OwedCreditCollected: (state, { amount }) => ({
      ...state,
      balance: state.balance - BigInt(amount),
      owed: state.owed - BigInt(amount),
    }),
    SeatPaid: (state, { number, amount, order }) => ({
      ...state,
      balance: state.balance - BigInt(amount),
      seats: number,
      purchases: withPurchase(state, { purchaseId: order.id }),
    }),
    LanderPackBought: (state, { amount, slots, ...purchase }) => ({
      ...state,
      balance: state.balance - BigInt(amount),
      landerSlots: state.landerSlots + slots,
      purchases: withPurchase(state, purchase),
    }),
    PointsRedeemed: (state, { points, amount, ...purchase }) => ({
      ...state,
      balance: state.balance + BigInt(amount),
      points: state.points - points,
      purchases: withPurchase(state, purchase),
    }),
  },
})

/** The part of a new credit that goes to what is owed. */
const collected = ({ owed }: State, amount: bigint, ref: string): readonly Of<CreditAccountEvents>[] => {
  const taken = amount < owed ? amount : owed
  return taken > 0n ? [{ type: 'OwedCreditCollected', data: { amount: String(taken), ref } }] : []
}

const covers = ({ balance }: State, amount: bigint): void => {
  if (balance < amount) refuse('insufficient-credit', 'The credit does not cover this: top it up first.')
}

type Purchase = { purchaseId: string; request?: string }

const isMade = ({ purchases }: State, { purchaseId, request }: Purchase): boolean => {
  const made = purchases.find(({ id }) => id === purchaseId)
  if (made && made.request !== request) return refuse('idempotency-conflict')
  return made !== undefined
}

const withPurchase = ({ purchases }: State, { purchaseId, request }: Purchase): State['purchases'] =>
  [...purchases, { id: purchaseId, ...(request !== undefined && { request }) }].slice(-PURCHASES_KEPT)

const positive = (amount: Units): bigint => {
  const units = BigInt(amount)
  return units > 0n ? units : refuse('amount-not-positive')
}
