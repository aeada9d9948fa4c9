/** What has to be true of seats and of the money that was taken for them, told from the events alone. */
import { SEATS_INCLUDED } from '../../domain/account/members/seats.ts'
import { SEAT_PRICES } from '../../domain/account/roles.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import type { EventType, LedgerEvent } from '../../domain/write-side/deciders.ts'

/** Throws with the first rule that the log breaks, whatever is on its way (I-CRD-03 to I-CRD-06). */
export const checkSeats = (events: readonly RecordedEvent[]): void => {
  let credit = 0n
  const used = new Map<number, string>()
  const agents = new Set<number>()
  let seats = SEATS_INCLUDED
  for (const event of events) {
    const postings = postingsOf(event)
    const sum = postings.reduce((total, { amount }) => total + BigInt(amount), 0n)
    if (sum !== 0n) throw new Error(`the postings of ${event.type} leave ${sum}`)
    for (const { account, amount } of postings) if (/^seller:.*:credit$/.test(account)) credit += BigInt(amount)
    if (credit < 0n) throw new Error(`the credit is ${credit} after ${event.type}`)
    const { type, data } = event as RecordedEvent & LedgerEvent
    if (type === 'SubagentCreated' || type === 'MemberSeated') agents.add(data.number)
    if (type === 'SubagentDeleted' || type === 'MemberRemoved') agents.delete(data.number)
    if ((type === 'SubagentCreated' || type === 'MemberInvited') && data.paid) seats++
    if (agents.size > seats) throw new Error(`${agents.size} sit on ${seats} seats`)
    const paid = paidIn(event as RecordedEvent & LedgerEvent)
    if (paid && used.has(paid.number)) throw new Error(`payment ${paid.number} was used twice`)
    if (paid) used.set(paid.number, paid.fee)
  }
}

/**
 * The same, and nothing is on its way any more: every payment was used or given back, and what was kept is the price of
 * what there is.
 */
export const checkSeatsAtRest = (events: readonly RecordedEvent[]): void => {
  checkSeats(events)
  const kept =
    sum(only(events, 'SeatPaid').map(({ data }) => data.amount)) -
    sum(only(events, 'CreditGranted').flatMap(({ data }) => (data.reason === 'seat-unused' ? [data.amount] : [])))
  const due = worthOf(events)
  if (kept !== due) throw new Error(`${kept} was taken for seats that cost ${due}`)
  const answered = new Set([
    ...only(events, 'SubagentCreated').flatMap(({ data }) => (data.paid ? [data.paid.number] : [])),
    ...only(events, 'SubagentChanged').flatMap(({ data }) => (data.paid ? [data.paid.number] : [])),
    ...only(events, 'MemberInvited').flatMap(({ data }) => (data.paid ? [data.paid.number] : [])),
    ...only(events, 'MemberChanged').flatMap(({ data }) => (data.paid ? [data.paid.number] : [])),
    ...only(events, 'SeatPaymentUnused').map(({ data }) => data.paid.number),
  ])
  const paid = only(events, 'SeatPaid').length
  if (answered.size !== paid) throw new Error(`${answered.size} of ${paid} payments were answered`)
}

/** The payment that an event uses. */
const paidIn = ({ type, data }: LedgerEvent): { number: number; fee: string } | undefined => {
  switch (type) {
    case 'SubagentCreated':
    case 'SubagentChanged':
    case 'MemberInvited':
    case 'MemberChanged':
      return data.paid
    default:
      return undefined
  }
}

/** What the seats that were bought, and the dearest role that each sub-key or member has ever had, cost. */
const worthOf = (events: readonly RecordedEvent[]): bigint => {
  let worth = 0n
  const dearest = new Map<number, bigint>()
  for (const { type, data } of events as readonly (RecordedEvent & LedgerEvent)[]) {
    if (type === 'SubagentCreated' || type === 'MemberSeated') dearest.set(data.number, SEAT_PRICES[data.role])
    if ((type === 'SubagentCreated' || type === 'MemberInvited') && data.paid) worth += SEAT_PRICES[data.role]
    if (type === 'SubagentChanged' || type === 'MemberChanged') {
      const before = dearest.get(data.number) ?? 0n
      const price = SEAT_PRICES[data.role]
      if (price > before) {
        worth += price - before
        dearest.set(data.number, price)
      }
    }
  }
  return worth
}

const sum = (amounts: readonly string[]) => amounts.reduce((total, each) => total + BigInt(each), 0n)

const only = <T extends EventType>(events: readonly RecordedEvent[], type: T) =>
  events.filter((event): event is RecordedEvent<Extract<LedgerEvent, { type: T }>> => event.type === type)
