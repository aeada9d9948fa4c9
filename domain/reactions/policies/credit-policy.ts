import type { CreditAccountCommands } from '../../account/credit-account.ts'
import type { RecordedEvent } from '../../kernel/ports.ts'
import type { EventType } from '../../write-side/deciders.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { Context, EventOf, Policy } from '../subscriber/policy.ts'

/** What is charged to a seller's credit or granted to it; undefined where it is nothing. */
export type CreditBooking =
  | { readonly charge: Facts<CreditAccountCommands['charge']>; readonly grant?: never }
  | { readonly grant: Facts<CreditAccountCommands['grant']>; readonly charge?: never }
  | undefined
type Facts<D> = D extends unknown ? Omit<D, 'source' | 'position' | 'after'> : never

/** Events that are booked at once for one seller, by one append. */
const BOOKED_AT_ONCE_MAX = 100

/**
 * Declares a policy that books events, each once, on the credit of the accounts that they name. The credit tells by an
 * event's place in the log what it was booked, so those of an account keep their order. Of several that are booked at
 * once each says which one goes before it (`after`), so none counts as booked that was passed over (N-110).
 */
export const creditPolicy = <T extends EventType>(
  name: string,
  bookings: { readonly [E in T]: (event: EventOf<E>) => CreditBooking },
): Policy => {
  const bookingOf = (event: RecordedEvent) =>
    (bookings[event.type as T] as (event: RecordedEvent) => CreditBooking)(event)
  const book = async (ledger: Ledger, event: RecordedEvent, before?: RecordedEvent) => {
    const { charge, grant } = bookingOf(event) ?? {}
    const answered = { source: name, position: String(event.order), ...(before && { after: String(before.order) }) }
    if (charge) await ledger.creditAccount.charge(accountOf(event), { ...charge, ...answered })
    if (grant) await ledger.creditAccount.grant(accountOf(event), { ...grant, ...answered })
  }
  const react = async (events: readonly RecordedEvent[], contextOf: (event: RecordedEvent) => Context) => {
    const booked = events.filter(bookingOf)
    const [first] = booked
    if (!first) return
    // A look first, so that bookings that are made at once find the stream in memory, and keep their order.
    await contextOf(first).ledger.creditAccount.recent(accountOf(first))
    await Promise.all(booked.map((event, n) => book(contextOf(event).ledger, event, booked[n - 1])))
  }
  const reaction = (event: RecordedEvent, { ledger }: Context) => book(ledger, event)
  return {
    name,
    keys: (event) => [accountOf(event)],
    on: Object.fromEntries(Object.keys(bookings).map((type) => [type, reaction])),
    together: { max: BOOKED_AT_ONCE_MAX, react },
  }
}

const accountOf = ({ data }: RecordedEvent): string => (data as { readonly accountId: string }).accountId
