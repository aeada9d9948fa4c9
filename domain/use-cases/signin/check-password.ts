import { refuse } from '../../kernel/refusal.ts'
import { passwordFault } from '../../signin/password-rules.ts'
import type { User } from '../../signin/user.ts'
import type { UseCaseContext } from '../context.ts'
import { userFingerprint } from './user-address.ts'

export type FoundUser = { readonly sub: string; readonly user: User }

/** The user who has an address; undefined when nobody has it. */
export const userByEmail = async (flow: UseCaseContext, email: string): Promise<FoundUser | undefined> => {
  const fingerprint = userFingerprint(flow, email)
  const { holder: sub } = await flow.ledger.email.read(fingerprint)
  const user = sub === undefined ? undefined : await flow.ledger.user.read(sub)
  if (sub === undefined || !user || user.status === 'none' || user.status === 'erased') return undefined
  return user.emailFingerprint === fingerprint ? { sub, user } : undefined
}

/**
 * The user who has this address and this password. An unknown address takes as long as a wrong password. A right
 * password that was hashed in an older way is hashed anew.
 */
export const userByPassword = async (
  flow: UseCaseContext,
  email: string,
  password: string,
): Promise<FoundUser | undefined> => {
  const found = await userByEmail(flow, email)
  const right = await flow.passwords.verify(found?.user.passwordHash, password)
  if (!found || !right) return undefined
  await renewHash(flow, found, password)
  return found
}

/** Whether this is the user's password. */
export const isPasswordOf = async (flow: UseCaseContext, sub: string, password: string): Promise<boolean> => {
  const user = await flow.ledger.user.read(sub)
  if (user.status === 'none' || user.status === 'erased') return false
  const right = await flow.passwords.verify(user.passwordHash, password)
  if (right) await renewHash(flow, { sub, user }, password)
  return right
}

/** The hash of a password that somebody wants. Refuses `invalid-request` with what is wrong with it. */
export const newPasswordHash = async (
  { passwords }: Pick<UseCaseContext, 'passwords'>,
  password: string,
  email: string,
): Promise<string> => {
  const fault = passwordFault(password, email)
  return fault === undefined ? await passwords.hash(password) : refuse('invalid-request', fault)
}

const renewHash = async (
  { ledger, passwords }: UseCaseContext,
  { sub, user }: FoundUser,
  password: string,
): Promise<void> => {
  if (!passwords.outdated(user.passwordHash)) return
  await ledger.user.rehashPassword(sub, { from: user.passwordHash, passwordHash: await passwords.hash(password) })
}
