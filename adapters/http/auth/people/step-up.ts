import { Refusal, refuse } from '../../../../domain/kernel/refusal.ts'
import type { MemberCaller, PersonCaller } from '../../core/caller.ts'
import { limit } from '../../core/limits.ts'
import { factorFields, PASSKEY_SCRIPTS } from '../../pages/people/factor-fields.ts'
import { peopleLocale } from '../../pages/people/messages/people-locale.ts'
import { type SignWords, signWords } from '../../pages/people/messages/sign-en.ts'
import { ask, type FactorContext, isAnswered } from './factors/challenges.ts'
import { factorsOf, proveFactor } from './factors/factors.ts'
import { holderOf } from './factors/holder.ts'
import { passkeyRequest } from './factors/passkeys.ts'
import { renewSession } from './sessions.ts'

/**
 * A fresh proof by a second factor, for one thing alone (A-INT-03, X-MFA-01): it is bound to the session, to what is
 * confirmed and to exactly what was shown, can be used once, and for five minutes.
 */

export type StepUpFor = {
  readonly purpose: 'intent' | 'mandate' | 'account'
  /** The id of what is confirmed. */
  readonly subject: string
  /** SHA-256 as hex of exactly what is shown. */
  readonly terms: string
}

/** A call of a user or a member who is signed in. */
export type SignedInRequest = FactorContext & { readonly actor: PersonCaller | MemberCaller }

/**
 * Fields for the form of a page that asks for a confirmation; its first submit button confirms. A user without a second
 * factor is led to `/account/security/enrol?next=…` first. `words` are those of the page's language.
 */
export const stepUpForm = async (
  request: SignedInRequest,
  what: StepUpFor,
  words = wordsFor(request),
): Promise<{ fields: unknown; scripts: readonly string[]; enrolled: boolean }> => {
  const who = holderOf(request)
  const { passkeys, totp, enrolled } = await factorsOf(who)
  if (!enrolled) return { fields: undefined, scripts: [], enrolled }
  const challenge = await ask(request, askedOf(request, what))
  const options = passkeys.length > 0 ? await passkeyRequest(who.origin, challenge, passkeys) : undefined
  return {
    fields: factorFields({ challenge, options, totp: totp !== null, words }),
    scripts: options === undefined ? [] : PASSKEY_SCRIPTS,
    enrolled,
  }
}

/**
 * Takes the proof from what the form was sent with. The session's secret changes: any answer after that, a refusal too,
 * has to set the cookies, and forms on it carry the new `csrf`. Refuses `mfa-needed` when this was not asked here, is
 * too old, was used before or was asked for other terms, `mfa-code-wrong`, `rate-limited`; the page is then shown
 * again, with fields made anew.
 */
export const takeStepUp = async (
  request: SignedInRequest,
  what: StepUpFor,
  body: Readonly<Record<string, unknown>>,
): Promise<{ amr: readonly string[]; cookies: readonly string[]; csrf: string }> => {
  const { sub, sid, amr } = request.actor
  const challenge = typeof body.challenge === 'string' ? body.challenge : ''
  await limit(request, 'confirm', sub)
  if (!(await isAnswered(request, challenge, askedOf(request, what))))
    return refuse('mfa-needed', 'This was open for too long. Please confirm it again.')
  const proven = await proveFactor(request, { who: holderOf(request), challenge, holder: sid, known: sid }, body)
  const renewed = await renewSession(request, [...new Set([...amr, ...proven])])
  if (renewed === undefined) throw new Refusal('sign-in-needed', 'Please sign in.')
  return { amr: proven, cookies: [renewed.cookie], csrf: renewed.csrf }
}

/** Most pages of users are in English; members are asked in the language of their browser. */
const wordsFor = ({ actor }: SignedInRequest): SignWords =>
  actor.kind === 'member' ? peopleLocale(actor.languages).words.sign : signWords

const askedOf = ({ actor }: SignedInRequest, { purpose, subject, terms }: StepUpFor) => ({
  holder: actor.sid,
  purpose,
  subject,
  terms,
})
