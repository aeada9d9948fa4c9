import type Router from '@koa/router'
import type { Context } from 'koa'
import type { z } from 'zod'
import type { Outside } from '../../domain/flows/flow.ts'
import { onceOf } from '../../domain/flows/once.ts'
import { noteSandboxKeyUse } from '../../domain/flows/sandbox-keys.ts'
import type { OpenLedger } from '../../domain/ledger.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Queries } from '../../projections/index.ts'
import type { SignInRows } from '../postgres/sign-in/rows.ts'
import { PAYMENT_HEADERS } from '../x402/header.ts'
import { admitted, admittedToSignIn, type Limits, sendsAny } from './admission.ts'
import type { SignInCaller } from './auth/caller.ts'
import { readForm, readJson, refuseUnstorable } from './body.ts'
import { type Endpoint, Reply, type SignInAuth } from './endpoint.ts'
import { keyedBy } from './idempotency.ts'
import type { Surface } from './surface.ts'

export type Service = {
  readonly openLedger: OpenLedger
  readonly outside: Outside
  readonly queries: Queries
  readonly limits: Limits
  readonly signIn: SignInRows
  /** Resolves once everything that this process knows of can be read, or the wait is up. */
  current(): Promise<void>
  /** Resolves once what was written up to a log position can be read, or the wait is up. */
  settled(position: bigint): Promise<void>
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal
}

/** Puts every endpoint of a surface on the router: match, authenticate, allow, validate, answer, and wait until its own writes show. */
export const mount = (router: Router, surface: Surface, service: Service): void => {
  for (const operations of byRoute(surface.endpoints))
    router.register(operations[0].path, [operations[0].method.toUpperCase()], async (ctx: Context) => {
      ctx.state.surface = surface
      await answer(ctx, operations, surface, service)
    })
}

const answer = async (ctx: Context, operations: readonly Endpoint[], surface: Surface, service: Service) => {
  const query = { ...ctx.query }
  refuseUnstorable(query)
  const twice = Object.keys(query).find((name) => Array.isArray(query[name]))
  if (twice !== undefined) throw new Refusal('invalid-request', `the parameter ${JSON.stringify(twice)} stands twice`)
  refuseUnstorable(ctx.params)
  const hasPages = operations.some(({ page }) => page === true)
  if (hasPages) ctx.vary('Accept')
  const wishesPage = hasPages && isPerson(ctx)
  const body = bodyOf(ctx, wishesPage ? 'form' : surface.reads)
  const e = operations.find((each) => (wishesPage || each.page !== true) && matches(each.when, { ...query, ...body }))
  if (!e) throw new Refusal('route-not-found', 'No such operation.')
  ctx.state.endpoint = e
  if (e.acts && (ctx.method === 'HEAD' || /prefetch/.test(`${ctx.get('purpose')} ${ctx.get('sec-purpose')}`))) {
    ctx.set('Allow', e.method.toUpperCase())
    throw new Refusal('method-not-allowed', 'This link is followed with a plain GET.')
  }
  const key = isSignIn(e) ? undefined : await admitted(ctx, e, credential(ctx, surface, body), service)
  const caller = isSignIn(e) ? await signedIn(ctx, e, body, service) : undefined
  // A merchant reads what an earlier call wrote, also when that call's own wait was up before it showed.
  if ((key ?? caller) && !e.ledgerOnly) await service.current()
  const once = onceOf(service.outside, key && e.idempotent && keyedBy(ctx.headers, key, e, body))
  const given = {
    params: valid(e.params, ctx.params),
    query: valid(e.query, query),
    body: valid(e.body, body),
    headers: valid(e.headers, ctx.headers),
  }
  const cause = { actor: key?.accountId ?? nameOf(caller) ?? 'public', correlationId: ctx.state.requestId as string }
  const session = service.openLedger(cause)
  const flow = { ...service.outside, ledger: session.ledger }
  const shows = () => service.settled(session.position())
  try {
    const who = { actor: (key ?? caller) as never, ip: ctx.ip, caller: `${ctx.ip} ${ctx.get('x-forwarded-for')}` }
    const { queries, signIn, stopping } = service
    const answered = await e.answer({ ...given, ...who, flow, queries, signIn, once, shows, stopping })
    if (once.replayed()) ctx.set('Idempotency-Replayed', 'true')
    if (key?.testOnly) await noted(noteSandboxKeyUse(flow, key.accountId, key.keyId))
    send(ctx, answered, surface)
  } finally {
    if (!e.showsLater) await shows()
  }
}

