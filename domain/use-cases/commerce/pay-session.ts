import { orderIdOf } from '../../commerce/ids.ts'
import type { MandateEvidence } from '../../commerce/session-events.ts'
import { existingSession } from '../../commerce/session-rules.ts'
import { type Session, statusAt } from '../../commerce/session-state.ts'
import { isRefusal, refuse } from '../../kernel/refusal.ts'
import type { RequestRef } from '../../selling/challenge-events.ts'
import { isClosed, type OpenSet } from '../../selling/challenge-state.ts'
import { challengeParts } from '../../selling/challenge-terms.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { isPayingByCard } from '../card/attempts.ts'
import { closePages } from '../card/close.ts'
import type { UseCaseContext } from '../context.ts'
import type { Once } from '../once.ts'
import { CHALLENGE_MINUTES, type ChallengeOffer } from '../selling/challenges/open-challenge.ts'
import { coinsOf, openForRequest } from '../selling/challenges/open-request.ts'
import { lendPieces } from '../selling/stock/lend-pieces.ts'
import { deadPayment, endDeadPayment } from './dead-payment.ts'
import { askFor, goodsIn, requestOnce } from './session-request.ts'
import { CALL, isRepeat, type NamedSession } from './sessions.ts'

/** How a cart that somebody wants becomes an order that is paid (C-SES-06, C-SES-13, C-SES-14, N-05, N-06). */

/** Challenges are minted anew after half their life, so that whoever asks has time to pay. */
const MINTED_MINUTES = CHALLENGE_MINUTES / 2

export type PayableSession = {
  readonly session: Session
  readonly minted: ChallengeOffer
  readonly request: RequestRef
}

/**
 * Fixes the terms and mints the one set of challenges that pays them: whoever asks at the same time, or again, is given
 * the same one. The decision is written first, so that one of two racing calls wins, this one or a cancellation, and
 * nothing of the other stays payable.
 */
export const readySession = async (
  flow: UseCaseContext,
  once: Once,
  { sessionId, session: looked }: NamedSession,
  mandate: MandateEvidence | null,
  /** A keyed hash of the network that the caller comes from. */
  network?: string,
): Promise<PayableSession> => {
  const { checkoutSession } = flow.ledger
  if (looked.unanswered)
    return refuse('invalid-request', `custom_fields: these have to be answered first: ${looked.unanswered.join(', ')}`)
  await mustBeAgreed(flow, looked, mandate)
  if (looked.status === 'incomplete') await mustBePayable(flow, looked)
  const call = once.call(CALL)
  const asking = requestOnce(flow, looked.accountId, sessionId)
  const terms = { terms: looked.changes, requestId: asking.id('pr'), mandate, ...(call && { call }) }
  // Whose agreement is signed has a name, and is no flood.
  const stranger = (mandate ?? looked.mandate) === null ? network : undefined
  const giveBack = await lendTo(flow, looked, terms.requestId, stranger)
  const { state } = await checkoutSession.ready(sessionId, terms).catch(async (error: unknown) => {
    await giveBack()
    throw error
  })
  const { requestId, transactionId } = await askFor(flow, asking, { sessionId, session: existingSession(state) })
  if (await isPaid(flow, existingSession(state)))
    return refuse(
      'already-paid',
      'This checkout session is paid, and its order is being placed. Read it again in a moment.',
    )
  // A session that was canceled meanwhile may be withdrawn already, and then nothing can be minted.
  const minted = await mint(flow, existingSession(state), network).catch((error: unknown) => {
    if (isRefusal(error, 'challenge-expired')) return undefined
    throw error
  })
  const session = existingSession(await checkoutSession.read(sessionId))
  if ((await withdrawCanceled(flow.ledger, sessionId)) || !minted)
    return refuse(
      'session-closed',
      session.status === 'canceled'
        ? 'This checkout session is canceled. Make a new one.'
        : 'The time to pay this checkout session is up. Make a new one.',
    )
  return { session, minted, request: { requestId, transactionId } }
}

