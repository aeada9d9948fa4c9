/** What is true of the log after every step of every schedule, whatever the processes are doing. */

import { fold } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import { deciders } from '../../domain/write-side/deciders.ts'

type Told = RecordedEvent & { readonly data: { readonly [field: string]: unknown } }

/** Each of these happens at most once for what it names. */
const ONCE: readonly [what: string, types: readonly string[], of: (event: Told) => unknown][] = [
  ['claim of a transfer', ['TransferClaimed'], ({ stream }) => stream],
  ['settlement of a challenge', ['ChallengeSettled'], ({ data }) => data.challengeId],
  ['settlement by a transfer', ['ChallengeSettled'], ({ data }) => (data.transfer as { tx: string }).tx],
  ['report of a payment by card', ['CardPaymentReported'], ({ stream }) => stream],
  ['outcome of a payment by card', ['CardPaymentSettled', 'CardPaymentSetAside'], ({ stream }) => stream],
  ['payment of a request', ['PaymentRequestPaid'], ({ stream }) => stream],
  ['refund of a transaction', ['RefundRecorded'], ({ stream }) => stream],
  ['fee of a settlement', ['CreditDebited'], ({ data }) => `${data.reason} ${data.ref}`],
  ['acceptance of an authorization', ['AuthorizationAccepted'], ({ stream }) => stream],
  ['settlement of an authorization', ['AuthorizationSettled'], ({ stream }) => stream],
  ['gas of an authorization', ['AuthorizationGasSpent'], ({ stream }) => stream],
  ['grant of credit', ['CreditGranted'], ({ data }) => `${data.reason} ${data.ref}`],
  ['transaction of a challenge', ['TransactionCreated'], ({ data }) => data.challengeId],
  ['completion of a transaction', ['TransactionCompleted'], ({ stream }) => stream],
  ['delivery of a transaction', ['DeliveryScheduled', 'DeliverySkipped'], ({ data }) => data.transactionId],
  ['outcome of a delivery', ['DeliveryAccepted', 'DeliveryFailed'], ({ stream }) => stream],
]

/** Checks a log each time that it has grown, and throws with the first rule that it breaks. */
export const createCheck = (): ((log: readonly RecordedEvent[]) => void) => {
  let checked = -1
  return (log) => {
    if (log.length > checked) checkBooks(log as readonly Told[])
    checked = log.length
  }
}

const checkBooks = (events: readonly Told[]) => {
  for (const [what, types, of] of ONCE) {
    const all = events.filter(({ type }) => types.includes(type)).map(of)
    const again = all.find((each, i) => all.indexOf(each) !== i)
    if (again !== undefined) throw new Error(`two of one ${what}: ${again}`)
  }
  checkPostings(events)
  checkCredit(events)
  checkEchoes(events)
}

const checkPostings = (events: readonly RecordedEvent[]) => {
  for (const event of events) {
    const byAsset = Map.groupBy(postingsOf(event), ({ asset }) => asset)
    for (const [asset, postings] of byAsset) {
      const sum = postings.reduce((total, { amount }) => total + BigInt(amount), 0n)
      if (sum !== 0n) throw new Error(`the postings of ${event.type} leave ${sum} ${asset}`)
    }
  }
}

/** Credit is never below zero, and none is kept while something is owed. */
const checkCredit = (events: readonly RecordedEvent[]) => {
  const accounts = Map.groupBy(
    events.filter(({ stream }) => stream.startsWith('creditAccount-')),
    ({ stream }) => stream,
  )
  for (const [stream, own] of accounts) {
    let state = deciders.creditAccount.initial
    for (const [i, event] of own.entries()) {
      state = fold(deciders.creditAccount, [event], state)
      if (state.balance < 0n || state.owed < 0n) throw new Error(`${stream} is below zero`)
      const collecting = event.type === 'CreditGranted' && own[i + 1]?.type === 'OwedCreditCollected'
      if (state.balance > 0n && state.owed > 0n && !collecting) throw new Error(`${stream} keeps credit and owes`)
    }
  }
}

/** What a policy or an effect does is no answer to what it did itself. */
const checkEchoes = (events: readonly RecordedEvent[]) => {
  const byId = new Map(events.map((event) => [event.id, event]))
  for (const { cause, type } of events) {
    const asked = cause.causationId === undefined ? undefined : byId.get(cause.causationId)
    if (asked?.cause.actor === cause.actor) throw new Error(`${cause.actor} answers its own ${asked.type} with ${type}`)
  }
}

export const countOf = (events: readonly RecordedEvent[], type: string): number =>
  events.filter((event) => event.type === type).length
