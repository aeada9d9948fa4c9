import { isOwn, linkedAccount, mayAskLetter, NO_SUCH_ACCOUNT } from '../../account/account.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { claimAddress, fingerprintOf, type Occasion, requestAddress } from './email-address.ts'

/**
 * The email address of an account: a mailed link proves it, or changes it to another (J-ACC-06, J-ACC-13, J-ACC-17).
 */

/**
 * Sends a link to the address that the account wants; the old one stays until that link is followed (N-19). Whether
 * another account has the address is told to its mailbox alone. Refuses `busy` when too many letters were asked for.
 */
export const changeEmail = async (
  flow: UseCaseContext,
  accountId: string,
  email: string,
  network: string,
): Promise<void> => {
  const { ledger, vault, world } = flow
  const account = mayAskLetter(await ledger.account.read(accountId), world.now().toISOString())
  const about = account.status === 'activated' ? 'change' : 'welcome'
  const occasion = { about, what: 'asked', at: world.now(), network } as const
  const letter = await requestAddress(flow, { accountId, to: email, network, occasion })
  await ledger.account.askLetter(accountId, {
    ...letter,
    address: { email: await vault.seal(accountId, email), emailFingerprint: fingerprintOf(flow, email) },
  })
}

/** Sends a new link to the address that is still unproven. False when there is none (N-76). Refuses `busy`. */
export const resendVerification = async (
  flow: UseCaseContext,
  accountId: string,
  network: string,
): Promise<boolean> => {
  const { ledger, vault, world } = flow
  const state = await ledger.account.read(accountId)
  if (state.status === 'none') return refuse('not-found', NO_SUCH_ACCOUNT)
  const { email, emailFingerprint } = state.verification?.address ?? state
  if (isOwn(state, emailFingerprint)) return false
  const account = mayAskLetter(state, world.now().toISOString())
  const to =
    (await vault.open(email)) ??
    refuse('not-found', 'The address of this account was erased. Sign up for a new account.')
  const signedUp = emailFingerprint === account.emailFingerprint ? await openedOrigin(flow, account.origin) : undefined
  const about = account.status === 'activated' ? 'change' : 'welcome'
  const occasion: Occasion = { about, ...(signedUp ?? { what: 'asked', at: world.now(), network }) }
  const letter = await requestAddress(flow, { accountId, to, network, occasion })
  await ledger.account.askLetter(accountId, { ...letter, address: { email, emailFingerprint } })
  return true
}

/**
 * Follows the link of a letter: the address is the account's from now on, and the account is activated, once. The
 * address is claimed first, so that two accounts never have it. Where others have asked for it within a day, following
 * the link is not enough: the account's password proves that whoever reads the mail also made the account (N-15).
 * Refuses `verification-link-invalid`, `email-taken` when another account has the address, `password-required`,
 * `credentials-wrong`, `busy`.
 * @returns what came of it: `known` when the link was followed before.
 */
export const verifyEmail = async (
  flow: UseCaseContext,
  token: string,
  password?: string,
): Promise<'activated' | 'changed' | 'known'> => {
  const { ledger, world, passwords } = flow
  const accountId = /^(acc_[a-z2-7]{26})\.[0-9a-f]{64}$/.exec(token)?.[1] ?? refuse('verification-link-invalid')
  const tokenHash = world.digest(token)
  const { account, address } = linkedAccount(await ledger.account.read(accountId), tokenHash, world.now().toISOString())
  const { emailFingerprint } = address
  if (isOwn(account, emailFingerprint)) return 'known'
  if (password !== undefined && !(await passwords.verify(account.passwordHash, password)))
    return refuse(
      'credentials-wrong',
      'This is not the password of the account that the link is for. Try again with that one.',
    )
  await claimAddress(flow, emailFingerprint, { accountId, proven: password !== undefined })
  const { events } = await ledger.account.verifyEmail(accountId, { tokenHash })
  if (events.some(({ type }) => type === 'AccountActivated')) return 'activated'
  return events.length > 0 ? 'changed' : 'known'
}

const openedOrigin = async ({ vault }: UseCaseContext, origin: { at: string; network: string } | undefined) => {
  const network = origin && (await vault.open(origin.network))
  return origin && network !== undefined ? ({ what: 'made', at: new Date(origin.at), network } as const) : undefined
}
