import { NO_SUCH_ACCOUNT } from '../../account/account.ts'
import { type OwnerPassword, provesFrom, provingHash } from '../../account/owner-password.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'

/** The password of a seller's account: what it proves, and how another takes its place (J-ACC-15, N-78). */

type Checking = Pick<UseCaseContext, 'passwords' | 'world'>

/** The hash that a password fits which proves the owner now; undefined when it proves nothing. */
export const provenBy = async (
  { passwords, world }: Checking,
  account: OwnerPassword,
  password: string,
): Promise<string | undefined> => {
  const hash = provingHash(account, world.now().toISOString())
  return (await passwords.verify(hash, password)) ? hash : undefined
}

/** What is said of a password that proves nothing: which one does, where two could be meant. */
export const notThePassword = ({ world }: Pick<Checking, 'world'>, account: OwnerPassword, rest: string): string => {
  const from = provesFrom(account, world.now().toISOString())
  if (from === undefined) return `This is not the password of the account: try again with that one. ${rest}`
  const until = `${from.slice(0, 16).replace('T', ' at ')} UTC`
  return `This is not the password that counts here. The newest one was set by the owner key alone, and counts from ${until}; until then, give the one before it. ${rest}`
}

type NewPassword = {
  readonly newPassword: string
  /** The password before it, where the caller gives it: the new one then proves the owner at once. */
  readonly oldPassword?: string | undefined
  readonly network: string
}

/** Sets another password; the keys stay as they are. Refuses `credentials-wrong` for an old one that proves nothing. */
export const resetPassword = async (
  flow: Pick<UseCaseContext, 'ledger' | 'passwords' | 'vault' | 'world'>,
  accountId: string,
  { newPassword, oldPassword, network }: NewPassword,
): Promise<void> => {
  const account = await flow.ledger.account.read(accountId)
  if (account.status === 'none') return refuse('not-found', NO_SUCH_ACCOUNT)
  const proven = oldPassword === undefined ? undefined : await provenBy(flow, account, oldPassword)
  if (oldPassword !== undefined && proven === undefined)
    return refuse('credentials-wrong', notThePassword(flow, account, 'It stays as it is.'))
  const passwordHash = await flow.passwords.hash(newPassword)
  await flow.ledger.account.resetPassword(accountId, {
    passwordHash,
    // Nothing more is sealed for whoever was erased.
    ...(!account.erased && { network: await flow.vault.seal(accountId, network) }),
    ...(proven !== undefined && { proven }),
  })
}
