import { z } from 'zod'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import { ownerOfLink, resetUserPassword } from '../../../../domain/use-cases/signin/follow-link.ts'
import { forgotPassword } from '../../../../domain/use-cases/signin/user-link.ts'
import { Email } from '../../agent/account/account.ts'
import { endpoint } from '../../core/endpoint.ts'
import { evenly } from '../../core/evenly.ts'
import { limit } from '../../core/limits.ts'
import { networkOf } from '../../core/network-of.ts'
import { forgotPage, lookIntoYourMailPage, passwordSetPage, resetPage } from '../../pages/people/sign-up.ts'
import { endAllSessions, firstAttempts } from '../oidc/end-sessions.ts'
import { ofPeople } from './of-people.ts'
import { forgetSession } from './sessions.ts'

/**
 * A new password for somebody who has forgotten theirs, or whose password others know. It takes a letter, and every
 * session ends.
 */

const common = { ...ofPeople, auth: 'visitor' } as const
const csrf = z.string().max(100).optional()
const token = z.string().max(200)

const askFor = endpoint({
  ...common,
  path: '/sign-in/forgot',
  method: 'get',
  summary: 'The page that asks for a letter with a link for a new password',
  query: z.object({ next: z.string().max(4_096).optional() }),
  answer: async ({ actor }) => forgotPage({ carried: { csrf: actor?.csrf } }),
})

const send = endpoint({
  ...common,
  path: '/sign-in/forgot',
  method: 'post',
  summary: 'Sends the letter if there is such an account; the answer is the same',
  body: z.object({ csrf, email: z.string().max(254) }),
  async answer({ body, flow, signIn, actor, ip }) {
    if (!Email.safeParse(body.email).success)
      return forgotPage({ carried: { csrf: actor?.csrf }, error: 'This is not an email address.' })
    await limit({ flow, signIn }, 'mail', networkOf(ip))
    await evenly(flow.world, () => forgotPassword(flow, body.email))
    return lookIntoYourMailPage(body.email, 'forgot')
  },
})

const look = endpoint({
  ...common,
  path: '/sign-in/reset',
  method: 'get',
  summary: 'The page that the link in the letter leads to; it changes nothing',
  query: z.object({ token }),
  answer: async ({ query, actor }) => resetPage({ token: query.token, csrf: actor?.csrf }),
})

const reset = endpoint({
  ...common,
  path: '/sign-in/reset',
  method: 'post',
  summary: 'Sets the new password and ends every session; the apps are told',
  body: z.object({ token, csrf, new_password: z.string().max(1_000) }),
  refusals: [...common.refusals, 'verification-link-invalid'],
  async answer({ body, flow, signIn, actor }) {
    const sub = ownerOfLink(body.token)
    try {
      await resetUserPassword(flow, body.token, body.new_password)
    } catch (error) {
      if (!isRefusal(error, 'invalid-request')) throw error
      return resetPage({ token: body.token, csrf: actor?.csrf, error: error.detail ?? 'Choose another one.' })
    }
    await signIn.signIns.giveUpAll(sub)
    await firstAttempts({ flow, signIn }, await endAllSessions({ flow, signIn }, sub))
    return passwordSetPage([forgetSession(flow)])
  },
})

export const newPasswordEndpoints = [askFor, send, look, reset]
