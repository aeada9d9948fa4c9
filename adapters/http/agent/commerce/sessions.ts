import { z } from 'zod'
import { isSessionId } from '../../../../domain/commerce/ids.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { cancelSession } from '../../../../domain/use-cases/commerce/pay-session.ts'
import {
  createSession,
  type NamedSession,
  sessionIn,
  updateSession,
} from '../../../../domain/use-cases/commerce/sessions.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { type CloudCaller, endpoint, Reply } from '../../core/endpoint.ts'
import { networkMark } from '../../core/network-of.ts'
import { Cart, cartWish } from './cart-shape.ts'
import { completeSession } from './complete.ts'
import { Payment } from './instrument.ts'
import { failure, PlatformHeaders, platformOf, speaksUcp, withoutNotFound } from './platform.ts'
import { SessionRecord, type SessionRecordOptions, sessionRecord } from './session-record.ts'
import { Envelope } from './ucp.ts'
import { waysNow } from './ways.ts'

/**
 * Checkout sessions (C-SES-01 to C-SES-14), in the life cycle of the documents, and in that of UCP for a platform that
 * speaks it.
 */

const common = {
  auth: 'shop',
  callers: { crossOrigin: true },
  headers: PlatformHeaders,
  returns: z.union([SessionRecord, Envelope]),
  failure,
  refusals: ['store-not-found', 'unavailable'],
} as const

const one = {
  ...common,
  params: z.object({ id: z.string().max(64) }),
  refusals: [...common.refusals, 'session-not-found'],
} as const

/** What goes on with a session as it is; another cart would be a new sale, which a suspended shop does not make. */
const begun = { ...one, callers: { crossOrigin: true, finishes: true } } as const

const CREATED = { 201: { description: 'The same, as a platform that speaks UCP is told it', schema: SessionRecord } }

const create = endpoint({
  ...common,
  method: 'post',
  path: '/checkout-sessions',
  summary: 'Make a checkout session of what a store sells',
  idempotent: true,
  body: Cart,
  otherwise: CREATED,
  refusals: [...common.refusals, 'item-not-found', 'out-of-stock', 'idempotency-conflict'],
  answer: ({ headers, actor, body, flow, once, queries: { challengesOfRequest: challengesOf } }) =>
    withoutNotFound(headers, async () => {
      const made = await createSession(flow, once, cartWish(actor, body), platformOf(headers))
      const record = await sessionRecord(flow, made, { ucp: speaksUcp(headers), challengesOf })
      return speaksUcp(headers) ? new Reply(201, record) : record
    }),
})

const read = endpoint({
  ...begun,
  method: 'get',
  path: '/checkout-sessions/:id',
  summary: 'A checkout session',
  answer: ({ headers, actor, params, flow, queries: { challengesOfRequest: challengesOf } }) =>
    withoutNotFound(headers, async () =>
      shown(flow, await found(flow, actor, params.id), { ucp: speaksUcp(headers), challengesOf }),
    ),
})

const update = endpoint({
  ...one,
  method: 'put',
  path: '/checkout-sessions/:id',
  summary: 'Say anew what is in a checkout session, and who buys',
  idempotent: true,
  body: Cart,
  refusals: [...one.refusals, 'item-not-found', 'out-of-stock', 'session-closed', 'idempotency-conflict'],
  answer: ({ headers, actor, params, body, flow, once, queries: { challengesOfRequest: challengesOf } }) =>
    withoutNotFound(headers, async () => {
      const changed = await updateSession(flow, once, idOf(params.id), cartWish(actor, body))
      return shown(flow, changed, { ucp: speaksUcp(headers), challengesOf })
    }),
})

const complete = endpoint({
  ...begun,
  method: 'post',
  path: '/checkout-sessions/:id/complete',
  limits: { pays: true },
  summary:
    'Fix what a checkout session costs and mint the challenges that pay it; takes a signed agreement, and a signed payment',
  idempotent: true,
  waits: 'before',
  body: z.looseObject({
    ap2: z.looseObject({ checkout_mandate: z.string().optional() }).optional(),
    payment: Payment.optional(),
  }),
  refusals: [
    ...one.refusals,
    'session-closed',
    'version-conflict',
    'already-paid',
    'idempotency-conflict',
    'checkout-mandate-invalid',
    'checkout-mandate-expired',
    'checkout-mandate-out-of-scope',
    'checkout-mandate-required',
    'profile-url-invalid',
    'profile-unreachable',
    'profile-malformed',
    'protocol-version-unsupported',
    'rate-limited',
    'busy',
    'no-free-amount',
    'out-of-stock',
  ] as const,
  answer: ({ headers, actor, params, body, ip, flow, once, queries: { challengesOfRequest: challengesOf } }) =>
    withoutNotFound(headers, async () =>
      completeSession(
        {
          flow,
          once,
          headers,
          named: await found(flow, actor, params.id),
          challengesOf,
          network: networkMark(flow, ip),
        },
        body,
      ),
    ),
})

const cancel = endpoint({
  ...begun,
  method: 'post',
  path: '/checkout-sessions/:id/cancel',
  summary: 'Cancel a checkout session that is not paid',
  idempotent: true,
  waits: 'before',
  body: z.looseObject({}),
  refusals: [...one.refusals, 'session-closed', 'already-paid', 'idempotency-conflict'],
  answer: ({ headers, actor, params, flow, once, queries: { challengesOfRequest: challengesOf } }) =>
    withoutNotFound(headers, async () => {
      const named = await found(flow, actor, params.id)
      const session = await cancelSession(flow, once, named, challengesOf)
      return shown(flow, { ...named, session }, { ucp: speaksUcp(headers), challengesOf })
    }),
})

const found = async (flow: UseCaseContext, shop: CloudCaller, id: string): Promise<NamedSession> => ({
  sessionId: idOf(id),
  session: await sessionIn(flow, shop, idOf(id)),
})

const idOf = (id: string): string => (isSessionId(id) ? id : refuse('session-not-found'))

const shown = async (flow: UseCaseContext, named: NamedSession, told: SessionRecordOptions) =>
  sessionRecord(flow, named, { ...told, ways: await waysNow(flow, named.session) })

export const sessionEndpoints = [create, read, update, complete, cancel]
