import { z } from 'zod'
import type { Profile } from '../../../../domain/use-cases/signin/register-user.ts'
import { endpoint } from '../../core/endpoint.ts'
import { profilePage } from '../../pages/people/account.ts'
import { peopleLocale } from '../../pages/people/messages/people-locale.ts'
import { seeOther } from '../../pages/people-page.ts'
import { ofPeople } from './of-people.ts'
import { userOf } from './security.ts'

/** What apps may learn of a user with the scope `profile`; the user says it, or not. */

const common = { ...ofPeople, path: '/account', auth: 'person' } as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The profile of the user',
  query: z.object({ done: z.string().max(20).optional() }),
  async answer({ query, flow, actor }) {
    const profile = await flow.vault.open((await userOf(flow, actor.sub)).profile)
    return profilePage({
      locale: peopleLocale(actor.languages),
      csrf: actor.csrf,
      profile: profile === undefined ? {} : (JSON.parse(profile) as Profile),
      isSaved: query.done === '1',
    })
  },
})

const save = endpoint({
  ...common,
  method: 'post',
  summary: 'Saves the profile',
  body: z.object({
    csrf: z.string().max(100),
    name: z.string().max(100).default(''),
    preferred_username: z.string().max(100).default(''),
    picture: z.string().max(1_000).default(''),
    locale: z.string().max(35).default(''),
  }),
  async answer({ body, flow, actor }) {
    const profile = filled(body)
    const errors = faults(profile)
    if (Object.keys(errors).length > 0)
      return profilePage({ locale: peopleLocale(actor.languages), csrf: actor.csrf, profile, errors })
    await flow.ledger.user.setProfile(actor.sub, { profile: await flow.vault.seal(actor.sub, JSON.stringify(profile)) })
    return seeOther('/account?done=1')
  },
})

export const profileEndpoints = [look, save]

/** The profile without the fields that were left empty. */
const filled = ({ name, preferred_username, picture, locale }: Required<Profile>): Profile =>
  Object.fromEntries(
    Object.entries({ name, preferred_username, picture, locale })
      .map(([key, value]) => [key, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  )

const faults = ({ picture, locale }: Profile): Record<string, string> => ({
  ...(picture !== undefined &&
    URL.parse(picture)?.protocol !== 'https:' && { picture: 'This is no address that starts with https://.' }),
  ...(locale !== undefined && !isLocale(locale) && { locale: 'This is no language as in en or de-CH.' }),
})

const isLocale = (text: string): boolean => {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}
