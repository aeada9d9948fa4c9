import { decider, type Of } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'
import type { SessionCall, SessionEvents, Share } from './session-events.ts'
import { existingSession, isRepeatedCall, orderOfSession, refuseTooMany, stillOpen } from './session-rules.ts'
import { type Order, type Session, type SessionCommands, type SessionState, statusAt } from './session-state.ts'

/**
 * A cart that a program fills for a buyer, from the first look at its totals to the order that its payment places. The
 * stream is named by the session's id; the order is in the same one, so that paying and placing it are one decision
 * (N-06).
 */

/** The most changes of one session by its buyer; no real shopping needs more. */
const CHANGES_MAX = 100
/** The most signed payments that are tried for one session; after those its buyer has to pay on a chain. */
const PAYMENTS_MAX = 100
/** The most entries that the seller adds to one order. */
const ENTRIES_MAX = 500

export const checkoutSession = decider<SessionEvents, SessionCommands, SessionState>({
  category: 'checkoutSession',
  stateVersion: 3,
  initial: { status: 'none' },
  begins: ['create'],
  decide: {
    create: (state, data, now) =>
      state.status === 'none'
        ? [{ type: 'CheckoutSessionCreated', data: { ...data, createdAt: now } }]
        : refuse('id-taken'),
    update: (state, { looked, ...data }, now) => {
      const session = existingSession(state)
      if (isRepeatedCall(session, data.call)) return []
      const { accountId, status, changes } = stillOpen(session, now)
      if (status === 'ready_for_complete')
        return refuse(
          'session-closed',
          'The challenges of this checkout session are minted: cancel it, and make another one.',
        )
      if (looked !== undefined && looked !== changes) return refuse('version-conflict', CHANGED)
      if (changes >= CHANGES_MAX)
        return refuse('session-closed', `A checkout session is changed at most ${CHANGES_MAX} times. Make a new one.`)
      return [{ type: 'CheckoutSessionUpdated', data: { ...data, accountId, updatedAt: now } }]
    },
    ready: (state, { terms, mandate, requestId, call }, now) => {
      const session = existingSession(state)
      if (isRepeatedCall(session, call)) return []
      const { accountId, status, changes } = stillOpen(session, now)
      // The terms that were checked and signed have changed since.
      if (terms !== changes) return refuse('version-conflict', CHANGED)
      const readied = { accountId, requestId, readiedAt: now, ...(call && { call }) }
      return [
        ...(status === 'incomplete' ? [{ type: 'CheckoutSessionReadied', data: readied } as const] : []),
        ...agreed(session, mandate),
      ]
    },
    takePayment: (state, { authorizationId, over, call }, now) => {
      const session = existingSession(state)
      const isKnown = isRepeatedCall(session, call)
      if (session.payment?.authorizationId === authorizationId) return []
      const { accountId, status, payment, payments } = stillOpen(session, now)
      if (status !== 'ready_for_complete')
        return refuse('session-closed', 'Nothing asks for the payment of this checkout session yet. Complete it first.')
      if (payment !== null && payment.authorizationId !== over)
        return refuse('already-paid', 'Another payment of this session is on its way. Wait for its outcome.')
      if (payments >= PAYMENTS_MAX)
        return refuse(
          'session-closed',
          `At most ${PAYMENTS_MAX} payments of a checkout session are tried. Make a new one.`,
        )
      const taken = { accountId, authorizationId, takenAt: now, ...(call && !isKnown && { call }) }
      return [{ type: 'CheckoutSessionPaymentTaken', data: taken }]
    },
    failPayment: (state, { authorizationId }) => {
      const { accountId, payment } = existingSession(state)
      return payment?.authorizationId === authorizationId
        ? [{ type: 'CheckoutSessionPaymentFailed', data: { accountId, authorizationId } }]
        : []
    },
    // A payment that was made in time and seen late counts. One that is made after the session was canceled places no
    // order, and is the seller's to give back.
    complete: (state, data, now) => {
      const { status, accountId, lines, hasExpired } = existingSession(state)
      if (status === 'completed' || (status === 'canceled' && !hasExpired)) return []
      // A resource opens to whoever has paid; its seller delivers everything else.
      const resources = lines.filter(({ kind }) => kind === 'resource')
      const delivered = resources.map(({ id, quantity }) => ({ id, quantity }))
      return [{ type: 'CheckoutSessionCompleted', data: { ...data, accountId, completedAt: now, delivered } }]
    },
    cancel: (state, { reason, call }, now) => {
      const session = existingSession(state)
      if (isRepeatedCall(session, call)) return []
      const { accountId, payment } = session
      const status = reason === 'asked' ? statusAt(session, now) : session.status
      const isOver = status === 'completed' || status === 'canceled'
      if (reason !== 'asked' && (isOver || payment !== null)) return []
      if (isOver)
        return refuse('session-closed', `This checkout session is ${status} already. Make a new one to buy more.`)
      if (payment !== null)
        return refuse('already-paid', 'A payment of this session is on its way. Wait for its outcome.')
      const canceled = { accountId, reason, canceledAt: now, ...(call && { call }) }
      return [{ type: 'CheckoutSessionCanceled', data: canceled }]
    },
    fulfill: (state, data) => {
      const { session, order } = orderOfSession(state, data.accountId)
      const number = order.entries + 1
      if (number > ENTRIES_MAX)
        return refuse(
          'state-forbids',
          `An order has at most ${ENTRIES_MAX} entries. Tell the buyer of this one yourself.`,
        )
      refuseTooMany(session, order, data.lines)
      return [{ type: 'OrderFulfilled', data: { ...data, orderId: order.id, number } }]
    },
    adjust: (state, data) => {
      if (state.status === 'none' || state.order === null) return []
      if (state.order.refunded === (data.type === 'refund')) return []
      const { accountId, order, total: amount } = state
      const number = order.entries + 1
      return [{ type: 'OrderAdjusted', data: { ...data, accountId, orderId: order.id, number, amount } }]
    },
    notePayment: (state, { stands, occurredAt, position }) => {
      if (state.status === 'none' || state.order === null) return []
      const { accountId, order, total: amount } = state
      if (BigInt(position) <= order.toldThrough || (order.reversedAt === undefined) === stands) return []
      const type = stands ? ('reversal-ended' as const) : ('reversal' as const)
      const number = order.entries + 1
      const data = { accountId, orderId: order.id, number, type, amount, occurredAt, position }
      return [{ type: 'OrderAdjusted', data }]
    },
  },
  evolve: {
    CheckoutSessionCreated: (_, data) => ({
      ...data,
      status: 'incomplete',
      touchedAt: data.createdAt,
      mandate: null,
      payment: null,
      payments: 0,
      hasExpired: false,
      changes: 0,
      version: 1,
      calls: {},
      order: null,
    }),
    CheckoutSessionUpdated: (state, { call, updatedAt, ...terms }) =>
      changed(withoutAsked(state), (session) => ({
        ...terms,
        touchedAt: updatedAt,
        changes: session.changes + 1,
        ...called(session, call),
      })),
    CheckoutSessionReadied: (state, { requestId, readiedAt, call }) =>
      changed(state, (session) => ({
        status: 'ready_for_complete',
        requestId,
        readiedAt,
        touchedAt: readiedAt,
        ...called(session, call),
      })),
    CheckoutSessionAgreed: (state, { mandate }) => changed(state, () => ({ mandate })),
    CheckoutSessionPaymentTaken: (state, { authorizationId, takenAt, call }) =>
      changed(state, (session) => ({
        payment: { authorizationId, takenAt },
        payments: session.payments + 1,
        ...called(session, call),
      })),
    CheckoutSessionPaymentFailed: (state) => changed(state, () => ({ payment: null })),
    CheckoutSessionCompleted: (state, { orderId, transactionId, completedAt, delivered }) =>
      changed(state, () => {
        const fulfilled = tally({}, delivered)
        const entries = delivered.length > 0 ? 1 : 0
        const told = { refunded: false, reversedAt: undefined, toldThrough: -1n }
        const order = { id: orderId, transactionId, placedAt: completedAt, fulfilled, ...told, entries }
        return { status: 'completed', touchedAt: completedAt, payment: null, order }
      }),
    CheckoutSessionCanceled: (state, { reason, canceledAt, call }) =>
      changed(state, (session) => ({
        status: 'canceled',
        touchedAt: canceledAt,
        hasExpired: reason === 'expired',
        ...called(session, call),
      })),
    OrderFulfilled: (state, { type, lines, number }) =>
      withOrder(state, ({ fulfilled }) => ({
        entries: number,
        fulfilled: type === 'delivered' ? tally(fulfilled, lines) : fulfilled,
      })),
    OrderAdjusted: (state, { number, type, occurredAt, position }) =>
      withOrder(state, () => {
        if (position === undefined) return { entries: number, refunded: type === 'refund' }
        const reversedAt = type === 'reversal' ? occurredAt : undefined
        return { entries: number, reversedAt, toldThrough: BigInt(position) }
      }),
  },
})

