import { isOwn, type SignedUpAccount } from '../../account/account.ts'
import { type Member, ownerMemberId, personMemberId } from '../../account/members/member.ts'
import { isStopped } from '../../account/owner-keys.ts'
import { type SeatedMember, seatOf } from '../../account/team-members.ts'
import type { SealedText } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { CODE_MINUTES, codeLetter, codeToken, newCode } from '../mailed-code.ts'
import { fingerprintOf } from './email-address.ts'
import { provenBy } from './owner-password.ts'

/** The people of a seller: who they are by email address and password, and the code that is mailed to them. */

/**
 * What an email address and a password come to, beside nothing. `unconfirmed`: nobody has followed the letter yet.
 * `seatless`: they have no seat in any account any more.
 */
export type MemberByPassword =
  | { readonly status: 'member'; readonly memberId: string; readonly accountId: string; readonly generation: number }
  | { readonly status: 'unconfirmed'; readonly accountId: string }
  | { readonly status: 'suspended'; readonly reason: string }
  | { readonly status: 'closed'; readonly at: string }
  | { readonly status: 'seatless' }

/** Accounts that may have an address: its holder, and the two that wanted it last. */
const CANDIDATES = 3

/**
 * The member who has this address and this password, which is the one that proves the owner (N-78), or that of a person
 * who owns no account (N-95). As many passwords are checked whatever is known of the address, so that neither the
 * answer nor its time tells whether an account has it. Refuses `busy`.
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
  const { personId, person } = await personOf(flow, fingerprint)
  const isPerson = await flow.passwords.verify(ownPassword(person), password)
  const open = found.find(({ account }) => !account.closed)
  if (open) return await ownerOf(flow, open.accountId, open.account)
  if (isPerson) return await signsIn(flow, personId)
  const [closed] = found
  return closed && (await ownerOf(flow, closed.accountId, closed.account))
}

const ownPassword = (member: Member | { readonly status: 'none' }): string | undefined =>
  member.status === 'none' ? undefined : member.own?.passwordHash

/** An account that may sign in by an address: it has proven it, or it still waits for its first proof. */
const candidate = async ({ ledger }: UseCaseContext, accountId: string | undefined, fingerprint: string) => {
  const account = accountId === undefined ? undefined : await ledger.account.read(accountId)
  if (accountId === undefined || !account || account.status === 'none' || account.erased) return undefined
  const wanted = account.verification?.address.emailFingerprint ?? account.emailFingerprint
  const fits = isOwn(account, fingerprint) || (account.status === 'signed-up' && wanted === fingerprint)
  return fits ? { accountId, account } : undefined
}

const ownerOf = async (
  flow: UseCaseContext,
  accountId: string,
  account: SignedUpAccount,
): Promise<MemberByPassword> => {
  if (account.closed) return { status: 'closed', at: account.closed.at }
  if (account.suspended) return { status: 'suspended', reason: account.suspended.reason }
  if (account.status === 'signed-up') return { status: 'unconfirmed', accountId }
  const memberId = ownerMemberId(accountId)
  await flow.ledger.member.join(memberId, { accountId, role: 'owner' })
  return await signsIn(flow, memberId)
}

const signsIn = async (flow: UseCaseContext, memberId: string): Promise<MemberByPassword> => {
  const acting = await actingMember(flow, memberId)
  if (!acting) return { status: 'seatless' }
  return { status: 'member', memberId, accountId: acting.accountId, generation: acting.generation }
}

/**
 * The member of an address, whether or not the password is known: only for what the caller shows to nobody, such as
 * which count of tries a browser has, or to who has a letter to that address in hand. Undefined for nobody, and for a
 * person who belongs to no account any more.
 */
export const memberByEmail = async (flow: UseCaseContext, email: string): Promise<string | undefined> =>
  await memberByFingerprint(flow, fingerprintOf(flow, email))

export const memberByFingerprint = async (flow: UseCaseContext, fingerprint: string): Promise<string | undefined> => {
  const { holder } = await flow.ledger.email.read(fingerprint)
  const found = await candidate(flow, holder, fingerprint)
  if (found && !found.account.closed) return ownerMemberId(found.accountId)
  const { personId, person } = await personOf(flow, fingerprint)
  return person.status !== 'none' && person.accounts.length > 0 ? personId : undefined
}

/** Times that a person may be erased and come again. */
const RETURNS_MAX = 16

/** The person who owns no account and has an address, or the id that they would have. Refuses `state-forbids`. */
export const personOf = async ({ ledger }: Pick<UseCaseContext, 'ledger'>, fingerprint: string) => {
  for (let nth = 0; nth <= RETURNS_MAX; nth++) {
    const personId = personMemberId(fingerprint, nth)
    const person = await ledger.member.read(personId)
    if (person.status === 'none' || !person.erased) return { personId, person }
  }
  return refuse('state-forbids', 'This person was erased too often. Ask for an invitation to another address.')
}

