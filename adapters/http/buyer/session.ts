import { z } from 'zod'
import { isSessionId } from '../../../domain/commerce/ids.ts'
import type { SessionLine } from '../../../domain/commerce/session-events.ts'
import type { Session } from '../../../domain/commerce/session-state.ts'
import { millionthsOf } from '../../../domain/kernel/currencies.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { isPaid, readySession, statusNow } from '../../../domain/use-cases/commerce/pay-session.ts'
import { answerSession } from '../../../domain/use-cases/commerce/sessions.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import { endpoint, Reply } from '../core/endpoint.ts'
import { networkMark } from '../core/network-of.ts'
import {
  type AnswerFaults,
  type Asks,
  answersTyped,
  askingOf,
  judgeAnswers,
  TypedAnswers,
} from '../pages/store/answers.ts'
import { type Basket, type CartPage, cartPage } from '../pages/store/cart.ts'
import type { StoreWords } from '../pages/store/messages/en.ts'
import { missingPage } from '../pages/store/missing.ts'
import { faceOf } from './face.ts'
import { noneLeft } from './paths.ts'

/**
 * The page at which a person pays what an agent has put into a cart; every session names its address (C-SES-06).
 * Whoever has the address may look and pay.
 */

const common = {
  path: '/session/:id',
  auth: 'none',
  page: 'always',
  ignores: 'query',
  params: z.object({ id: z.string().max(64) }),
  returns: z.string(),
  produces: 'text/html',
  refusals: ['session-not-found'],
} as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The cart of a checkout session, for a person',
  waits: 'before',
  async answer({ params: { id }, flow, queries, languages }) {
    const session = await found(flow, id)
    return session === undefined ? missingPage(languages, 'cart') : pageOf({ flow, queries, languages }, session)
  },
})

const pay = endpoint({
  ...common,
  method: 'post',
  limits: { keyless: true },
  summary: 'A person goes on to pay a checkout session; leads to the page of its payment request',
  body: TypedAnswers,
  otherwise: {
    400: { description: 'The page again, with what is wrong' },
    409: { description: 'The page again, which says that there is not enough left' },
    303: { description: 'The payment request of the session, or its page when it has ended' },
  },
  refusals: [
    ...common.refusals,
    'unavailable',
    'version-conflict',
    'checkout-mandate-required',
    'rate-limited',
    'no-free-amount',
  ] as const,
  async answer({ params: { id }, body: typed, ip, flow, queries, once, languages }) {
    const session =
      (await found(flow, id)) ?? refuse('session-not-found', 'There is no such cart. Look at the link again.')
    const state = STATES[await statusNow(flow, session, queries.challengesOfRequest)]
    if (state !== 'open' && state !== 'ready') return seeOther(`/session/${id}`)
    if (await isPaid(flow, session)) return seeOther(payAt(session) ?? `/session/${id}`)
    const asks = await asksFor(flow, session)
    const answers = answersTyped(asks, typed)
    const taken = judgeAnswers(asks, answers)
    if ('wrong' in taken) return pageOf({ flow, queries, languages }, session, { typed, wrong: taken.wrong })
    const named = { sessionId: id, session }
    const answered = session.unanswered ? await answerSession(flow, named, answers.fields) : named
    const ready = await readySession(flow, once, answered, null, networkMark(flow, ip)).catch(noneLeft)
    if (!ready) return pageOf({ flow, queries, languages }, session, 'sold-out')
    return seeOther(payAt(ready.session) ?? `/session/${id}`)
  },
})

const found = async ({ ledger }: UseCaseContext, id: string): Promise<Session | undefined> => {
  const state = isSessionId(id) ? await ledger.checkoutSession.read(id) : undefined
  return state === undefined || state.status === 'none' ? undefined : state
}

const pageOf = async (
  { flow, queries, languages }: { flow: UseCaseContext; queries: Queries; languages: string },
  session: Session,
  refused?: { typed: z.output<typeof TypedAnswers>; wrong: AnswerFaults } | 'sold-out',
) => {
  const { face } = await faceOf(flow, queries, session, languages)
  const isSoldOut = refused === 'sold-out'
  const { typed, wrong } = isSoldOut ? {} : { ...refused }
  const asking = askingOf(await asksFor(flow, session), typed, wrong)
  const status = await statusNow(flow, session, queries.challengesOfRequest)
  const view = { face, asking, isSoldOut, ...viewOf(session, status, face.locale.words) }
  return cartPage(view, isSoldOut ? 409 : refused ? 400 : 200)
}

/** The questions whose answers the session lacks: what an agent has answered for its person is shown to nobody. */
const asksFor = async ({ ledger }: UseCaseContext, { accountId, unanswered = [] }: Session): Promise<Asks> => {
  const { fields, next } = await ledger.customFields.recent(accountId)
  return {
    fields: { next, fields: fields.filter(({ label }) => unanswered.includes(label)) },
    discounts: { codes: {} },
  }
}

const viewOf = (
  session: Session,
  status: Session['status'],
  words: StoreWords,
): Omit<CartPage, 'face' | 'asking' | 'isSoldOut'> => ({
  ...basketOf(session, words),
  test: session.test,
  orderAt: session.order ? `/orders/${session.order.id}` : undefined,
  payAt: payAt(session),
  state: STATES[status],
})

/** The contents of a cart, and what became of each line. */
export const basketOf = (session: Session, words: StoreWords, noteOf?: (line: SessionLine) => string): Basket => {
  const { digits, currency, lines, discount, tax, taxAmount, subtotal } = session
  const amount = (minor: string) => String(millionthsOf(BigInt(minor), digits))
  const parts = [
    ...(discount === '0' ? [] : [{ label: words.discount, amount: amount(`-${discount}`) }]),
    ...(tax && !tax.inclusive ? [{ label: tax.label, amount: amount(taxAmount) }] : []),
  ]
  return {
    lines: lines.map((line) => ({
      title: line.title,
      quantity: line.quantity,
      amount: amount(line.subtotal),
      ...(noteOf && { note: noteOf(line) }),
    })),
    totals: parts.length > 0 ? [{ label: words.subtotal, amount: amount(subtotal) }, ...parts] : [],
    included: tax?.inclusive ? { label: words.included(tax.label), amount: amount(taxAmount) } : undefined,
    total: amount(session.total),
    currency,
  }
}

const STATES = {
  incomplete: 'open',
  ready_for_complete: 'ready',
  completed: 'paid',
  canceled: 'over',
} as const satisfies Record<Session['status'], CartPage['state']>

export const payAt = ({ requestId }: Session): string | undefined => requestId && `/id/${requestId}`

const seeOther = (location: string): Reply => new Reply(303, '', { Location: location, 'Cache-Control': 'no-store' })

export const sessionPageEndpoints = [look, pay]
