import { z } from 'zod'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { cookieName, cookieOf, setCookie } from '../core/cookies.ts'
import { Reply } from '../core/endpoint.ts'

/**
 * Tells the browsers at a payment page apart, by a cookie of the page's own that lives as long as the browser: two
 * people behind one address get a challenge each, and whoever comes back finds their own (N-21). It names nobody, and
 * nothing is stored by it.
 */

const COOKIE = 'buyer'
const NAME = /^v_[a-z2-7]{26}$/

export const BrowserHeaders = z.object({ cookie: z.string().optional() })
type CookieHeaders = z.output<typeof BrowserHeaders>

/** The name of a browser that was here before; undefined on its first visit, and where it keeps no cookies. */
export const knownBrowser = ({ origins }: UseCaseContext, { cookie }: CookieHeaders): string | undefined => {
  const value = cookieOf(cookie, cookieName(COOKIE, origins.pay))
  return value !== undefined && NAME.test(value) ? value : undefined
}

/** The name of the browser from now on, and the cookie that keeps it. */
export const browserOf = (flow: UseCaseContext, sent: CookieHeaders): { name: string; cookies: readonly string[] } => {
  const known = knownBrowser(flow, sent)
  if (known !== undefined) return { name: known, cookies: [] }
  const name = flow.world.id('v')
  return { name, cookies: [setCookie(COOKIE, name, flow.origins.pay)] }
}

export const withCookies = ({ status, body, headers }: Reply, cookies: readonly string[]): Reply =>
  new Reply(status, body, cookies.length > 0 ? { ...headers, 'Set-Cookie': [...cookies] } : headers)