const CHANGED = 'The session was changed meanwhile: read it again.'

const agreed = (
  { accountId, mandate: before }: Session,
  mandate: Session['mandate'],
): readonly Of<Pick<SessionEvents, 'CheckoutSessionAgreed'>>[] =>
  mandate === null || before !== null ? [] : [{ type: 'CheckoutSessionAgreed', data: { accountId, mandate } }]

/** Drops the unanswered fields, because an update says anew which are left. */
const withoutAsked = (state: SessionState): SessionState => {
  if (state.status === 'none') return state
  const { unanswered: _, ...session } = state
  return session
}

const changed = (state: SessionState, change: (session: Session) => Partial<Session>): SessionState =>
  state.status === 'none' ? state : { ...state, ...change(state), version: state.version + 1 }

const withOrder = (state: SessionState, change: (order: Order) => Partial<Order>): SessionState =>
  changed(state, ({ order }) => ({ order: order && { ...order, ...change(order) } }))

const called = ({ calls, version }: Session, call: SessionCall | undefined) =>
  call ? { calls: { ...calls, [call.id]: { request: call.request, version: version + 1 } } } : {}

const tally = (before: Readonly<Record<string, number>>, shares: readonly Share[]): Readonly<Record<string, number>> =>
  Object.fromEntries([
    ...Object.entries(before),
    ...shares.map(({ id, quantity }) => [id, (before[id] ?? 0) + quantity] as const),
  ])
