import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import { Refusal, refuse } from '../../../domain/kernel/refusal.ts'

/**
 * What keeps other sites from sending forms in somebody's name: a token in each form, and where the form comes from.
 */

/** The cookies that hold a session's secret: a user's, a member's, and that of a browser where nobody is signed in. */
export const SESSION_COOKIE = 'sid'
export const MEMBER_COOKIE = 'member'
export const GUEST_COOKIE = 'member-form'

/** The token that stands in the forms of a browser's session. */
export const csrfOf = (secret: string): string => createHmac('sha256', secret).update('csrf').digest('base64url')

/** A form that another site sends is not taken (RFC 9700 §4.8; browsers say where a form comes from). */
export const refuseForeign = (ctx: Context, own: string): void => {
  const site = ctx.get('sec-fetch-site')
  const origin = ctx.get('origin')
  const foreign = site !== '' ? site !== 'same-origin' : origin !== '' && origin !== own
  if (foreign)
    throw new Refusal('form-stale', 'This form came from another site. Open its page here, and send it from there.')
}

/** Refuses `form-stale` for a form without the token of the browser's session. */
export const refuseStale = (body: object, csrf: string): void => {
  const sent = (body as { csrf?: unknown }).csrf
  if (!sameText(typeof sent === 'string' ? sent : '', csrf))
    refuse('form-stale', 'This form is no longer valid. Please open the page again.')
}

const sameText = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
