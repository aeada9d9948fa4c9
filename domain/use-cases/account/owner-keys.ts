import { isOwn, NO_SUCH_ACCOUNT } from '../../account/account.ts'
import { newApiKey } from '../../account/keys/api-key.ts'
import { isStopped, mustBeRecoverable, RECOVERY_HOURS } from '../../account/owner-keys.ts'
import { isRefusal, refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { fingerprintOf } from './email-address.ts'
import { notThePassword, provenBy } from './owner-password.ts'

/** The owner's key gives way to another one: by the key and the password, by a mailed link, or by an operator. */

/** A key that was just made: `apiKey` is never shown again (X-ONCE-01). `oldEndsAt`: when the replaced one ends. */
export type FreshOwnerKey = { readonly apiKey: string; readonly hint: string; readonly oldEndsAt: string }

type RotationWish = {
  readonly usedKeyId: string
  readonly password: string
  readonly keepsOld: boolean
  readonly network: string
}

/**
 * Replaces the key that asks. The password is asked for as well, so that a stolen key alone does not lock its owner
 * out. Refuses `credentials-wrong`, `forbidden` for a key that was replaced, `account-suspended`.
 */
export const rotateOwnerKey = async (
  flow: Pick<UseCaseContext, 'ledger' | 'world' | 'vault' | 'passwords'>,
  accountId: string,
  { usedKeyId, password, keepsOld, network }: RotationWish,
): Promise<FreshOwnerKey> => {
  const account = await flow.ledger.account.read(accountId)
  if (account.status === 'none') return refuse('not-found', NO_SUCH_ACCOUNT)
  if ((await provenBy(flow, account, password)) === undefined)
    return refuse('credentials-wrong', notThePassword(flow, account, 'Its keys stay as they are.'))
  const sealed = await flow.vault.seal(accountId, network)
  return rotated(flow, accountId, { cause: 'owner', keepsOld, usedKeyId, network: sealed })
}

/** Replaces the key of an account for an operator, who says why. Refuses `not-found`. */
export const replaceOwnerKey = (
  flow: Pick<UseCaseContext, 'ledger' | 'world'>,
  accountId: string,
  decision: { readonly keepsOld: boolean; readonly by: string; readonly reason: string },
): Promise<FreshOwnerKey> => rotated(flow, accountId, { cause: 'operator', ...decision })

type Rotation = Omit<Parameters<UseCaseContext['ledger']['account']['rotateKey']>[1], 'key'>

const rotated = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  accountId: string,
  rotation: Rotation,
): Promise<FreshOwnerKey> => {
  const { apiKey, kept } = newApiKey(world, 'sk_live')
  const { state } = await ledger.account.rotateKey(accountId, { ...rotation, key: kept })
  const oldEndsAt = state.status === 'none' ? undefined : state.replaced?.until
  return { apiKey, hint: kept.hint, oldEndsAt: oldEndsAt ?? world.now().toISOString() }
}

/**
 * Mails a link for a new owner key to whoever has proven this address for an account. Who asks learns nothing of it,
 * and an address that no account has proven is sent nothing. A mailbox that was sent enough within the hour has a link
 * that still works.
 */
export const requestKeyRecovery = async (flow: UseCaseContext, email: string, network: string): Promise<void> => {
  const { ledger, vault } = flow
  const fingerprint = fingerprintOf(flow, email)
  const { holder } = await ledger.email.read(fingerprint)
  const account = holder === undefined ? undefined : await ledger.account.read(holder)
  if (holder === undefined || account === undefined || account.status === 'none') return
  if (!isOwn(account, fingerprint) || account.erased || isStopped(account)) return
  const to = await vault.open(account.email)
  if (to === undefined) return
  const letter = await recoveryLetter(flow, { accountId: holder, to, network })
  await ledger.account.requestRecovery(holder, letter).catch((error: unknown) => {
    if (!isRefusal(error, 'busy', 'rate-limited', 'not-found')) throw error
  })
}

/** Refuses `verification-link-invalid` for a link that gives no key, and `account-suspended`. */
export const lookAtRecovery = async (flow: Pick<UseCaseContext, 'ledger' | 'world'>, token: string) => {
  const accountId = /^(acc_[a-z2-7]{26})\.[0-9a-f]{64}$/.exec(token)?.[1] ?? refuse('verification-link-invalid')
  const account = await flow.ledger.account.read(accountId)
  if (account.status === 'none' || account.erased) return refuse('verification-link-invalid')
  mustBeRecoverable(account, flow.world.digest(token), flow.world.now().toISOString())
  return { accountId, account }
}

/**
 * Gives the account a new owner key, and ends every older one. The link shows who reads the mail, the password who made
 * the account: it takes both. Refuses as `lookAtRecovery` does, and `credentials-wrong`, which leaves the link good.
 */
export const recoverOwnerKey = async (
  flow: UseCaseContext,
  { token, password, network }: { readonly token: string; readonly password: string; readonly network: string },
): Promise<{ readonly apiKey: string; readonly hint: string }> => {
  const { ledger, vault, world } = flow
  const { accountId, account } = await lookAtRecovery(flow, token)
  if ((await provenBy(flow, account, password)) === undefined)
    return refuse('credentials-wrong', notThePassword(flow, account, 'The link stays good.'))
  const { apiKey, kept } = newApiKey(world, 'sk_live')
  const sealed = await vault.seal(accountId, network)
  await ledger.account.recoverKey(accountId, { tokenHash: world.digest(token), key: kept, network: sealed })
  return { apiKey, hint: kept.hint }
}

/** Refuses `unavailable` for a sale of a suspended or closed account: what was asked for before may still be paid. */
export const mustSell = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, accountId: string): Promise<void> => {
  const account = await ledger.account.recent(accountId)
  if (account.status !== 'none' && isStopped(account))
    refuse('unavailable', 'The seller takes no new payments at present. Please ask the seller.')
}

const recoveryLetter = async (
  { world, vault, origins }: UseCaseContext,
  { accountId, to, network }: { accountId: string; to: string; network: string },
) => {
  const token = `${accountId}.${world.secret(32)}`
  const when = `${world.now().toISOString().slice(0, 16).replace('T', ' at ')} UTC`
  const text = [
    `Somebody asked for a new owner key for your Daybook account, on ${when}, from the network ${network}.`,
    '',
    'If that was you, follow this link and type the password of the account. You are shown a new owner key, and every',
    'older owner key ends at once:',
    '',
    `${origins.base}/recover-key/confirm?token=${token}`,
    '',
    `The link works once, within ${RECOVERY_HOURS} hour, until a newer one is sent.`,
    'If it was not you, there is nothing to do: without the password the link does nothing, and your key stays good.',
  ].join('\n')
  return {
    tokenHash: world.digest(token),
    expiresAt: new Date(world.now().getTime() + RECOVERY_HOURS * 3_600_000).toISOString(),
    letter: await vault.seal(accountId, JSON.stringify({ to, subject: 'A new key for your Daybook account', text })),
  }
}
