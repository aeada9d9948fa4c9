import { refuse } from '../kernel/refusal.ts'
import type { SessionCall, Share } from './session-events.ts'
import { type Order, type Session, type SessionState, statusAt } from './session-state.ts'

/** Rules on when a command is allowed on a checkout session. */

export const existingSession = (state: SessionState): Session =>
  state.status === 'none' ? refuse('session-not-found') : state

/** True when the same call came before; refuses when its key came with another body. */
export const isRepeatedCall = ({ calls }: Session, call: SessionCall | undefined): boolean => {
  const before = call && calls[call.id]
  if (before === undefined) return false
  return before.request === call?.request || refuse('idempotency-conflict')
}

/** Refuses `session-closed` for a session that has ended, or that nobody has paid in time. */
export const stillOpen = (session: Session, now: string): Session => {
  const status = statusAt(session, now)
  if (status === 'completed')
    return refuse(
      'session-closed',
      'This checkout session is completed, and its order is placed. Make a new one to buy more.',
    )
  return status === 'canceled'
    ? refuse('session-closed', 'This checkout session is canceled. Make a new one.')
    : session
}

/** The order of a session, for its seller; another's is not found (X-TEN-01). */
export const orderOfSession = (state: SessionState, accountId: string): { session: Session; order: Order } => {
  const order = state.status === 'none' ? null : state.order
  if (state.status === 'none' || order === null || state.accountId !== accountId) return refuse('order-not-found')
  return { session: state, order }
}

/** Refuses a quantity above what is left of its line to deliver, and a line that is unknown or named twice. */
export const refuseTooMany = ({ lines }: Session, { fulfilled }: Order, shares: readonly Share[]): void => {
  const ids = shares.map(({ id }) => id)
  for (const { id, quantity } of shares) {
    const line =
      lines.find((each) => each.id === id) ??
      refuse('invalid-request', `line_items: there is no line ${id}; take the ids of the order`)
    if (ids.indexOf(id) !== ids.lastIndexOf(id))
      refuse('invalid-request', `line_items: ${id} stands twice; name it once`)
    const left = line.quantity - (fulfilled[id] ?? 0)
    if (quantity > left)
      refuse('invalid-request', `line_items: ${left} of ${id} are left to deliver, so say no more than that`)
  }
}
