import { z } from 'zod'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import { mayAct } from '../../../../domain/signin/user.ts'
import type { SignInRow } from '../../../postgres/sign-in/sign-ins.ts'
import { cookieName, cookieOf, setCookie } from '../../core/cookies.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { giveBack } from '../../core/limits.ts'
import { networkOf } from '../../core/network-of.ts'
import { secondFactorPage } from '../../pages/people/sign-in.ts'
import { seeOther } from '../../pages/people-page.ts'
import { formOriginsOf } from '../oidc/interactions.ts'
import { deviceOf } from './devices.ts'
import { ask, isAnswered } from './factors/challenges.ts'
import { factorsOf, proofFields, proveFactor } from './factors/factors.ts'
import { userHolder } from './factors/holder.ts'
import { passkeyRequest } from './factors/passkeys.ts'
import { aboutBrowser, ofPeople } from './of-people.ts'
import { type BrowserVisit, signedIn } from './sessions.ts'

/** The second half of signing in with a password, for those who have a second factor. */

const PATH = '/sign-in/confirm'
/** The cookie with the secret that stands for the right password. */
const COOKIE = 'sign-in'
const MINUTES = 10

/** Notes that the password was right, and leads to the second factor. */
export const awaitSecondFactor = async ({ flow, signIn }: BrowserVisit, sub: string, next: string): Promise<Reply> => {
  const { world, origins } = flow
  const secret = world.secret(32)
  const expiresAt = new Date(world.now().getTime() + MINUTES * 60_000)
  await signIn.signIns.await(world.digest(secret), { sub, next, generation: 0 }, expiresAt)
  return seeOther(PATH, [setCookie(COOKIE, secret, origins.auth, MINUTES * 60)])
}

const refusals = [...ofPeople.refusals, 'account-suspended'] as const
const common = { ...ofPeople, path: PATH, auth: 'visitor', headers: aboutBrowser, refusals } as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The page for the second factor',
  async answer(visit) {
    const waiting = await waitingOf(visit)
    return waiting ? await show(visit, waiting) : seeOther('/sign-in')
  },
})

const confirm = endpoint({
  ...common,
  method: 'post',
  summary: 'Signs in with the second factor',
  body: z.object({ ...proofFields, csrf: z.string().max(100).optional() }),
  async answer({ body, ...visit }) {
    const waiting = await waitingOf(visit)
    if (!waiting) return seeOther('/sign-in')
    const { flow, signIn, headers, ip } = visit
    if (!(await isAnswered(visit, body.challenge, askedOf(waiting))))
      return await show(visit, waiting, 'The page was open for too long. Please try again.')
    const device = deviceOf(flow, headers.cookie, waiting.sub)
    const proving = {
      who: userHolder(flow, waiting.sub),
      challenge: body.challenge,
      holder: waiting.hash,
      known: device,
    }
    const amr = await proveFactor(visit, proving, body).catch((error: unknown) => {
      if (isRefusal(error, 'mfa-code-wrong')) return error
      throw error
    })
    if (amr instanceof Error)
      return await show(visit, waiting, amr.detail ?? 'This recovery code is wrong, or was used already.')
    if (!(await signIn.signIns.finish(waiting.hash))) return seeOther('/sign-in')
    if (device === undefined) await giveBack(visit, 'login-address', networkOf(ip))
    const cookies = await signedIn(visit, waiting.sub, ['pwd', ...amr])
    return seeOther(waiting.next, [...cookies, setCookie(COOKIE, '', flow.origins.auth, 0)])
  },
})

export const secondFactorEndpoints = [look, confirm]

type PendingSignIn = SignInRow & { readonly hash: string }

/** The sign-in that waits in this browser; that of somebody who was suspended meanwhile has ended. */
const waitingOf = async ({ flow, signIn, headers }: BrowserVisit): Promise<PendingSignIn | undefined> => {
  const { world, origins, ledger } = flow
  const secret = cookieOf(headers.cookie, cookieName(COOKIE, origins.auth))
  const hash = secret && world.digest(secret)
  const row = hash ? await signIn.signIns.awaited(hash, world.now()) : undefined
  if (!hash || !row?.sub.startsWith('usr_')) return undefined
  return mayAct(await ledger.user.recent(row.sub)) ? { ...row, hash } : undefined
}

const askedOf = ({ hash, sub }: PendingSignIn) => ({ holder: hash, purpose: 'sign-in', subject: sub, terms: '' })

const show = async (visit: BrowserVisit, waiting: PendingSignIn, error?: string): Promise<Reply> => {
  const who = userHolder(visit.flow, waiting.sub)
  const { passkeys, totp } = await factorsOf(who)
  const challenge = await ask(visit, askedOf(waiting))
  const options = passkeys.length > 0 ? await passkeyRequest(who.origin, challenge, passkeys) : undefined
  const formTo = await formOriginsOf(visit, waiting.next)
  return secondFactorPage({
    languages: visit.languages,
    challenge,
    options,
    totp: totp !== null,
    error,
    csrf: visit.actor?.csrf,
    formTo,
  })
}
