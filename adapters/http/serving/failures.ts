import type { Context, Next } from 'koa'
import type { Logger } from 'pino'
import { StreamCut } from '../../../domain/audit/stream-cut.ts'
import { OutcomeUnknown } from '../../../domain/kernel/ports.ts'
import { UnreadableEvent } from '../../../domain/kernel/recorded-event.ts'
import { Refusal, type RefusalCode } from '../../../domain/kernel/refusal.ts'
import { sentenceOf } from '../../../domain/kernel/refusals/refusal-words.ts'
import { MESSAGE_MAX_BYTES, withinBytes } from '../../input/short-text.ts'
import { within } from '../../timing/time-limit.ts'
import type { Endpoint } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'
import { failurePage } from '../pages/buyer/failure.ts'
import { pageHeaders } from '../pages/message.ts'
import { shareAnswer } from './methods.ts'

/** Seconds after which a refused caller may try again, where what is in the way is over in a moment. */
const RETRY_AFTER_S = 1
const PASSES_SOON: ReadonlySet<RefusalCode> = new Set(['busy', 'unavailable'])

/**
 * Milliseconds after which a call is told that there is no answer. Most callers give up after 30 s, and would then know
 * nothing.
 */
const ANSWER_LIMIT_MS = 25_000

/**
 * Turns everything that goes wrong into the error body of the surface it happened on; only the unforeseen is logged as
 * an error.
 */
export const failures =
  (log: Logger, surfaceOf: (path: string) => Surface, limitMs = ANSWER_LIMIT_MS) =>
  async (ctx: Context, next: Next): Promise<void> => {
    try {
      // What the call has begun goes on; only its answer comes too late.
      await within(limitMs, next(), () => new Refusal('unavailable', NO_ANSWER))
      if (ctx.body === undefined || ctx.body === null)
        throw new Refusal(ctx.status === 405 || ctx.status === 501 ? 'method-not-allowed' : 'route-not-found')
    } catch (error) {
      const surface = (ctx.state.surface as Surface | undefined) ?? surfaceOf(ctx.path)
      const refusal = shortened(asRefusal(error))
      const [status, code] = surface.wire[refusal.code]
      ctx.state.refusal = refusal.code
      // `no-free-amount` is no fault of ours, and a flood would fill the log with it.
      if (status >= 500 && refusal.code !== 'no-free-amount')
        log.error({ err: error, requestId: ctx.state.requestId }, 'request failed')
      ctx.status = status
      const waitS = refusal.retryAfterS ?? (PASSES_SOON.has(refusal.code) ? RETRY_AFTER_S : undefined)
      if (waitS !== undefined && (status === 429 || status === 503)) ctx.set('Retry-After', String(waitS))
      ctx.set('Cache-Control', 'no-store')
      ctx.set(surface.refusalHeaders?.(ctx, refusal) ?? {})
      const endpoint = ctx.state.endpoint as Endpoint | undefined
      // A body that cannot be read is refused before it is known for sure which operation is asked for.
      if (endpoint) shareAnswer(ctx, endpoint)
      if (endpoint?.auth === 'member' || endpoint?.auth === 'guest') await atDashboard(ctx, endpoint, refusal, status)
      else if (endpoint?.page) await onPage(ctx, surface, refusal, status)
      else ctx.body = failureOf(ctx, surface)(code, sentenceOf(refusal), refusal.facts)
    }
  }

/** Cuts the message of a refusal: it may repeat what was sent, however long that was. */
const shortened = (refusal: Refusal): Refusal => {
  const { detail = '' } = refusal
  const short = withinBytes(detail, MESSAGE_MAX_BYTES)
  return short === detail ? refusal : refusal.worded(short)
}

const failureOf = (ctx: Context, surface: Surface): Surface['failure'] =>
  (ctx.state.endpoint as Endpoint | undefined)?.failure ?? surface.failure

/**
 * Answers a refusal with a page. A person who has to sign in first is led there and back: every form is sent to the
 * address of its own page, so that it can be opened again.
 */
const onPage = async (ctx: Context, { name }: Surface, refusal: Refusal, status: number): Promise<void> => {
  ctx.set(pageHeaders)
  if (name !== 'auth') {
    ctx.vary('Accept-Language')
    ctx.body = failurePage(status, ctx.get('accept-language'), refusal.retryAfterS)
  } else if (refusal.code === 'sign-in-needed') {
    ctx.status = 303
    ctx.set('Location', `/sign-in?next=${encodeURIComponent(ctx.url)}`)
    ctx.body = ''
  } else ctx.body = (await import('../pages/people/failure.ts')).peopleFailurePage(refusal, status)
}

/** The same at the dashboard; who has to prove the second factor anew is led there and back, too. */
const atDashboard = async (ctx: Context, { page }: Endpoint, refusal: Refusal, status: number): Promise<void> => {
  ctx.set(pageHeaders)
  const way = page && DASHBOARD_WAYS[refusal.code]
  if (way === undefined) {
    const { dashboardFailurePage } = await import('../pages/dashboard/failure.ts')
    ctx.body = dashboardFailurePage(refusal, status, ctx.get('accept-language'))
  } else {
    ctx.status = 303
    ctx.set('Location', `${way}?next=${encodeURIComponent(ctx.url)}`)
    ctx.body = ''
  }
}

const DASHBOARD_WAYS: { readonly [C in RefusalCode]?: string } = {
  'sign-in-needed': '/dashboard/sign-in',
  'mfa-needed': '/dashboard/confirm',
  'mfa-missing': '/dashboard/security/enrol',
}

const NO_ANSWER = 'The ledger did not answer in time. Ask for the state before you try again.'

/** The stream's name is the operator's affair: it is in the log and at `/readyz`. */
const CUT =
  'A part of the ledger that this call rests on cannot be read whole, so nothing was decided. Try again later: the operator was told.'

const UNREADABLE =
  'A part of the ledger that this call rests on holds an event that cannot be read, so nothing was decided. Try again later: the operator was told.'

const asRefusal = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  if (error instanceof OutcomeUnknown) return new Refusal('unavailable', NO_ANSWER)
  if (error instanceof StreamCut) return new Refusal('stream-cut', CUT)
  if (error instanceof UnreadableEvent) return new Refusal('event-unreadable', UNREADABLE)
  const { status, type, code } = error as { status?: number; type?: string; code?: string }
  if (status === 413 || type === 'entity.too.large')
    return new Refusal('body-too-large', 'The body is larger than this call takes. Send less, or in several calls.')
  if (UNREACHABLE.test(code ?? ''))
    return new Refusal(
      'unavailable',
      'The service cannot look that up right now. Ask for the state before you try again.',
    )
  if (BROKEN_ENCODING.test(code ?? ''))
    return new Refusal('invalid-request', 'The body has to be encoded as Content-Encoding says.')
  if (status !== undefined && status >= 400 && status < 500)
    return new Refusal(
      'invalid-request',
      'The request has to be HTTP that this service reads: its path or a header is malformed.',
    )
  return new Refusal('internal')
}

/**
 * Codes which say that PostgreSQL is gone or lets nobody in: the words of its client, and SQLSTATE classes. What the
 * call wrote before may stand.
 */
const UNREACHABLE = /^(CONNECT|E(CONNREFUSED|CONNRESET|TIMEDOUT|NOTFOUND|PIPE)$|08|57P0|3D000|53300)/

/** What zlib and brotli say of a compressed body that is broken or ends early. */
const BROKEN_ENCODING = /^(Z_(DATA|BUF|NEED)|ERR__ERROR_FORMAT)/
