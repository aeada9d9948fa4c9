import { isRefusal, refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { type FoundUser, userByEmail } from './check-password.ts'
import { type LinkLetter, userCode, userLink } from './user-link.ts'

/**
 * Sends a user a letter with a link that works once; those of the same purpose end. Who asked for too many already has
 * some, and gets no more in this hour.
 */
export const sendUserLink = async (
  flow: UseCaseContext,
  { sub, user }: FoundUser,
  letter: Exclude<LinkLetter, 'change-email' | 'confirm-change'>,
): Promise<void> => {
  const to = await flow.vault.open(user.email)
  if (to === undefined) return
  const link = await userLink(flow, { sub, to, letter })
  await flow.ledger.user.requestLink(sub, link).catch(unlessTooMany)
}

/** Sends a link for a new password to whoever has this address; nobody is told whether somebody does. */
export const forgotPassword = async (flow: UseCaseContext, email: string): Promise<void> => {
  const found = await userByEmail(flow, email)
  if (found) await sendUserLink(flow, found, 'reset-password')
}

/** Sends the code that a user types before their first second factor. Refuses `rate-limited`. */
export const sendUserCode = async (flow: UseCaseContext, sub: string): Promise<void> => {
  const user = await flow.ledger.user.read(sub)
  const sealed = user.status === 'none' ? undefined : user.email
  const to = (sealed && (await flow.vault.open(sealed))) ?? refuse('not-found', 'no such user')
  await flow.ledger.user.requestLink(sub, await userCode(flow, { sub, to }))
}

const unlessTooMany = (error: unknown): void => {
  if (!isRefusal(error, 'rate-limited')) throw error
}
