import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Interaction } from '../../../postgres/sign-in/interactions.ts'
import type { SignInRows } from '../../../postgres/sign-in/rows.ts'
import { cookieName, cookieOf, setCookie } from '../../core/cookies.ts'
import { Reply } from '../../core/endpoint.ts'

/**
 * A request of an app waits while its user signs in or agrees. It goes on only in the browser in which it was begun: a
 * link to it is of no use to anybody else.
 */

type Parts = {
  readonly flow: Pick<UseCaseContext, 'world' | 'origins'>
  readonly signIn: SignInRows
  readonly headers: { readonly cookie: string }
}

/** A waiting request; `cookies` go with the answer that leads away. */
export type Begun = { readonly id: string; readonly cookies: readonly string[] }

export const resumePath = '/oauth2/resume'

/**
 * The cookie that binds what waits to this browser; one for all that waits there, so that many tabs do not fill it with
 * cookies.
 */
const COOKIE = 'interaction'
const SECRET = /^[0-9a-f]{64}$/

export const beginInteraction = async (
  { flow: { world, origins }, signIn, headers }: Parts,
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<Begun> => {
  const id = world.id('int')
  const known = secretIn(headers, origins.auth)
  const secret = known ?? world.secret(32)
  const request = Object.fromEntries(Object.entries(parameters).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])))
  await signIn.interactions.begin(id, world.digest(secret), request, world.now())
  return { id, cookies: known === undefined ? [setCookie(COOKIE, secret, origins.auth)] : [] }
}

/** Refuses `invalid-request` when it was begun in another browser, was ended, or is too old. */
export const interactionOf = async (
  { flow: { world, origins }, signIn, headers }: Parts,
  id: string,
): Promise<Interaction> => {
  const secret = secretIn(headers, origins.auth)
  const found = secret && (await signIn.interactions.find(id, world.digest(secret), world.now()))
  return (
    found ||
    refuse(
      'invalid-request',
      'This sign-in was begun in another browser, has ended, or is too old. Go back to the app and begin again.',
    )
  )
}

const secretIn = ({ cookie }: Parts['headers'], origin: string): string | undefined => {
  const value = cookieOf(cookie, cookieName(COOKIE, origin))
  return value !== undefined && SECRET.test(value) ? value : undefined
}

/** Leads to the sign-in page, and back here afterwards. `again`: a user who is signed in proves it once more. */
export const leadToSignIn = (
  { id, cookies }: Begun,
  { again, hint }: { again: boolean; hint?: string | undefined },
): Reply =>
  new Reply(302, '', {
    Location: signInPath(id, again, hint),
    'Cache-Control': 'no-store',
    ...(cookies.length > 0 && { 'Set-Cookie': [...cookies] }),
  })

export const signInPath = (id: string, again: boolean, hint?: string): string => {
  const next = `${resumePath}?interaction=${id}`
  return `/sign-in?${new URLSearchParams({ next, ...(again && { again: '1' }), ...(hint !== undefined && { hint }) })}`
}

/**
 * The origins where the pages on the way to an app end; forms on them have to name these, because browsers block the
 * way there otherwise.
 */
export const formOriginsOf = async ({ signIn }: Pick<Parts, 'signIn'>, next: string): Promise<readonly string[]> => {
  const url = URL.parse(next, 'http://own')
  const id = url?.pathname === resumePath ? url.searchParams.get('interaction') : null
  const asked = id === null ? undefined : await signIn.interactions.request(id)
  const origin = URL.parse(asked?.redirect_uri ?? '')?.origin
  return origin === undefined ? [] : [origin]
}
