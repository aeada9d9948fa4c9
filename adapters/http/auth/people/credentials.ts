import { z } from 'zod'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import { passwordFault } from '../../../../domain/signin/password-rules.ts'
import { newPasswordHash } from '../../../../domain/use-cases/signin/check-password.ts'
import { followEmailChange, requestUserEmail } from '../../../../domain/use-cases/signin/follow-link.ts'
import { Email } from '../../agent/account/account.ts'
import type { PersonCaller } from '../../core/caller.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { limit } from '../../core/limits.ts'
import { networkOf } from '../../core/network-of.ts'
import { confirmEmailPage, emailPage, emailSaidPage, passwordPage, saidPage } from '../../pages/people/account.ts'
import { peopleLocale } from '../../pages/people/messages/people-locale.ts'
import { type PeopleFrame, seeOther } from '../../pages/people-page.ts'
import { endAllSessions } from '../oidc/end-sessions.ts'
import type { FactorContext } from './factors/challenges.ts'
import { ofPeople } from './of-people.ts'
import { accountPlace } from './place.ts'
import { type ProofResult, proofFault, proofForm, provenFields, takePassword, takeProof } from './proof.ts'
import { userOf } from './security.ts'
import { renewSession } from './sessions.ts'

/** The address and the password that somebody signs in with, and changing them. */

const common = { ...ofPeople, auth: 'person' } as const
const csrf = z.string().max(100)

type Request = FactorContext & { readonly actor: PersonCaller }

const lookAtPassword = endpoint({
  ...common,
  path: '/account/password',
  method: 'get',
  summary: 'The page for another password',
  answer: async ({ actor }) => passwordPage(passwordForm(actor)),
})

const setPassword = endpoint({
  ...common,
  path: '/account/password',
  method: 'post',
  summary: 'Sets another password; all other sessions end',
  body: z.object({ csrf, password: z.string().max(1_000), new_password: z.string().max(1_000) }),
  async answer({ body, ...request }) {
    const { flow, signIn, actor } = request
    const email = (await flow.vault.open((await userOf(flow, actor.sub)).email)) ?? ''
    const fault = passwordFault(body.new_password, email)
    if (fault !== undefined) return passwordPage({ ...passwordForm(actor), errors: { new_password: fault } })
    try {
      await takePassword(request, body.password)
    } catch (error) {
      return passwordPage({ ...passwordForm(actor), errors: { password: proofFault(error) } })
    }
    await flow.ledger.user.setPassword(actor.sub, {
      passwordHash: await newPasswordHash(flow, body.new_password, email),
    })
    await signIn.signIns.giveUpAll(actor.sub)
    await endAllSessions(request, actor.sub, actor.sid)
    const renewed = await renewSession(request, actor.amr)
    return seeOther('/account/security?done=password', renewed && [renewed.cookie])
  },
})

const lookAtEmail = endpoint({
  ...common,
  path: '/account/email',
  method: 'get',
  summary: 'The page for another email address',
  answer: async (request) => await showEmail(request),
})

const changeEmail = endpoint({
  ...common,
  path: '/account/email',
  method: 'post',
  summary: 'Sends a letter to both addresses; whether the new one is known shows in no answer',
  body: z.object({ csrf, email: z.string().max(254), ...provenFields }),
  async answer({ body, ...request }) {
    const { flow, actor, ip } = request
    if (!Email.safeParse(body.email).success)
      return await showEmail(request, { email: body.email, errors: { email: 'This is not an email address.' } })
    await limit(request, 'mail', networkOf(ip))
    let proven: ProofResult
    try {
      proven = await takeProof(request, 'email', body)
    } catch (error) {
      return await showEmail(request, { email: body.email, errors: { proof: proofFault(error) } })
    }
    const wait = await requestUserEmail(flow, actor.sub, body.email).catch(waitWhenTooMany)
    const { lang, words } = peopleLocale(actor.languages)
    const { bothSent, tooManyLetters } = words.account
    return saidPage({
      ...proven,
      lang,
      title: words.sign.lookIntoMail,
      text: typeof wait === 'number' ? tooManyLetters(wait) : bothSent,
    })
  },
})

const passwordForm = (actor: PersonCaller) => ({
  locale: peopleLocale(actor.languages),
  csrf: actor.csrf,
  frame: (page: PeopleFrame) => accountPlace.frame(actor, page),
  at: accountPlace.path,
  action: '/account/password',
})

/**
 * The session's secret has changed by then, so the answer has to be a page that says so to the browser.
 * @returns seconds to wait
 */
const waitWhenTooMany = (error: unknown): number => {
  if (isRefusal(error, 'rate-limited')) return error.retryAfterS ?? 0
  throw error
}

const atLink = { ...ofPeople, path: '/account/email/confirm', auth: 'visitor' } as const
const token = z.string().max(200)

const lookAtLink = endpoint({
  ...atLink,
  method: 'get',
  summary: 'The page that the link in the letter leads to; it changes nothing',
  query: z.object({ token }),
  answer: async ({ query, actor, languages }) =>
    confirmEmailPage({ locale: peopleLocale(languages), token: query.token, csrf: actor?.csrf }),
})

const confirmEmail = endpoint({
  ...atLink,
  method: 'post',
  summary: 'Agrees to the change; the second of the two makes it',
  body: z.object({ token, csrf: csrf.optional() }),
  refusals: [...atLink.refusals, 'verification-link-invalid'],
  async answer({ body, flow, languages }) {
    const outcome = await followEmailChange(flow, body.token).catch((error: unknown) => {
      if (isRefusal(error, 'email-taken')) return 'taken' as const
      throw error
    })
    return emailSaidPage(peopleLocale(languages), outcome)
  },
})

export const credentialEndpoints = [lookAtPassword, setPassword, lookAtEmail, changeEmail, lookAtLink, confirmEmail]

const showEmail = async (
  request: Request,
  shown: { email?: string; errors?: Readonly<Record<string, string>> } = {},
): Promise<Reply> => {
  const { flow, actor } = request
  const present = await openedText(flow.vault, (await userOf(flow, actor.sub)).email)
  const locale = peopleLocale(actor.languages)
  const proof = await proofForm(request, 'email', locale.words.sign)
  return emailPage({ ...shown, locale, csrf: actor.csrf, present, ...proof })
}