const isSignIn = ({ auth }: Endpoint): boolean => SIGN_IN.includes(auth)
const SIGN_IN: readonly string[] = ['client', 'bearer', 'person', 'visitor'] satisfies readonly SignInAuth[]

const signedIn = (ctx: Context, e: Endpoint, body: object, { openLedger, outside, signIn, limits }: Service) => {
  const { ledger } = openLedger({ actor: 'admission', correlationId: ctx.state.requestId as string })
  return admittedToSignIn(ctx, e, body, { outside, rows: signIn, ledger, limits })
}

const nameOf = (caller: SignInCaller | undefined): string | undefined =>
  caller?.kind === 'app' ? caller.clientId : caller?.sub

/** A call that was answered is not taken back because its use could not be written down, or its key was revoked meanwhile. */
const noted = (noting: Promise<void>): Promise<void> => noting.catch(() => {})

const send = (ctx: Context, answered: unknown, surface: Surface) => {
  if (answered instanceof Reply) {
    ctx.status = answered.status
    ctx.set(answered.headers)
    ctx.body = answered.body
  } else ctx.body = surface.success(answered as object)
}

/** A browser, by what it says it would rather read; who names nothing, or anything at all, is a machine. */
const isPerson = (ctx: Context): boolean =>
  ctx.accepts('json', 'html') === 'html' && !sendsAny(ctx, PAYMENT_HEADERS) && ctx.query.agent !== '1'

const bodyOf = (ctx: Context, reads: Surface['reads']): object => {
  const text = (ctx.request as { body?: unknown }).body
  if (typeof text !== 'string' || text === '') {
    if (!ctx.request.length) return {}
    const bodiless = ['GET', 'HEAD', 'DELETE'].includes(ctx.method)
    const how = bodiless ? `${ctx.method} takes no body` : `send the body as ${mediaTypes[reads]}`
    throw new Refusal('invalid-request', how)
  }
  if (!ctx.is(mediaTypes[reads])) throw new Refusal('invalid-request', `send the body as ${mediaTypes[reads]}`)
  return reads === 'json' ? readJson(text) : readForm(text)
}

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' }

/** The header wins over the form field that document 3 also accepts. */
const credential = (ctx: Context, surface: Surface, body: object): string => {
  const field = surface.reads === 'form' ? (body as Record<string, unknown>)['api-key'] : undefined
  return ctx.get('x-api-key') || (typeof field === 'string' ? field : '')
}

const valid = (schema: z.ZodType | undefined, value: unknown): unknown => {
  if (!schema) return value
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.') || 'the request'}: ${message}`)
  throw new Refusal('invalid-request', issues.join('; '))
}

/** Operations that share a method and path, the most specific first. */
export const byRoute = (endpoints: readonly Endpoint[]): [Endpoint, ...Endpoint[]][] => {
  const routes = new Map<string, [Endpoint, ...Endpoint[]]>()
  for (const e of endpoints.toSorted((a, b) => specificity(b) - specificity(a))) {
    const key = `${e.method} ${e.path}`
    const found = routes.get(key)
    if (found) found.push(e)
    else routes.set(key, [e])
  }
  return [...routes.values()]
}

/** Pages come first: who may have one wishes for it. */
const specificity = ({ when = {}, page }: Endpoint) => Object.keys(when).length + (page ? PAGE_FIRST : 0)
const PAGE_FIRST = 100

const matches = (when: Endpoint['when'] = {}, given: Record<string, unknown>) =>
  Object.entries(when).every(([name, value]) => (value === true ? given[name] !== undefined : given[name] === value))
