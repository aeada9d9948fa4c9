import { z } from 'zod'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import { userByEmail, userByPassword } from '../../../../domain/use-cases/signin/check-password.ts'
import { sendUserLink } from '../../../../domain/use-cases/signin/user-link.ts'
import { suspensionOf } from '../../../../domain/use-cases/suspended-user.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { giveBack, limit } from '../../core/limits.ts'
import { networkOf } from '../../core/network-of.ts'
import { signInPage, suspendedPage, unverifiedPage } from '../../pages/people/sign-in.ts'
import { seeOther } from '../../pages/people-page.ts'
import { formOriginsOf } from '../oidc/interactions.ts'
import { deviceOf } from './devices.ts'
import { ask, isAnswered } from './factors/challenges.ts'
import { factorsOf, proofFields } from './factors/factors.ts'
import { userHolder } from './factors/holder.ts'
import { checkPasskey, passkeyRequest } from './factors/passkeys.ts'
import { leadingTo, safeNext } from './next.ts'
import { aboutBrowser, ofPeople } from './of-people.ts'
import { awaitSecondFactor } from './second-factor.ts'
import { type BrowserVisit, signedIn } from './sessions.ts'

/**
 * Signing in (N-59): by password, with a second factor where there is one, or by a passkey alone (A-OID-07, A-OID-08).
 */

const refusals = [...ofPeople.refusals, 'account-suspended'] as const
const common = { ...ofPeople, path: '/sign-in', auth: 'visitor', headers: aboutBrowser, refusals } as const

const wish = {
  next: z.string().max(4_096).optional(),
  /** Users have to prove who they are again, also when they are signed in. */
  again: z.literal('1').optional(),
}
const email = z.string().max(254)

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The page for signing in',
  query: z.object({ ...wish, hint: email.optional() }),
  async answer({ query, ...visit }) {
    const { actor, flow } = visit
    if (actor && query.again === undefined) return seeOther(safeNext(query.next, flow.origins.auth))
    return await show(visit, query, { email: query.hint })
  },
})

const byPassword = endpoint({
  ...common,
  method: 'post',
  summary: 'Signs in with an email address and a password',
  body: z.object({ ...wish, email, password: z.string().max(1_000) }),
  async answer({ body, ...visit }) {
    const { flow } = visit
    const device = await tryTaken(visit, body.email)
    const found = await userByPassword(flow, body.email, body.password)
    if (!found) return await show(visit, body, { email: body.email, error: WRONG })
    if (found.user.suspended) return suspendedPage(visit.languages, found.user.suspended.reason, 'suspendedUserText')
    if (found.user.status !== 'verified') {
      await sendUserLink(flow, found, 'verify-email')
      return unverifiedPage(visit.languages, body.email)
    }
    return await afterPassword(visit, found.sub, safeNext(body.next, flow.origins.auth), device)
  },
})

const byPasskey = endpoint({
  ...common,
  method: 'post',
  when: { passkey: true },
  summary: 'Signs in with a passkey, which says itself whose it is',
  body: z.object({ ...wish, challenge: proofFields.challenge, passkey: proofFields.passkey }),
  async answer({ body, ...visit }) {
    await limit(visit, 'login-address', networkOf(visit.ip))
    const proven = await passkeyChecked(visit, body)
    if (!proven) return await show(visit, body, { error: 'The passkey was not accepted. Please try again.' })
    const reason = await suspensionOf(visit.flow, proven.sub)
    if (reason !== undefined) return suspendedPage(visit.languages, reason, 'suspendedUserText')
    await giveBack(visit, 'login-address', networkOf(visit.ip))
    const cookies = await signedIn(visit, proven.sub, proven.amr)
    return seeOther(safeNext(body.next, visit.flow.origins.auth), cookies)
  },
})

export const signInEndpoints = [look, byPassword, byPasskey]

/**
 * The password was right: signs in, or asks for the second factor first. `device` is known when the tries were counted
 * for it.
 */
export const afterPassword = async (
  visit: BrowserVisit,
  sub: string,
  next: string,
  device: string | undefined,
): Promise<Reply> => {
  const { enrolled } = await factorsOf(userHolder(visit.flow, sub))
  if (enrolled) return await awaitSecondFactor(visit, sub, next)
  if (device === undefined) await giveBack(visit, 'login-address', networkOf(visit.ip))
  return seeOther(next, await signedIn(visit, sub, ['pwd']))
}

const WRONG = 'The email address or the password is wrong.'

type Wish = { readonly next?: string | undefined; readonly again?: '1' | undefined }

/** The question that a visitor is asked, who is nobody yet. */
const VISITOR = { holder: '', purpose: 'sign-in', subject: '', terms: '' } as const

const show = async (
  visit: BrowserVisit,
  { next, again }: Wish,
  shown: { email?: string | undefined; error?: string },
): Promise<Reply> => {
  const challenge = await ask(visit, VISITOR)
  const safe = safeNext(next, visit.flow.origins.auth)
  return signInPage({
    languages: visit.languages,
    ...shown,
    ...(shown.error !== undefined && { status: 422 }),
    carried: { next, again, csrf: visit.actor?.csrf },
    formTo: await formOriginsOf(visit, safe),
    again: again !== undefined && visit.actor !== undefined,
    challenge,
    options: await passkeyRequest(visit.flow.origins.auth, challenge),
    links: { signUp: leadingTo('/sign-up', safe), forgot: leadingTo('/sign-in/forgot', safe) },
  })
}

/**
 * A browser in which the account has been used before has tries of its own; others share those of their address.
 * @returns the name of that browser; undefined for any other
 */
const tryTaken = async (visit: BrowserVisit, email: string): Promise<string | undefined> => {
  const { flow, headers, ip } = visit
  const holder = await userByEmail(flow, email)
  const device = holder && deviceOf(flow, headers.cookie, holder.sub)
  if (device !== undefined) await limit(visit, 'login-device', device)
  else {
    await limit(visit, 'login-account', networkOf(ip), email.normalize('NFKC').toLowerCase())
    await limit(visit, 'login-address', networkOf(ip))
  }
  return device
}

const passkeyChecked = async (visit: BrowserVisit, { challenge, passkey }: { challenge: string; passkey: string }) => {
  if (!(await isAnswered(visit, challenge, VISITOR))) return undefined
  try {
    const proven = await checkPasskey(visit, passkey, challenge, (sub) => userHolder(visit.flow, sub))
    const user = await visit.flow.ledger.user.recent(proven.sub)
    return user.status === 'verified' ? proven : undefined
  } catch (error) {
    if (isRefusal(error, 'mfa-code-wrong')) return undefined
    throw error
  }
}
