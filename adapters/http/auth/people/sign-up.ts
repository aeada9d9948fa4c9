import { z } from 'zod'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import { passwordFault } from '../../../../domain/signin/password-rules.ts'
import { ownerOfLink, verifyUserEmail } from '../../../../domain/use-cases/signin/follow-link.ts'
import { signUpUser } from '../../../../domain/use-cases/signin/register-user.ts'
import { Email } from '../../agent/account/account.ts'
import { cookieName, cookieOf, setCookie } from '../../core/cookies.ts'
import { endpoint } from '../../core/endpoint.ts'
import { evenly } from '../../core/evenly.ts'
import { limit } from '../../core/limits.ts'
import { networkOf } from '../../core/network-of.ts'
import { lookIntoYourMailPage, signUpPage, verifyPage } from '../../pages/people/sign-up.ts'
import { leadingTo, safeNext } from './next.ts'
import { aboutBrowser, ofPeople } from './of-people.ts'
import { afterPassword } from './sign-in.ts'

/** Getting an account (N-59): a form, a letter, and the link in it. */

/**
 * The cookie with the page to which the browser is led once the account is confirmed, because a letter lies in between.
 */
const COOKIE = 'after'
const HOURS = 24

const common = { ...ofPeople, path: '/sign-up', auth: 'visitor' } as const
const csrf = z.string().max(100).optional()
const next = z.string().max(4_096).optional()

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The page for creating an account',
  query: z.object({ next }),
  answer: async ({ query, actor, flow, languages }) =>
    signUpPage({ ...carried(query.next, actor?.csrf, flow.origins.auth), languages }),
})

const signUp = endpoint({
  ...common,
  method: 'post',
  summary: 'Creates an account, or tells the mailbox that there is one; the answer is the same',
  body: z.object({
    next,
    csrf,
    name: z.string().max(100).default(''),
    email: z.string().max(254),
    new_password: z.string().max(1_000),
  }),
  async answer({ body, actor, flow, signIn, ip, languages }) {
    const { email, name, new_password: password } = body
    const errors = {
      email: Email.safeParse(email).success ? undefined : 'This is not an email address.',
      password: passwordFault(password, email),
    }
    if (errors.email !== undefined || errors.password !== undefined)
      return signUpPage({
        ...carried(body.next, actor?.csrf, flow.origins.auth),
        languages,
        values: { name, email },
        errors,
      })
    await limit({ flow, signIn }, 'sign-up', networkOf(ip))
    const profile = name.trim() === '' ? {} : { name: name.trim() }
    await evenly(flow.world, () => signUpUser(flow, { email, password, profile }))
    const after = encodeURIComponent(safeNext(body.next, flow.origins.auth))
    return lookIntoYourMailPage(email, 'sign-up', [setCookie(COOKIE, after, flow.origins.auth, HOURS * 3_600)])
  },
})

const atLink = { ...common, path: '/sign-up/verify', headers: aboutBrowser } as const
const token = z.string().max(200)

const lookAtLink = endpoint({
  ...atLink,
  method: 'get',
  summary: 'The page that the link in the letter leads to; it changes nothing',
  query: z.object({ token }),
  answer: async ({ query, actor }) => verifyPage({ token: query.token, csrf: actor?.csrf }),
})

const verify = endpoint({
  ...atLink,
  method: 'post',
  summary: 'Confirms the address of a new account and signs in',
  body: z.object({ token, csrf, password: z.string().max(1_000) }),
  refusals: [...common.refusals, 'verification-link-invalid'],
  async answer({ body, ...visit }) {
    const { flow, headers, actor, ip } = visit
    await limit(visit, 'login-account', networkOf(ip), ownerOfLink(body.token))
    await limit(visit, 'login-address', networkOf(ip))
    const sub = await verifyUserEmail(flow, body.token, body.password).catch((error: unknown) => {
      if (isRefusal(error, 'credentials-wrong')) return undefined
      throw error
    })
    if (sub === undefined) return verifyPage({ token: body.token, csrf: actor?.csrf, error: WRONG })
    const after = cookieOf(headers.cookie, cookieName(COOKIE, flow.origins.auth))
    return await afterPassword(visit, sub, safeNext(after && decoded(after), flow.origins.auth), undefined)
  },
})

export const signUpEndpoints = [look, signUp, lookAtLink, verify]

const WRONG = 'This is not the password that the account was created with.'

const carried = (wanted: string | undefined, csrf: string | undefined, origin: string) => {
  const safe = safeNext(wanted, origin)
  return { carried: { next: wanted === undefined ? undefined : safe, csrf }, signIn: leadingTo('/sign-in', safe) }
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
