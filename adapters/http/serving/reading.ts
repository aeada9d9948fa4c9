import type { Context } from 'koa'
import { z } from 'zod'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { readForm, readJson, refuseUnstorable } from '../../input/body.ts'
import { quotedText } from '../../input/short-text.ts'
import { PAYMENT_HEADERS } from '../../x402/header.ts'
import type { Endpoint } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'
import { sendsAny } from './admission.ts'
import { byMethod, NO_OPERATION, shareAnswer } from './methods.ts'

/** What a request asks for: which operation of its route, and with what. */
export type OperationRequest = { readonly e: Endpoint; readonly query: Record<string, unknown>; readonly body: object }

/**
 * The operation as far as the URL tells, before the body is read: a body that cannot be taken is refused in the words
 * of this operation. Where a body picks among several, it may be another one later.
 */
export const likelyOperation = (
  ctx: Context,
  operations: readonly Endpoint[],
  surface: Surface,
): Endpoint | undefined => {
  if (operations[0]?.path !== surface.pickedByQuery) return picked(operations, ctx.query, wishesPageOf(ctx, operations))
  const method = ctx.method === 'HEAD' ? 'get' : ctx.method.toLowerCase()
  return pickedBy(operations, ctx.query).find((e) => e.method === method)
}

/**
 * Finds the operation and reads the parameters. The operation is noted in `ctx.state` as soon as it is known, so that a
 * refusal fits it.
 */
export const readOperation = (ctx: Context, operations: readonly Endpoint[], surface: Surface): OperationRequest =>
  operations[0]?.path === surface.pickedByQuery
    ? readByQuery(ctx, operations, surface)
    : readByAll(ctx, operations, surface)

/**
 * Fields of the query and of the body pick alike. An operation that takes a file is picked by the query alone, and
 * reads it by itself.
 */
const readByAll = (ctx: Context, operations: readonly Endpoint[], surface: Surface): OperationRequest => {
  if (operations.some(({ page }) => page === true)) ctx.vary('Accept')
  const query = queryOf(ctx)
  const wishesPage = wishesPageOf(ctx, operations)
  const takesFile = picked(operations, query, wishesPage)?.takes?.upload !== undefined
  const takesArray = operations.some(({ body }) => body instanceof z.ZodArray)
  const reads = wishesPage || operations.some(({ page }) => page === 'always') ? 'form' : surface.reads
  const body = takesFile ? {} : operations[0]?.takes?.raw ? rawOf(ctx) : bodyOf(ctx, [reads], takesArray)
  if (surface.reads === 'form') refuseBoth(query, body)
  const e = picked(operations, { ...query, ...body }, wishesPage) ?? noneOf(ctx, operations, surface)
  ctx.state.endpoint = e
  shareAnswer(ctx, e)
  return { e, query, body }
}

/**
 * The query alone picks; what else stands in it belongs into the body of a POST, and nothing stands in both (A-GEN-01).
 */
const readByQuery = (ctx: Context, operations: readonly Endpoint[], surface: Surface): OperationRequest => {
  const known = pickedBy(operations, ctx.query)
  const e = byMethod(ctx, known.length > 0 ? known : operations)
  if (known.length > 0) {
    ctx.state.endpoint = e
    shareAnswer(ctx, e)
  }
  const query = queryOf(ctx)
  if (known.length === 0) throw new Refusal('route-not-found', NO_OPERATION)
  const stray = Object.keys(query).find((name) => e.when?.[name] === undefined)
  if (stray !== undefined && ctx.method === 'POST' && e.when && !e.query)
    throw new Refusal('invalid-request', `The parameter ${quotedText(stray)} has to be in the body, not in the query.`)
  const body = bodyOf(ctx, [surface.reads, ...(e.takes?.json ? (['json'] as const) : [])])
  refuseBoth(query, body)
  return { e, query, body }
}

/** Refuses a parameter that stands in both places: a reader of only one of them would understand it differently. */
const refuseBoth = (query: Record<string, unknown>, body: object): void => {
  const both = Object.keys(query).find((name) => Object.hasOwn(body, name))
  if (both !== undefined)
    throw new Refusal(
      'invalid-request',
      `The parameter ${quotedText(both)} is in the query and in the body: send it in one of them.`,
    )
}