/**
 * Refuses `already-paid` while a payment of it is on its way, `session-closed` for what has ended (N-05), and
 * `unavailable` while nobody can say whether a page of a card processor, which is closed first, was paid.
 */
export const cancelSession = async (
  flow: UseCaseContext,
  once: Once,
  { sessionId, session }: NamedSession,
  challengesOf: ChallengesOf,
): Promise<Session> => {
  if (await isRepeat(once, session)) return session
  const call = once.call(CALL)
  if (await isBeingPaid(flow, session, challengesOf))
    return refuse('already-paid', 'A payment of this session is on its way. Wait for its outcome.')
  if (session.requestId !== undefined && (await closePages(flow, session.requestId)))
    return refuse('already-paid', 'A payment of this session is on its way. Wait for its outcome.')
  await endDeadPayment(flow, sessionId, session)
  const { state } = await flow.ledger.checkoutSession.cancel(sessionId, { reason: 'asked', ...(call && { call }) })
  await withdrawCanceled(flow.ledger, sessionId)
  return existingSession(state)
}

/**
 * Cancels a session that nobody has paid in time, or that its seller has withdrawn. Quiet for a session that has ended,
 * and while a signed payment is on its way.
 */
export const giveUpSession = async (
  parts: Pick<UseCaseContext, 'ledger' | 'world'>,
  sessionId: string,
  reason: 'expired' | 'withdrawn',
): Promise<void> => {
  await endDeadPayment(parts, sessionId, existingSession(await parts.ledger.checkoutSession.read(sessionId)))
  await parts.ledger.checkoutSession.cancel(sessionId, { reason })
}

/** Makes sure that nobody pays for a canceled session. True when it is canceled. */
export const withdrawCanceled = async (ledger: Ledger, sessionId: string): Promise<boolean> => {
  const session = await ledger.checkoutSession.read(sessionId)
  if (session.status !== 'canceled') return false
  try {
    if (session.requestId !== undefined) await ledger.paymentRequest.withdraw(session.requestId, { reason: 'canceled' })
  } catch (error) {
    // The session was canceled before anything asked for its payment.
    if (!isRefusal(error, 'request-not-found')) throw error
  }
  return true
}

/**
 * Places the order that a settled challenge of the session has paid. Quiet when it is placed, and when the session is
 * canceled.
 */
export const placeOrder = async (
  ledger: Ledger,
  sessionId: string,
  paid: { requestId: string; transactionId: string; challengeId: string },
): Promise<void> => {
  const { requestId, transactionId, challengeId } = paid
  // A test is settled without its request hearing of it.
  await ledger.paymentRequest.pay(requestId, { challengeId }).catch((error: unknown) => {
    if (!isRefusal(error, 'already-paid')) throw error
  })
  await ledger.checkoutSession.complete(sessionId, { orderId: orderIdOf(sessionId), transactionId, challengeId })
}

/** Challenges of a request, also those that were opened at its own door. */
export type ChallengesOf = (requestId: string) => Promise<readonly string[]>

/** Whether the session's request is paid, also while its order is still being placed. */
export const isPaid = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, { requestId }: Session): Promise<boolean> =>
  requestId !== undefined && (await ledger.paymentRequest.read(requestId)).status === 'paid'

/** Whether a payment of the session was seen, or signed, and its order is not placed yet. */
export const isBeingPaid = async (
  flow: UseCaseContext,
  session: Session,
  challengesOf: ChallengesOf,
): Promise<boolean> => {
  if (session.status !== 'ready_for_complete') return false
  if (session.payment !== null && (await deadPayment(flow, session)) === null) return true
  if (await isPaid(flow, session)) return true
  const others = await challengesOf(session.requestId ?? '')
  const setIds = new Set([...setIdsOf(flow, session), ...others.flatMap((id) => challengeParts(id)?.setId ?? [])])
  const sets = await Promise.all([...setIds].map((setId) => flow.ledger.challenge.read(setId)))
  return sets.some((set) => set.status === 'open' && isSeen(set))
}

