import type { SessionTerms } from '../../commerce/session-events.ts'
import { existingSession } from '../../commerce/session-rules.ts'
import type { Session, SessionState } from '../../commerce/session-state.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import type { Once } from '../once.ts'
import type { Shop } from './items.ts'
import { answersTo, type BuyerDetails, openedPerson, sealedPerson } from './person.ts'
import { type CartWish, type PricedCart, priceCart } from './price-cart.ts'

/** A checkout session before anybody pays: made, read and changed (C-SES-01 to C-SES-05). */

/** Hours that a session stays open for payment, as the protocol has it when nobody says otherwise. */
const SESSION_HOURS = 6
/** Bytes of a session's nonce. */
const NONCE_BYTES = 24
/** The prefix of the ids of calls. */
export const CALL = 'call'

export type SessionWish = Omit<CartWish, 'rates'> & {
  readonly person: Pick<BuyerDetails, 'buyer' | 'context'>
  /** Answers to the seller's custom fields, by their labels. */
  readonly answers: Readonly<Record<string, string>>
}

export type NamedSession = { readonly sessionId: string; readonly session: Session }

/** Creates a checkout session; a repeat of the same request answers the session as it was made (X-IDEM-01). */
export const createSession = (
  flow: UseCaseContext,
  once: Once,
  wish: SessionWish,
  platform: string | null,
): Promise<NamedSession> => {
  const { ledger, world } = flow
  const sessionId = once.id('cs')
  const first = async () => {
    const session = await ledger.checkoutSession.after(sessionId, 1)
    return session.status === 'none' ? session : { ...marked(session.request), sessionId, session }
  }
  return once.make(first, async () => {
    const { test, ...terms } = await termsOf(flow, wish, {})
    const expiresAt = new Date(world.now().getTime() + SESSION_HOURS * 3_600_000).toISOString()
    const made = { ...wish.shop, ...terms, test, nonce: world.secret(NONCE_BYTES), platform, expiresAt }
    const { state } = await ledger.checkoutSession.create(sessionId, { ...made, ...once.mark })
    return { sessionId, session: existingSession(state) }
  })
}

/**
 * Replaces the whole cart of a session, at the rates that were frozen before; a repeat of the same request answers what
 * the first one made (X-IDEM-01).
 */
export const updateSession = async (
  flow: UseCaseContext,
  once: Once,
  sessionId: string,
  wish: SessionWish,
): Promise<NamedSession> => {
  const { checkoutSession } = flow.ledger
  const call = once.call(CALL)
  const before = async () => {
    const done = call && ofShop(await checkoutSession.read(sessionId), wish.shop).calls[call.id]
    if (!done) return { status: 'none' } as const
    return {
      ...marked(done.request),
      sessionId,
      session: existingSession(await checkoutSession.after(sessionId, done.version)),
    }
  }
  return once.make(before, async () => {
    const present = ofShop(await checkoutSession.read(sessionId), wish.shop)
    const { test, ...terms } = await termsOf(flow, wish, present.rates)
    if (test !== present.test)
      refuse(
        'invalid-request',
        'line_items: a session stays for test items, or for live ones; make another session for these',
      )
    const { state } = await checkoutSession.update(sessionId, { ...terms, ...(call && { call }) })
    return { sessionId, session: existingSession(state) }
  })
}

/**
 * Adds what a person has answered to the seller's custom fields; nothing else of the session changes. Refuses as an
 * update does, and when the session was changed meanwhile.
 */
export const answerSession = async (
  flow: UseCaseContext,
  { sessionId, session }: NamedSession,
  given: SessionWish['answers'],
): Promise<NamedSession> => {
  const { fields = [], ...person } = await openedPerson(flow.vault, session.person)
  const all = { ...Object.fromEntries(fields.map(({ label, value }) => [label, value])), ...given }
  const said = await personTerms(flow, session.accountId, person, all)
  const answered = { ...sessionTerms(session), ...said, looked: session.changes }
  const { state } = await flow.ledger.checkoutSession.update(sessionId, answered)
  return { sessionId, session: existingSession(state) }
}

const sessionTerms = (session: Session): SessionTerms => {
  const { currency, digits, lines, rates, codes, unknownCodes, tax } = session
  const { subtotal, discount, taxAmount, total, assets, person } = session
  const sums = { subtotal, discount, taxAmount, total }
  return { currency, digits, lines, rates, codes, unknownCodes, tax, ...sums, assets, person }
}

/** A session of this store. Refuses `session-not-found`, also for another store's. */
export const sessionIn = async ({ ledger }: UseCaseContext, shop: Shop, sessionId: string): Promise<Session> =>
  ofShop(await ledger.checkoutSession.read(sessionId), shop)

const ofShop = (state: SessionState, { accountId, storeId }: Shop): Session =>
  state.status !== 'none' && state.accountId === accountId && state.storeId === storeId
    ? state
    : existingSession({ status: 'none' })

/**
 * Whether the same call has changed the session before; refuses `idempotency-conflict` when its key came with another
 * body.
 */
export const isRepeat = async (once: Once, { calls }: Session): Promise<boolean> => {
  const before = async () => {
    const call = calls[once.id(CALL)]
    return call ? { request: call.request } : ({ status: 'none' } as const)
  }
  await once.make(before, async () => ({}))
  return once.replayed()
}

const marked = (request: string | undefined) => (request === undefined ? {} : { request })

const termsOf = async (
  flow: UseCaseContext,
  { person, answers: given, ...cart }: SessionWish,
  rates: CartWish['rates'],
) => {
  const { accountId } = cart.shop
  const priced: PricedCart = await priceCart(flow, { ...cart, rates })
  return { ...priced, ...(await personTerms(flow, accountId, person, given)) }
}

const personTerms = async (
  flow: UseCaseContext,
  accountId: string,
  person: BuyerDetails,
  given: SessionWish['answers'],
) => {
  const { answers, unanswered } = await answersTo(flow.ledger, accountId, given)
  const whole = { ...person, ...(answers.length > 0 && { fields: answers }) }
  return { person: await sealedPerson(flow.vault, accountId, whole), ...(unanswered.length > 0 && { unanswered }) }
}