/** Parameters of one query; above a thousand, Node would leave out the rest and say nothing. */
const PARAMETERS_MAX = 200

const queryOf = (ctx: Context): Record<string, unknown> => {
  if (ctx.querystring.split('&').length > PARAMETERS_MAX)
    throw new Refusal('invalid-request', `The query has to have at most ${PARAMETERS_MAX} parameters.`)
  const query = { ...ctx.query }
  refuseUnstorable(query)
  const twice = Object.keys(query).find((name) => Array.isArray(query[name]))
  if (twice !== undefined)
    throw new Refusal('invalid-request', `The parameter ${quotedText(twice)} stands twice: send it once.`)
  refuseUnstorable(ctx.params)
  return query
}

const picked = (operations: readonly Endpoint[], given: Record<string, unknown>, wishesPage: boolean) =>
  operations.find((each) => (wishesPage || each.page !== true) && matches(each.when, given))

/**
 * Refuses a request that picks no operation. A GET where forms are posted was meant as one of them. Where one field
 * picks, the caller is told what it can say.
 */
const noneOf = (ctx: Context, operations: readonly Endpoint[], surface: Surface): never => {
  const posted = surface.endpoints.filter(({ path, method }) => path === operations[0]?.path && method === 'post')
  if (surface.reads === 'form' && posted.length > 0) byMethod(ctx, posted)
  const choices = surface.reads === 'json' ? choicesOf(operations) : undefined
  if (choices) throw new Refusal('invalid-request', choices)
  throw new Refusal('route-not-found', NO_OPERATION)
}

/** `action: one of train, travel`; undefined where operations are not picked by the words of one field. */
const choicesOf = (operations: readonly Endpoint[]): string | undefined => {
  const [field] = Object.keys(operations[0]?.when ?? {}).filter((name) =>
    operations.every(({ when }) => typeof when?.[name] === 'string'),
  )
  return field && `${field}: has to be one of ${[...new Set(operations.map(({ when }) => when?.[field]))].join(', ')}`
}

/** The operations that parameters pick, one for each method: those that name the most of them. */
export const pickedBy = (operations: readonly Endpoint[], given: Readonly<Record<string, unknown>>): Endpoint[] => {
  const found = operations.filter(({ when }) => matches(when, given))
  return found.filter((e) => found.find(({ method }) => method === e.method) === e)
}

const matches = (when: Endpoint['when'] = {}, given: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(when).every(([name, value]) => (value === true ? given[name] !== undefined : given[name] === value))

const wishesPageOf = (ctx: Context, operations: readonly Endpoint[]): boolean =>
  operations.some(({ page }) => page === true) && isPerson(ctx)

/**
 * Whether a person asks: a browser says that it prefers HTML; a caller who names no preference, or takes anything, is a
 * machine.
 */
const isPerson = (ctx: Context): boolean =>
  ctx.accepts('json', 'html') === 'html' && !sendsAny(ctx, PAYMENT_HEADERS) && ctx.query.agent !== '1'

/** The body as it came; empty when it is of a kind that is not read at all. */
const rawOf = (ctx: Context): object => {
  const text = (ctx.request as { body?: unknown }).body
  return { raw: typeof text === 'string' ? text : '' }
}

const bodyOf = (ctx: Context, reads: readonly Surface['reads'][], takesArray = false): object => {
  const text = (ctx.request as { body?: unknown }).body
  const how = reads.map((each) => mediaTypes[each]).join(' or ')
  if (typeof text !== 'string' || text === '') {
    if (!ctx.request.length) return {}
    const bodiless = ['GET', 'HEAD', 'DELETE'].includes(ctx.method)
    throw new Refusal(
      'invalid-request',
      bodiless ? `${ctx.method} takes no body, so leave it out` : `send the body as ${how}`,
    )
  }
  const sent = reads.find((each) => ctx.is(mediaTypes[each]))
  if (sent === undefined) throw new Refusal('invalid-request', `send the body as ${how}`)
  return sent === 'json' ? readJson(text, takesArray) : readForm(text)
}

const mediaTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' }
