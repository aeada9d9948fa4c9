import { z } from 'zod'
import { forgetMemberSession } from '../auth/people/sessions.ts'
import { endpoint } from '../core/endpoint.ts'
import { forgotPage, MEMBER_PATHS } from '../pages/dashboard/sign-in.ts'
import { signedOutPage, signOutPage } from '../pages/people/sign-in.ts'
import { seeOther } from '../pages/people-page.ts'
import { cookiesOf, csrf, ofGuests } from './of-dashboard.ts'

/** Signing out, and the way back for somebody who does not know the password. */

const common = { ...ofGuests, path: MEMBER_PATHS.signOut } as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The page for signing out of the dashboard',
  answer: async ({ actor }) =>
    actor.kind === 'member'
      ? signOutPage(actor.languages, actor.csrf, MEMBER_PATHS)
      : signedOutPage(actor.languages, MEMBER_PATHS, actor.cookies),
})

const signOut = endpoint({
  ...common,
  method: 'post',
  summary: 'Ends the session of a member',
  body: z.object({ csrf }),
  async answer({ actor, flow, signIn }) {
    if (actor.kind === 'member') await signIn.memberSessions.end(actor.sid)
    return seeOther(MEMBER_PATHS.signOut, [forgetMemberSession(flow)])
  },
})

const forgot = endpoint({
  ...ofGuests,
  path: '/dashboard/forgot',
  method: 'get',
  summary: 'What a seller can do who does not know the password',
  answer: async ({ actor, flow }) => forgotPage(actor.languages, flow.origins.base, cookiesOf(actor)),
})

export const signOutEndpoints = [look, signOut, forgot]