/** The session's status now: one that was not paid in time is over, unless a payment is on its way. */
export const statusNow = async (
  flow: UseCaseContext,
  session: Session,
  challengesOf: ChallengesOf,
): Promise<Session['status']> => {
  const now = flow.world.now().toISOString()
  const status = statusAt({ ...session, payment: null }, now)
  if (status !== 'canceled' || session.status === 'canceled') return status
  const isOnItsWay =
    (await isBeingPaid(flow, session, challengesOf)) || (await isPayingByCard(flow, session.requestId ?? ''))
  return isOnItsWay ? session.status : status
}

/** Lends the pieces of a cart before its terms are fixed. Refuses as `lendPieces` does. */
const lendTo = (
  { ledger, world }: UseCaseContext,
  { status, expiresAt, ...session }: Session,
  holder: string,
  network: string | undefined,
): Promise<() => Promise<void>> => {
  const latest = new Date(world.now().getTime() + CHALLENGE_MINUTES * 60_000).toISOString()
  const goods = status === 'incomplete' ? goodsIn(session) : []
  return lendPieces(ledger, { holder, goods, endsAt: expiresAt < latest ? expiresAt : latest, network })
}

/**
 * Refuses `checkout-mandate-required` at whichever door a session is readied: some sellers take signed agreements
 * alone.
 */
const mustBeAgreed = async (
  { ledger }: UseCaseContext,
  session: Session,
  mandate: MandateEvidence | null,
): Promise<void> => {
  if (session.status !== 'incomplete' || (mandate ?? session.mandate) !== null) return
  const { mandates } = await ledger.settings.recent(session.accountId)
  if (mandates.require)
    refuse(
      'checkout-mandate-required',
      'This seller takes orders with a signed agreement alone. Have an agent buy this, which sends one.',
    )
}

/** The set that is minted at this time; the ids are made from the session, so that nobody mints another one. */
export const setIdNow = (flow: UseCaseContext, session: Session): string => setIdsOf(flow, session).at(-1) as string

const setIdsOf = (
  { world }: UseCaseContext,
  { requestId = '', readiedAt = '', expiresAt }: Session,
): readonly string[] => {
  const now = Math.min(world.now().getTime(), Date.parse(expiresAt))
  const last = Math.max(0, Math.floor((now - Date.parse(readiedAt)) / (MINTED_MINUTES * 60_000)))
  return Array.from({ length: last + 1 }, (_, n) => world.idFrom('ch', 'session', requestId, String(n)))
}

const isSeen = (set: OpenSet): boolean =>
  Object.keys(set.settled).length > 0 ||
  [...Object.keys(set.detected), ...Object.keys(set.reserved)].some((asset) => !isClosed(set, asset))

const mint = async (flow: UseCaseContext, session: Session, network: string | undefined): Promise<ChallengeOffer> => {
  const { challenge } = flow.ledger
  const setId = setIdNow(flow, session)
  const minted = async () => {
    const set = await challenge.read(setId)
    return set.status === 'none' ? undefined : { ...set, setId }
  }
  const before = await minted()
  if (before) return before
  try {
    return await openForRequest(
      flow,
      session.requestId ?? '',
      {},
      { setId, ...(network && { network }), mayBeEmpty: true },
    )
  } catch (error) {
    const other = isRefusal(error, 'id-taken') ? await minted() : undefined
    if (other) return other
    throw error
  }
}

/** Refuses `unknown-asset` for a session that no coin can pay, before anything is made of it. */
const mustBePayable = async ({ ledger }: UseCaseContext, { accountId, assets }: Session): Promise<void> => {
  const coins = await coinsOf(ledger, { accountId, asset: null, ...(assets && { assets }) })
  if (coins.length === 0)
    refuse(
      'unknown-asset',
      'The seller takes no coin that this session could be paid in: ask the seller to set a wallet.',
    )
}
