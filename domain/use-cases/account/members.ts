import { isOwn, type SignedUpAccount } from '../../account/account.ts'
import { ownerMemberId } from '../../account/members/member.ts'
import { isStopped } from '../../account/owner-keys.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { CODE_MINUTES, codeLetter, codeToken, newCode } from '../mailed-code.ts'
import { fingerprintOf } from './email-address.ts'
import { provenBy } from './owner-password.ts'

/** The people of a seller: who they are by email address and password, and the code that is mailed to them. */

/** What an email address and a password come to, beside nothing. `unconfirmed`: nobody has followed the letter yet. */
export type MemberByPassword =
  | { readonly status: 'member'; readonly memberId: string; readonly generation: number }
  | { readonly status: 'unconfirmed'; readonly accountId: string }
  | { readonly status: 'suspended'; readonly reason: string }
  | { readonly status: 'closed'; readonly at: string }

/** Accounts that may have an address: its holder, and the two that wanted it last. */
const CANDIDATES = 3

/**
 * The member who has this address and this password, which is the one that proves the owner (N-78). As many passwords
 * are checked whatever is known of the address, so that neither the answer nor its time tells whether an account has
 * it. Refuses `busy`.
 */
export const memberByPassword = async (
  flow: UseCaseContext,
  email: string,
  password: string,
): Promise<MemberByPassword | undefined> => {
  const fingerprint = fingerprintOf(flow, email)
  const { holder, requests } = await flow.ledger.email.read(fingerprint)
  const others = requests.map(({ accountId }) => accountId).filter((id) => id !== holder)
  const ids = [holder, ...others]
  const tries = Array.from({ length: CANDIDATES }, (_, i) => candidate(flow, ids[i], fingerprint))
  const found: { readonly accountId: string; readonly account: SignedUpAccount }[] = []
  for (const each of await Promise.all(tries)) {
    const isRight = each
      ? (await provenBy(flow, each.account, password)) !== undefined
      : await flow.passwords.verify(undefined, password)
    if (each && isRight) found.push(each)
  }
  const [first] = found
  return first && (await memberOf(flow, first.accountId, first.account))
}

/** An account that may sign in by an address: it has proven it, or it still waits for its first proof. */
const candidate = async ({ ledger }: UseCaseContext, accountId: string | undefined, fingerprint: string) => {
  const account = accountId === undefined ? undefined : await ledger.account.read(accountId)
  if (accountId === undefined || !account || account.status === 'none' || account.erased) return undefined
  const wanted = account.verification?.address.emailFingerprint ?? account.emailFingerprint
  const fits = isOwn(account, fingerprint) || (account.status === 'signed-up' && wanted === fingerprint)
  return fits ? { accountId, account } : undefined
}

const memberOf = async (
  { ledger }: UseCaseContext,
  accountId: string,
  account: SignedUpAccount,
): Promise<MemberByPassword> => {
  if (account.closed) return { status: 'closed', at: account.closed.at }
  if (account.suspended) return { status: 'suspended', reason: account.suspended.reason }
  if (account.status === 'signed-up') return { status: 'unconfirmed', accountId }
  const memberId = ownerMemberId(accountId)
  await ledger.member.join(memberId, { accountId, role: 'owner' })
  return { status: 'member', memberId, generation: account.signOuts }
}

/**
 * The member of an address, whether or not the password is known: only for what the caller shows to nobody, such as
 * which count of tries a browser has.
 */
export const memberByEmail = async (flow: UseCaseContext, email: string): Promise<string | undefined> => {
  const fingerprint = fingerprintOf(flow, email)
  const { holder } = await flow.ledger.email.read(fingerprint)
  const found = await candidate(flow, holder, fingerprint)
  return found && ownerMemberId(found.accountId)
}

/** A member and their account, while both may act; undefined for a member who may not sign in. */
export const actingMember = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, memberId: string) => {
  const member = await ledger.member.recent(memberId)
  if (member.status === 'none') return undefined
  const account = await ledger.account.recent(member.accountId)
  if (account.status !== 'activated' || account.erased || isStopped(account)) return undefined
  return { member, account }
}

/** When the account of a member was closed; undefined while it is open. */
export const closedSince = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  memberId: string,
): Promise<string | undefined> => {
  const member = await ledger.member.recent(memberId)
  const account = member.status === 'none' ? undefined : await ledger.account.recent(member.accountId)
  return account && account.status !== 'none' ? account.closed?.at : undefined
}

/** Whether this is the password that proves the owner of a member's account. */
export const isPasswordOfMember = async (
  flow: UseCaseContext,
  accountId: string,
  password: string,
): Promise<boolean> => {
  const account = await flow.ledger.account.read(accountId)
  return account.status !== 'none' && (await provenBy(flow, account, password)) !== undefined
}

/** Sends the code that a member types before their first second factor. Refuses `rate-limited`. */
export const sendMemberCode = async (flow: UseCaseContext, memberId: string): Promise<void> => {
  const { ledger, vault, world } = flow
  const { accountId, account } = await ofMember(flow, memberId)
  const to =
    (await vault.open(account.email)) ??
    refuse('not-found', 'The address of this account was erased. Make a new account.')
  const code = newCode(world)
  await ledger.member.requestCode(memberId, {
    codeHash: world.digest(codeToken(memberId, code)),
    expiresAt: new Date(world.now().getTime() + CODE_MINUTES * 60_000).toISOString(),
    letter: await vault.seal(accountId, JSON.stringify(codeLetter(to, code))),
  })
}

/** Uses up the mailed code, however it is typed. Refuses `mfa-code-wrong`. */
export const useMemberCode = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  memberId: string,
  code: string,
): Promise<void> => {
  await ledger.member.useMailedCode(memberId, { codeHash: world.digest(codeToken(memberId, code)) })
}

const ofMember = async ({ ledger }: UseCaseContext, memberId: string) => {
  const member = await ledger.member.read(memberId)
  if (member.status === 'none') return refuse('not-found', 'There is no such member. Sign in again.')
  const account = await ledger.account.read(member.accountId)
  if (account.status === 'none') return refuse('not-found', 'There is no such account. Sign in again.')
  return { accountId: member.accountId, account }
}
