import { z } from 'zod'
import { isRefusal, refuse } from '../../../../domain/kernel/refusal.ts'
import type { EnrolmentRow } from '../../../postgres/sign-in/enrolments.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { limit } from '../../core/limits.ts'
import { type ChoosePage, choosePage, mailedCodePage, provePage, recoveryCodesPage } from '../../pages/people/enrol.ts'
import { peopleLocale } from '../../pages/people/messages/people-locale.ts'
import { type PeopleFrame, seeOther } from '../../pages/people-page.ts'
import { deviceName } from './devices.ts'
import { ask, type FactorContext, isAnswered } from './factors/challenges.ts'
import { factorsOf, newRecoveryCodes, recoveryHash } from './factors/factors.ts'
import { type FactorHolder, holderOf } from './factors/holder.ts'
import { addPasskey, newPasskeyRequest, PASSKEY_NOT_ADDED } from './factors/new-passkeys.ts'
import { PASSKEY_MAX_CHARACTERS } from './factors/passkeys.ts'
import { totpStep, totpText, totpUri } from './factors/totp.ts'
import { safeNext } from './next.ts'
import { aboutBrowser } from './of-people.ts'
import { ofPlace, type SecurityPlace } from './place.ts'
import { proofFault, proofForm, provenFields, takeProof } from './proof.ts'
import type { SignedInRequest } from './step-up.ts'

/**
 * Adding a second factor. The first one needs the password and a code from the mailbox, every other one needs a proof
 * by a factor that is there. Recovery codes come with the first one.
 */

const MINUTES = 15
const TOTP_BYTES = 20
/** What the proof is for. */
const ABOUT = 'enrol'

const next = z.string().max(4_096).optional()
const form = { next, csrf: z.string().max(100) }

type EnrolmentRequest = SignedInRequest & {
  readonly headers: { readonly 'user-agent'?: string | undefined }
}

const look = (place: SecurityPlace) =>
  endpoint({
    ...at(place),
    method: 'get',
    summary: 'The page on which a second factor is added, as far as this session has come',
    query: z.object({ next }),
    answer: async ({ query, ...request }) => await show(place, request, query.next),
  })

const prove = (place: SecurityPlace) =>
  endpoint({
    ...at(place),
    method: 'post',
    when: { act: 'prove' },
    summary: 'Shows that it is the user who adds a factor; for the first one a code is mailed',
    body: z.object({ ...form, ...provenFields }),
    async answer({ body, ...request }) {
      const { flow, signIn, actor } = request
      const who = holderOf(request)
      const { enrolled } = await factorsOf(who)
      let cookies: readonly string[]
      try {
        cookies = (await takeProof(request, ABOUT, body)).cookies
      } catch (error) {
        return await show(place, request, body.next, proofFault(error))
      }
      if (!enrolled) await who.sendCode()
      const totpSecret = await flow.vault.seal(who.subject, flow.world.secret(TOTP_BYTES))
      const expiresAt = new Date(flow.world.now().getTime() + MINUTES * 60_000)
      await signIn.enrolments.begin(actor.sid, { stage: enrolled ? 'proven' : 'mailed', totpSecret }, expiresAt)
      return seeOther(here(place, body.next), cookies)
    },
  })

const code = (place: SecurityPlace) =>
  endpoint({
    ...at(place),
    method: 'post',
    when: { act: 'code' },
    summary: 'Takes the mailed code',
    body: z.object({ ...form, code: z.string().max(40) }),
    async answer({ body, ...request }) {
      const { signIn, actor } = request
      await limit(request, 'code', actor.sid)
      try {
        await holderOf(request).useCode(body.code)
      } catch (error) {
        if (!isRefusal(error, 'mfa-code-wrong')) throw error
        return await show(place, request, body.next, 'This code is wrong, or too old.')
      }
      await signIn.enrolments.prove(actor.sid)
      return seeOther(here(place, body.next))
    },
  })

const restart = (place: SecurityPlace) =>
  endpoint({
    ...at(place),
    method: 'post',
    when: { act: 'restart' },
    summary: 'Begins again',
    body: z.object(form),
    async answer({ body, signIn, actor }) {
      await signIn.enrolments.giveUp(actor.sid)
      return seeOther(here(place, body.next))
    },
  })

const passkey = (place: SecurityPlace) =>
  endpoint({
    ...at(place),
    method: 'post',
    when: { act: 'passkey' },
    summary: 'Adds a passkey',
    body: z.object({
      ...form,
      challenge: z.string().max(100),
      passkey: z.string().max(PASSKEY_MAX_CHARACTERS),
      label: z.string().max(60).default(''),
    }),
    async answer({ body, ...request }) {
      const { flow, signIn, actor, headers } = request
      if ((await rowOf(request))?.stage !== 'proven') return seeOther(here(place, body.next))
      const label = body.label.trim() || deviceName(headers['user-agent'])
      try {
        if (!(await isAnswered(request, body.challenge, askedOf(actor)))) refuse('mfa-code-wrong', PASSKEY_NOT_ADDED)
        await addPasskey(flow, holderOf(request), { ...body, label }, () => signIn.enrolments.finish(actor.sid))
      } catch (error) {
        return await show(place, request, body.next, proofFault(error), 'passkey')
      }
      return await added(place, request, body.next)
    },
  })

