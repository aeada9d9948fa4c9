import { z } from 'zod'
import { isRefusal } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { SignInRows } from '../../../postgres/sign-in/rows.ts'

import type { PersonCaller } from '../../core/caller.ts'
import { ofPeople } from '../people/of-people.ts'
import { type StepUpFor, takeStepUp } from '../people/step-up.ts'

/** What the hosted screens have in common: one thing that an app asks of one user, answered once. */

/** A request of a person who opens a screen. */
export type ScreenVisit = {
  readonly flow: UseCaseContext
  readonly signIn: SignInRows
  readonly actor: PersonCaller
  readonly params: { readonly id: string }
}

export const ofScreens = { ...ofPeople, auth: 'person', params: z.object({ id: z.string().max(64) }) } as const

/** The user's address, as it stands on screens. */
export const emailOf = async ({ flow: { ledger, vault }, actor }: ScreenVisit): Promise<string> => {
  const user = await ledger.user.recent(actor.sub)
  return user.status === 'none' ? '' : ((await vault.open(user.email)) ?? '')
}

/** SHA-256 of exactly what is agreed to: a proof that was given for other terms is none for these (X-MFA-01). */
export const termsHash = ({ world }: UseCaseContext, terms: readonly (string | null | undefined)[]): string =>
  world.digest(JSON.stringify(terms.map((each) => each ?? null)))

/** Takes the second factor, or answers why it does not count, in words for the screen. */
export const provenBy = async (
  visit: ScreenVisit,
  what: StepUpFor,
  body: Readonly<Record<string, unknown>>,
): Promise<{ amr: readonly string[]; cookies: readonly string[] } | { wrong: string }> => {
  try {
    return await takeStepUp(visit, what, body)
  } catch (error) {
    if (isRefusal(error, 'mfa-code-wrong', 'mfa-needed'))
      return { wrong: error.detail ?? 'This was not accepted. Please try again.' }
    throw error
  }
}
