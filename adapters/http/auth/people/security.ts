import { z } from 'zod'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { ownEntry } from '../../../../domain/kernel/plain-data.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { type Factors, isEnrolled, isLastFactor } from '../../../../domain/signin/factors.ts'
import type { User } from '../../../../domain/signin/user.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { recoveryCodesPage } from '../../pages/people/enrol.ts'
import { peopleLocale } from '../../pages/people/messages/people-locale.ts'
import { confirmPage, securityPage } from '../../pages/people/security.ts'
import { type PeopleFrame, seeOther } from '../../pages/people-page.ts'
import { issueCodes } from './enrol.ts'
import type { FactorContext } from './factors/challenges.ts'
import { type FactorHolder, holderOf } from './factors/holder.ts'
import { doneOf } from './of-people.ts'
import { ofPlace, type SecurityPlace } from './place.ts'
import { proofFault, proofForm, provenFields, takeProof } from './proof.ts'
import type { SignedInRequest } from './step-up.ts'

/**
 * How somebody signs in: the factors that they have, removing one, and new recovery codes. Each change needs a proof by
 * a factor that is there.
 */

const form = { csrf: z.string().max(100), ...provenFields }

const look = (place: SecurityPlace) =>
  endpoint({
    ...ofPlace(place),
    path: place.path,
    method: 'get',
    summary: 'How somebody signs in',
    query: z.object({ done: z.string().max(20).optional() }),
    async answer({ query, ...request }) {
      const { flow, signIn, actor } = request
      const locale = peopleLocale(actor.languages)
      const who = holderOf(request)
      const factors = await factorsThere(who)
      const uses = await signIn.factors.passkeyUses(who.id)
      const passkeys = await Promise.all(
        Object.values(factors.passkeys).map(async ({ credentialId: id, label }) => ({
          id,
          usedAt: uses.get(id),
          label: await openedText(flow.vault, label),
        })),
      )
      return securityPage({
        locale,
        at: place.path,
        frame: (page) => place.frame(actor, page),
        isMember: place.auth === 'member',
        passkeys,
        totp: factors.totp !== null,
        recoveryCodes: factors.recoveryCodes.length,
        email: await who.email(),
        done: doneOf(locale.words.security.done, query.done),
        time: place.time?.(actor),
      })
    },
  })

/** What is to be removed: one passkey, or the app. */
const which = { passkey_id: z.string().max(2_000).optional(), totp: z.literal('1').optional() }

const removalAt = (place: SecurityPlace) => ({ ...ofPlace(place), path: `${place.path}/remove` })

const lookAtRemoval = (place: SecurityPlace) =>
  endpoint({
    ...removalAt(place),
    method: 'get',
    summary: 'The page that asks for a proof before a second factor is removed',
    query: z.object(which),
    answer: async ({ query, ...request }) => await showRemoval(place, request, query),
  })

const remove = (place: SecurityPlace) =>
  endpoint({
    ...removalAt(place),
    method: 'post',
    summary: 'Removes a second factor',
    body: z.object({ ...form, ...which }),
    async answer({ body, ...request }) {
      const { id, door } = holderOf(request)
      let cookies: readonly string[]
      try {
        cookies = (await takeProof(request, aboutRemoval(body), body)).cookies
      } catch (error) {
        return await showRemoval(place, request, body, proofFault(error))
      }
      if (body.totp) await door.removeTotp(id, {})
      else await door.removePasskey(id, { credentialId: body.passkey_id ?? '' })
      return seeOther(`${place.path}?done=removed`, cookies)
    },
  })

const codesAt = (place: SecurityPlace) => ({ ...ofPlace(place), path: `${place.path}/codes` })

const lookAtCodes = (place: SecurityPlace) =>
  endpoint({
    ...codesAt(place),
    method: 'get',
    summary: 'The page that asks for a proof before new recovery codes are made',
    answer: async (request) => await showCodes(place, request),
  })

const makeCodes = (place: SecurityPlace) =>
  endpoint({
    ...codesAt(place),
    method: 'post',
    summary: 'Makes new recovery codes and shows them once',
    body: z.object(form),
    async answer({ body, ...request }) {
      const { flow, actor } = request
      const who = holderOf(request)
      if (!isEnrolled(await factorsThere(who))) return seeOther(place.path)
      try {
        const { cookies, csrf } = await takeProof(request, 'codes', body)
        const frame = (page: PeopleFrame) => place.frame({ ...actor, csrf }, page)
        const codes = await issueCodes(flow, who)
        return recoveryCodesPage({ locale: peopleLocale(actor.languages), frame, cookies, next: place.path, codes })
      } catch (error) {
        return await showCodes(place, request, proofFault(error))
      }
    },
  })

export const securityEndpoints = (place: SecurityPlace) =>
  [look, lookAtRemoval, remove, lookAtCodes, makeCodes].map((endpointAt) => endpointAt(place))

type RemovalTarget = { readonly passkey_id?: string | undefined; readonly totp?: '1' | undefined }

const aboutRemoval = ({ passkey_id, totp }: RemovalTarget): string =>
  totp ? 'remove app' : `remove passkey ${passkey_id}`

const showRemoval = async (
  place: SecurityPlace,
  request: SignedInRequest,
  { passkey_id, totp }: RemovalTarget,
  error?: string,
): Promise<Reply> => {
  const { flow, actor } = request
  const { security } = peopleLocale(actor.languages).words
  const factors = await factorsThere(holderOf(request))
  const key = passkey_id === undefined ? undefined : ownEntry(factors.passkeys, passkey_id)
  if (totp ? factors.totp === null : !key) return seeOther(place.path)
  return confirmPage({
    ...(await asking(place, request, aboutRemoval({ passkey_id, totp }), error)),
    action: `${place.path}/remove`,
    carried: { passkey_id, totp },
    title: key ? security.removePasskey(await openedText(flow.vault, key.label)) : security.removeApp,
    button: security.removeIt,
    text: isLastFactor(factors) ? security.removeLast[place.auth] : security.removeText,
  })
}

const showCodes = async (place: SecurityPlace, request: SignedInRequest, error?: string): Promise<Reply> => {
  if (!isEnrolled(await factorsThere(holderOf(request)))) return seeOther(place.path)
  const { security } = peopleLocale(request.actor.languages).words
  return confirmPage({
    ...(await asking(place, request, 'codes', error)),
    action: `${place.path}/codes`,
    carried: {},
    title: security.newCodesTitle,
    button: security.newCodes,
    text: security.newCodesText,
  })
}

/** What every page has that asks for a proof. */
const asking = async (place: SecurityPlace, request: SignedInRequest, about: string, error: string | undefined) => {
  const locale = peopleLocale(request.actor.languages)
  return {
    locale,
    csrf: request.actor.csrf,
    frame: (page: PeopleFrame) => place.frame(request.actor, page),
    at: place.path,
    error,
    ...(await proofForm(request, about, locale.words.sign)),
  }
}

const factorsThere = async (who: FactorHolder): Promise<Factors> =>
  (await who.factors()) ?? refuse('sign-in-needed', 'Please sign in.')

/** The user behind a session. */
export const userOf = async ({ ledger }: FactorContext['flow'], sub: string): Promise<User> => {
  const user = await ledger.user.read(sub)
  return user.status === 'none' || user.status === 'erased' ? refuse('sign-in-needed', 'Please sign in.') : user
}