const totp = (place: SecurityPlace) =>
  endpoint({
    ...at(place),
    method: 'post',
    when: { act: 'totp' },
    summary: 'Adds an authenticator app',
    body: z.object({ ...form, code: z.string().max(40) }),
    async answer({ body, ...request }) {
      const { flow, signIn, actor } = request
      const row = await rowOf(request)
      const secret = row?.stage === 'proven' ? await flow.vault.open(row.totpSecret) : undefined
      if (!row || secret === undefined) return seeOther(here(place, body.next))
      await limit(request, 'code', actor.sid)
      const step = totpStep(Buffer.from(secret, 'hex'), body.code.replaceAll(/\s/g, ''), flow.world.now())
      if (step === undefined || !(await signIn.factors.takeTotpStep(actor.sub, step)))
        return await show(place, request, body.next, 'This code is wrong, or was used already. Wait for the next one.')
      if (!(await signIn.enrolments.finish(actor.sid))) return seeOther(here(place, body.next))
      const { id, door } = holderOf(request)
      await door.enrolTotp(id, { secret: row.totpSecret })
      return await added(place, request, body.next)
    },
  })

export const enrolEndpoints = (place: SecurityPlace) =>
  [look, prove, code, restart, passkey, totp].map((endpointAt) => endpointAt(place))

const at = (place: SecurityPlace) => ({ ...ofPlace(place), path: pathOf(place), headers: aboutBrowser })

const pathOf = ({ path }: SecurityPlace): string => `${path}/enrol`

const show = async (
  place: SecurityPlace,
  request: EnrolmentRequest,
  wanted: string | undefined,
  error?: string,
  failed: ChoosePage['failed'] = 'app',
): Promise<Reply> => {
  const { flow, actor, headers } = request
  const who = holderOf(request)
  const { enrolled, passkeys, totp } = await factorsOf(who)
  const locale = peopleLocale(actor.languages)
  const page = {
    locale,
    csrf: actor.csrf,
    next: nextOf(place, who, wanted),
    error,
    action: pathOf(place),
    frame: (page: PeopleFrame) => place.frame(actor, page),
  }
  const row = await rowOf(request)
  if (!row) return provePage({ ...page, ...(await proofForm(request, ABOUT, locale.words.sign)), first: !enrolled })
  if (row.stage === 'mailed') return mailedCodePage(page)
  const challenge = await ask(request, askedOf(actor))
  const name = (await who.email()) ?? who.id
  const secret = totp === null ? await flow.vault.open(row.totpSecret) : undefined
  const key = secret === undefined ? undefined : Buffer.from(secret, 'hex')
  return choosePage({
    ...page,
    failed,
    challenge,
    options: await newPasskeyRequest(who, challenge, { name, passkeys }),
    label: deviceName(headers['user-agent']),
    totp: key && { uri: totpUri(key, name), text: totpText(key) },
  })
}

/** Answers once a factor was added; whoever has no recovery codes gets them now. */
const added = async (place: SecurityPlace, request: EnrolmentRequest, wanted: string | undefined): Promise<Reply> => {
  const { flow, actor } = request
  const who = holderOf(request)
  const next = nextOf(place, who, wanted)
  if ((await factorsOf(who)).recoveryCodes > 0) return seeOther(next)
  const frame = (page: PeopleFrame) => place.frame(actor, page)
  const locale = peopleLocale(actor.languages)
  return recoveryCodesPage({ locale, frame, next, cookies: [], codes: await issueCodes(flow, who) })
}

/** Makes ten new codes; earlier ones are void. The new ones are told once, and kept as hashes. */
export const issueCodes = async (
  { world }: FactorContext['flow'],
  { id, door }: FactorHolder,
): Promise<readonly string[]> => {
  const codes = newRecoveryCodes(world)
  await door.issueRecoveryCodes(id, { hashes: codes.map((each) => recoveryHash(world, each)) })
  return codes
}

const rowOf = async ({ flow, signIn, actor }: EnrolmentRequest): Promise<EnrolmentRow | undefined> =>
  await signIn.enrolments.of(actor.sid, flow.world.now())

const askedOf = ({ sid, sub }: EnrolmentRequest['actor']) => ({ holder: sid, purpose: ABOUT, subject: sub, terms: '' })

const nextOf = ({ path }: SecurityPlace, { origin }: FactorHolder, wanted: string | undefined): string =>
  safeNext(wanted, origin, path)

const here = (place: SecurityPlace, wanted: string | undefined): string =>
  wanted === undefined ? pathOf(place) : `${pathOf(place)}?next=${encodeURIComponent(wanted)}`
