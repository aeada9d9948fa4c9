import { z } from 'zod'
import { isRefusal, type Refusal, refuse } from '../../../../domain/kernel/refusal.ts'
import { limit } from '../../core/limits.ts'
import { field } from '../../pages/people/fields.ts'
import type { SignWords } from '../../pages/people/messages/sign-en.ts'
import { factorsOf, proofFields } from './factors/factors.ts'
import { holderOf } from './factors/holder.ts'
import { type SignedInRequest, stepUpForm, takeStepUp } from './step-up.ts'

/**
 * Before somebody changes how they sign in they show that it is still them: by their second factor, or by the password
 * while they have none.
 */

/** Cookies to set, and what forms carry from now on. */
export type ProofResult = { readonly cookies: readonly string[]; readonly csrf: string }
type ProofForm = Readonly<Record<string, unknown>>

/** What a form with a proof can carry. */
export const provenFields = { ...proofFields, password: z.string().max(1_000).default('') }

/**
 * Fields for the form. `about` is what is done, so that the proof is good for nothing else; `words` are those of the
 * page's language.
 */
export const proofForm = async (request: SignedInRequest, about: string, words: SignWords) => {
  const { fields, scripts, enrolled } = await stepUpForm(request, what(request, about), words)
  if (enrolled) return { fields, scripts }
  const password = { name: 'password', label: words.yourPassword, autocomplete: 'current-password', maxlength: 1_000 }
  return { fields: field({ ...password, type: 'password' }), scripts: [] }
}

/**
 * @returns cookies to set, and what forms carry from now on. Refuses `mfa-needed`, `mfa-code-wrong`,
 * `credentials-wrong`, `rate-limited`
 */
export const takeProof = async (request: SignedInRequest, about: string, body: ProofForm): Promise<ProofResult> => {
  const { enrolled } = await factorsOf(holderOf(request))
  if (enrolled) return await takeStepUp(request, what(request, about), body)
  await takePassword(request, body.password)
  return { cookies: [], csrf: request.actor.csrf }
}

/** Refuses `credentials-wrong`, `rate-limited`. */
export const takePassword = async (request: SignedInRequest, password: unknown): Promise<void> => {
  await limit(request, 'login-device', request.actor.sid)
  const right = typeof password === 'string' && (await holderOf(request).isPassword(password))
  if (!right) refuse('credentials-wrong', 'This password is wrong. Try again.')
}

/** What to say beside a proof that was not good; throws everything else on. */
export const proofFault = (error: unknown): string => {
  if (!isRefusal(error, 'mfa-needed', 'mfa-code-wrong', 'credentials-wrong')) throw error
  return (error as Refusal).detail ?? 'This recovery code is wrong, or was used already.'
}

const what = ({ flow }: SignedInRequest, about: string) => ({
  ...({ purpose: 'account', subject: about, terms: flow.world.digest(about) } as const),
})
