/** Logs on which money is about to move. Each is written once, and read by every schedule. */

import { ledgerRefOf } from '../../domain/balance/transfer-terms.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { pushCredit } from '../../domain/use-cases/balance/credit.ts'
import { debitDue } from '../../domain/use-cases/balance/debit-due.ts'
import { createMandate, debitMandate } from '../../domain/use-cases/balance/mandate.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { approvedMandate, CLIENT, confirmedIntent, grant, mandateWish, newFlow, SUB } from '../support/money.ts'
import { fixedWorld } from '../support/world.ts'

export type Client = (on: UseCaseContext) => Promise<{ ledgerRef: string; duplicate: boolean }>

/** A log on which a user has 10, the app 10, and whatever `more` does. */
const funded = async <T>(more: (on: UseCaseContext, carry: () => Promise<void>) => Promise<T>) => {
  const store = memoryStore()
  const world = fixedWorld('given')
  const ledger = ledgerOn(store, world)
  const on = newFlow(store, ledger, 'given')
  const carry = () => runPolicies(store, ledger, world)
  for (const to of [`user:${SUB}`, `app:${CLIENT}`] as const) await grant(ledger, to, '10', 'first')
  await carry()
  const what = await more(on, carry)
  return { events: store.events() as readonly RecordedEvent[], what }
}

export const debit =
  (mandateId: string, idempotencyKey: string, amount = 4n): Client =>
  (on) =>
    debitMandate(on, { clientId: CLIENT, mandateId, amount, description: 'a book', idempotencyKey })
export const push =
  (ref: string, amount = 6n): Client =>
  (on) =>
    pushCredit(on, { clientId: CLIENT, sub: SUB, amount, description: 'thanks', ref })

export const one = await funded((on) => confirmedIntent(on, 7n))
export const several = await funded(async (on, carry) => {
  const intent = await confirmedIntent(on, 5n)
  const mandateId = await approvedMandate(on)
  await carry()
  return { intent, mandateId }
})
const weekly = { mode: 'scheduled', schedAmount: 4n, schedInterval: 'weekly' } as const
/** A schedule that the app runs, and one that Daybook does. */
export const plan = await funded((on) => approvedMandate(on, weekly))
export const automatic = await funded((on) => approvedMandate(on, { ...weekly, auto: true }))

/** Runs the schedule as the clock does; answers with the reference of its first period. */
export const runDue =
  (mandateId: string): Client =>
  async (on) => {
    const due = { standingOrdersDue: async () => [{ mandateId, sub: SUB }] }
    await debitDue(on.ledger, on.world, due, (error) => {
      throw error
    })
    return { ledgerRef: ledgerRefOf(on.world, 'standing-order', `so:${mandateId}:#0`), duplicate: true }
  }

/** The next transfer that is carried makes the user forget the 49 before it. */
export const many = await funded(async (on, carry) => {
  const mandateId = await approvedMandate(on, { perDebitCap: 1_000n, lifetimeCap: 1_000n })
  await grant(on.ledger, `user:${SUB}`, '100', 'more')
  await carry()
  for (let n = 0; n < 49; n++) await debit(mandateId, `k${n}`, 1n)(on)
  await carry()
  return { mandateId }
})
export const sent = await funded(async (on) => {
  for (const [n, amount] of [1n, 2n].entries()) await push(`r${n}`, amount)(on)
})
export const proposed = await funded(async (on) => (await createMandate(on, mandateWish)).mandateId)