/** A member in an account, while both may act there. */
export type ActingMember = {
  readonly member: Member
  readonly accountId: string
  readonly account: SignedUpAccount
  /** Where they sit; undefined for the owner of the account. */
  readonly seat: SeatedMember | undefined
  /** How often they were signed out of it: a session that began before the last time has ended. */
  readonly generation: number
  /** Whether they have to have a second factor, by the rule of the account (N-96). */
  readonly factorRequired: boolean
}

/**
 * A member in the account that is named, or in the first one in which they may act: their own, else the one that they
 * joined first. Undefined for a member who may not sign in, or has no seat there.
 */
export const actingMember = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  memberId: string,
  named = '',
): Promise<ActingMember | undefined> => {
  const member = await ledger.member.recent(memberId)
  if (member.status === 'none') return undefined
  const owned = member.accountId === undefined ? undefined : await ledger.account.recent(member.accountId)
  // Whoever may not sign in to their own account has nothing to sign in with.
  if (owned && !mayAct(owned)) return undefined
  const signOuts = member.signOuts + (owned?.status === 'activated' ? owned.signOuts : 0)
  const accounts = named === '' ? accountsOf(member) : [named]
  for (const accountId of accounts) {
    const isOwned = accountId === member.accountId
    const [account, team] = await Promise.all([ledger.account.recent(accountId), ledger.team.recent(accountId)])
    const seat = isOwned ? undefined : seatOf(team, memberId)
    if (!mayAct(account) || !(isOwned || seat)) continue
    const generation = isOwned ? signOuts : signOuts + account.signOuts
    return { member, accountId, account, seat, generation, factorRequired: team.factorRequired }
  }
  return undefined
}

/** The accounts that somebody belongs to, their own first. */
export const accountsOf = ({ accountId, accounts }: Member): readonly string[] =>
  accountId === undefined ? accounts : [accountId, ...accounts]

const mayAct = (account: SignedUpAccount | { readonly status: 'none' }): account is SignedUpAccount =>
  account.status === 'activated' && !account.erased && !isStopped(account)

/** When the account that a member owns was closed; undefined while it is open, and for who owns none. */
export const closedSince = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  memberId: string,
): Promise<string | undefined> => {
  const member = await ledger.member.recent(memberId)
  const accountId = member.status === 'none' ? undefined : member.accountId
  const account = accountId === undefined ? undefined : await ledger.account.recent(accountId)
  return account && account.status !== 'none' ? account.closed?.at : undefined
}

/** Whether this is the password by which a member signs in. */
export const isPasswordOfMember = async (
  flow: UseCaseContext,
  memberId: string,
  password: string,
): Promise<boolean> => {
  const { member, account } = await signInOf(flow, memberId)
  if (!account) return await flow.passwords.verify(member.own?.passwordHash, password)
  return (await provenBy(flow, account, password)) !== undefined
}

/** The address by which a member signs in; undefined when it was erased. */
export const addressOfMember = async (flow: UseCaseContext, memberId: string): Promise<string | undefined> => {
  const { email } = await signInOf(flow, memberId)
  return email === undefined ? undefined : await flow.vault.open(email)
}

/** The subject under whose data key a member's secrets are sealed: the account that they own, else they themselves. */
const subjectOfMember = (memberId: string, { accountId }: Pick<Member, 'accountId'>): string => accountId ?? memberId

/** Sends the code that a member types before their first second factor. Refuses `rate-limited`. */
export const sendMemberCode = async (flow: UseCaseContext, memberId: string): Promise<void> => {
  const { ledger, vault, world } = flow
  const { member } = await signInOf(flow, memberId)
  const to =
    (await addressOfMember(flow, memberId)) ??
    refuse('not-found', 'The address of this account was erased. Make a new account.')
  const code = newCode(world)
  await ledger.member.requestCode(memberId, {
    codeHash: world.digest(codeToken(memberId, code)),
    expiresAt: new Date(world.now().getTime() + CODE_MINUTES * 60_000).toISOString(),
    letter: await vault.seal(subjectOfMember(memberId, member), JSON.stringify(codeLetter(to, code))),
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

/** What a member signs in with: the account that they own, or an address and a password of their own. */
const signInOf = async (
  { ledger }: UseCaseContext,
  memberId: string,
): Promise<{ member: Member; account?: SignedUpAccount; email: SealedText | undefined }> => {
  const member = await ledger.member.read(memberId)
  if (member.status === 'none') return refuse('not-found', 'There is no such member. Sign in again.')
  if (member.accountId === undefined) return { member, email: member.own?.email }
  const account = await ledger.account.read(member.accountId)
  if (account.status === 'none') return refuse('not-found', 'There is no such account. Sign in again.')
  return { member, account, email: account.email }
}
