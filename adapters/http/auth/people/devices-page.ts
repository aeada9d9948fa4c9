import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { sessionsPage } from '../../pages/people/account.ts'
import { accountPage } from '../../pages/people/account-frame.ts'
import { peopleLocale } from '../../pages/people/messages/people-locale.ts'
import { seeOther } from '../../pages/people-page.ts'
import { endAllSessions, endSession } from '../oidc/end-sessions.ts'
import { ofPeople } from './of-people.ts'
import { forgetSession } from './sessions.ts'

/** The sessions in which a user is signed in; each can be ended, and the apps that it was used for are told. */

const common = { ...ofPeople, path: '/account/sessions', auth: 'person' } as const
const csrf = z.string().max(100)

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'Where the user is signed in',
  async answer({ flow, signIn, actor }) {
    const sessions = await signIn.sessions.ofUser(actor.sub, flow.world.now())
    return sessionsPage({
      locale: peopleLocale(actor.languages),
      csrf: actor.csrf,
      at: common.path,
      frame: (page) => accountPage({ ...page, csrf: actor.csrf, at: common.path }),
      sessions: sessions.map((session) => ({ ...session, isThis: session.sid === actor.sid })),
    })
  },
})

const end = endpoint({
  ...common,
  method: 'post',
  when: { act: 'end' },
  summary: 'Ends one session of the user',
  body: z.object({ csrf, sid: z.string().max(64) }),
  async answer({ body, flow, signIn, actor }) {
    if (body.sid === actor.sid) {
      await endSession({ flow, signIn }, actor.sid)
      return seeOther('/sign-out', [forgetSession(flow)])
    }
    const own = await signIn.sessions.ofUser(actor.sub, flow.world.now())
    if (own.some(({ sid }) => sid === body.sid)) await endSession({ flow, signIn }, body.sid)
    return seeOther(common.path)
  },
})

const endOthers = endpoint({
  ...common,
  method: 'post',
  when: { act: 'end-others' },
  summary: 'Ends every other session of the user',
  body: z.object({ csrf }),
  async answer({ flow, signIn, actor }) {
    await endAllSessions({ flow, signIn }, actor.sub, actor.sid)
    return seeOther(common.path)
  },
})

export const deviceEndpoints = [look, end, endOthers]
