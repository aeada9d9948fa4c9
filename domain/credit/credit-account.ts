import { decider, type Of } from '../decider.ts'
import type { Units } from '../money.ts'
import { refuse } from '../refusal.ts'

/**
 * Prepaid seller credit in millionths of a US dollar. It never goes below zero: what a fee exceeds it by is owed, and taken first from
 * the next credit (I-CRD-03, N-17). Nothing is booked twice: each source names the place in the ledger's order that it answers, and only
 * later ones count.
 */

/**
 * What a booking answers: the ordered reactor that sends it, and the `order` of the event it reacts to. The stored name is `position`, from
 * when a log had only one home and both were the same number.
 */
type Answers = { ref: string; source: string; position: string }

export type CreditAccountEvents = {
  CreditGranted: { amount: Units; reason: 'email-verified' | 'top-up' } & Answers
  /** `amount` was taken from the credit; `owed` is the part of the bill that it did not cover. */
  CreditDebited: { amount: Units; owed: Units } & Bill & Answers
  /** Part of a new credit that went to what was owed. */
  OwedCreditCollected: { amount: Units; ref: string }
}

export type CreditAccountCommands = {
  grant: CreditAccountEvents['CreditGranted']
  /** Bills `amount`, in full or in part, and never refuses for want of credit. */
  charge: { amount: Units } & Bill & Answers
}

/** What is billed; of gas, what it has cost, before the markup. */
type Bill = { reason: 'platform-fee' } | { reason: 'gasless-fee'; gasUsd: Units }

type State = { balance: bigint; owed: bigint; seen: { readonly [source: string]: bigint } }

export const creditAccount = decider<CreditAccountEvents, CreditAccountCommands, State>({
  category: 'creditAccount',
  grows: true,
  stateVersion: 1,
  initial: { balance: 0n, owed: 0n, seen: {} },
  decide: {
    grant: (state, data) => {
      if (answered(state, data)) return []
      const amount = positive(data.amount)
      const collected = amount < state.owed ? amount : state.owed
      const events: Of<CreditAccountEvents>[] = [{ type: 'CreditGranted', data }]
      if (collected > 0n)
        events.push({ type: 'OwedCreditCollected', data: { amount: String(collected), ref: data.ref } })
      return events
    },
    charge: (state, { amount: bill, ...rest }) => {
      if (answered(state, rest)) return []
      const due = positive(bill)
      const amount = due < state.balance ? due : state.balance
      return [{ type: 'CreditDebited', data: { amount: String(amount), owed: String(due - amount), ...rest } }]
    },
  },
  evolve: {
    CreditGranted: (state, { amount, source, position }) => ({
      ...state,
      balance: state.balance + BigInt(amount),
      seen: { ...state.seen, [source]: BigInt(position) },
    }),
    CreditDebited: (state, { amount, owed, source, position }) => ({
      balance: state.balance - BigInt(amount),
      owed: state.owed + BigInt(owed),
      seen: { ...state.seen, [source]: BigInt(position) },
    }),
    OwedCreditCollected: (state, { amount }) => ({
      ...state,
      balance: state.balance - BigInt(amount),
      owed: state.owed - BigInt(amount),
    }),
  },
})

const answered = ({ seen }: State, { source, position }: { source: string; position: string }) =>
  BigInt(position) <= (seen[source] ?? -1n)

const positive = (amount: Units): bigint => {
  const units = BigInt(amount)
  return units > 0n ? units : refuse('amount-not-positive')
}
