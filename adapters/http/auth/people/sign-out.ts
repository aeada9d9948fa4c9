import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { signedOutPage, signOutPage } from '../../pages/people/sign-in.ts'
import { seeOther } from '../../pages/people-page.ts'
import { endSession, firstAttempts } from '../oidc/end-sessions.ts'
import { ofPeople } from './of-people.ts'
import { forgetSession } from './sessions.ts'

const common = { ...ofPeople, path: '/sign-out', auth: 'visitor' } as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The page for signing out',
  answer: async ({ actor, languages }) => (actor ? signOutPage(languages, actor.csrf) : signedOutPage(languages)),
})

const signOut = endpoint({
  ...common,
  method: 'post',
  summary: 'Ends the session; the apps that it was used for are told',
  body: z.object({ csrf: z.string().max(100).optional() }),
  async answer({ actor, ...ending }) {
    if (actor) await firstAttempts(ending, await endSession(ending, actor.sid))
    return seeOther('/sign-out', [forgetSession(ending.flow)])
  },
})

export const signOutEndpoints = [look, signOut]
