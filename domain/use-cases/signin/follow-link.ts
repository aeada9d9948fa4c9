import { refuse } from '../../kernel/refusal.ts'
import { emailChangeOf, NO_SUCH_USER, userOfLink } from '../../signin/user.ts'
import type { UseCaseContext } from '../context.ts'
import { isPasswordOf, newPasswordHash } from './check-password.ts'
import { claimUserAddress, userFingerprint } from './user-address.ts'
import { userLink } from './user-link.ts'

/** What the links in letters do once somebody has followed them and pressed the button there. */

/** The `sub` of the user that a link belongs to. Refuses `verification-link-invalid` for a token of no link. */
export const ownerOfLink = (token: string): string =>
  /^(usr_[a-z2-7]{26})\.[0-9a-f]{64}$/.exec(token)?.[1] ?? refuse('verification-link-invalid')

/**
 * Proves the address of a new user. The password of the sign-up is asked for: the person who follows the link may not
 * have chosen it, and an account that somebody else has prepared for them is not theirs. Refuses
 * `verification-link-invalid`, `credentials-wrong`.
 * @returns the `sub`
 */
export const verifyUserEmail = async (flow: UseCaseContext, token: string, password: string): Promise<string> => {
  const { ledger, world } = flow
  const sub = ownerOfLink(token)
  const tokenHash = world.digest(token)
  const { emailFingerprint } = userOfLink(await read(flow, sub), 'verify-email', tokenHash, world.now().toISOString())
  const { holder } = await ledger.email.read(emailFingerprint)
  if (holder !== sub) refuse('verification-link-invalid')
  if (!(await isPasswordOf(flow, sub, password)))
    refuse('credentials-wrong', 'This is not the password you signed up with. Try again with that one.')
  await ledger.user.verifyEmail(sub, { tokenHash })
  return sub
}

/**
 * Sets a password that was chosen by whoever reads the user's mail. Where that confirms the address, the profile is
 * emptied: a stranger may have given it. Refuses `verification-link-invalid`, `invalid-request`.
 */
export const resetUserPassword = async (flow: UseCaseContext, token: string, password: string): Promise<string> => {
  const { ledger, vault, world } = flow
  const sub = ownerOfLink(token)
  const tokenHash = world.digest(token)
  const user = userOfLink(await read(flow, sub), 'reset-password', tokenHash, world.now().toISOString())
  const passwordHash = await newPasswordHash(flow, password, (await vault.open(user.email)) ?? '')
  if (user.status === 'unverified') await ledger.user.setProfile(sub, { profile: await vault.seal(sub, '{}') })
  await ledger.user.resetPassword(sub, { tokenHash, passwordHash })
  return sub
}

/** Sends a letter to both addresses, which asks whether the user's address is to change. Refuses `rate-limited`. */
export const requestUserEmail = async (flow: UseCaseContext, sub: string, email: string): Promise<void> => {
  const { ledger, vault } = flow
  const user = await read(flow, sub)
  const present = user.status === 'none' ? undefined : await vault.open(user.email)
  if (present === undefined) return refuse('not-found', NO_SUCH_USER)
  const address = { email: await vault.seal(sub, email), emailFingerprint: userFingerprint(flow, email) }
  await ledger.user.requestEmailChange(sub, {
    atNew: { ...(await userLink(flow, { sub, to: email, letter: 'change-email' })), address },
    atPresent: { ...(await userLink(flow, { sub, to: present, letter: 'confirm-change' })), address },
  })
}

/**
 * Follows one of the two links. With the second the address is claimed and becomes the user's. Refuses
 * `verification-link-invalid`, and `email-taken` when somebody else has it.
 */
export const followEmailChange = async (flow: UseCaseContext, token: string): Promise<'changed' | 'waiting'> => {
  const { ledger, world } = flow
  const sub = ownerOfLink(token)
  const tokenHash = world.digest(token)
  const { address, isLast } = emailChangeOf(await read(flow, sub), tokenHash, world.now().toISOString())
  if (isLast) await claimUserAddress(flow, address.emailFingerprint, sub)
  const { events } = await ledger.user.confirmEmailChange(sub, { tokenHash })
  return events.some(({ type }) => type === 'UserEmailChanged') ? 'changed' : 'waiting'
}

const read = ({ ledger }: UseCaseContext, sub: string) => ledger.user.read(sub)
