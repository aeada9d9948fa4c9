import type { SignedUpAccount } from '../../../domain/account/account.ts'
import { ownerMemberId } from '../../../domain/account/members/member.ts'
import { fingerprintOf } from '../../../domain/use-cases/account/email-address.ts'
import { memberByFingerprint } from '../../../domain/use-cases/account/members.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Books } from '../../books/books.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { world } from '../../settings/world.ts'
import {
  addressShown,
  type Decision,
  FOUND_SHOWN,
  isCalled,
  openSupport,
  READ_MAX,
  type Support,
} from '../support/people.ts'
import { statusOf } from './accounts.ts'

/** What support does with the people of a seller's account. */

type Search = { readonly text: string; readonly limit?: number; readonly reveal?: boolean }
type Act = Decision & { readonly id: string; readonly member?: string }

/** Finds accounts by id, by a member's id, by a whole address, or by a part of the brand's name; newest first. */
export const findAccounts = async (
  books: Books,
  config: Config,
  out: Output,
  { text, limit = FOUND_SHOWN, reveal = false }: Search,
): Promise<void> => {
  const support = await openSupport(books, config, out)
  const { ledger, vault } = support.flow
  const { ids, isExact } = await candidatesFor(support, text)
  const found = []
  for (const id of ids) {
    if (found.length >= limit) break
    const account = await ledger.account.read(id)
    if (account.status === 'none') continue
    const { branding } = await ledger.settings.read(id)
    if (!isExact && !isCalled(text, branding.brandName)) continue
    const email = await addressShown(vault, account.email, reveal)
    found.push({ account_id: id, status: statusOf(account), email, name: branding.brandName || null })
  }
  if (ids.length >= READ_MAX)
    out.remark(`Only the newest ${READ_MAX} accounts were looked at by name: name an address or an id for others.`)
  if (found.length === 0) throw new CommandFailure(`no account has the id, the address or the name ${text}`)
  const rows = found.map((row) => [row.account_id, row.status, row.email ?? '(erased)', row.name ?? ''])
  await out.tell(found, columns([['Account', 'Status', 'Email', 'Name'], ...rows]))
}

const candidatesFor = async (
  { flow, ids }: Support,
  text: string,
): Promise<{ readonly ids: readonly string[]; readonly isExact: boolean }> => {
  if (/^acc_[a-z0-9]+$/.test(text)) return { ids: [text], isExact: true }
  if (/^mem_[a-z0-9]+$/.test(text)) return { ids: await accountsOfMember(flow, text), isExact: true }
  if (text.includes('@')) {
    const fingerprint = fingerprintOf(flow, text)
    const { holder, requests } = await flow.ledger.email.read(fingerprint)
    const person = await memberByFingerprint(flow as UseCaseContext, fingerprint)
    const known = [
      ...(holder === undefined ? [] : [holder]),
      ...requests.map(({ accountId }) => accountId),
      ...(person === undefined ? [] : await accountsOfMember(flow, person)),
    ]
    return { ids: [...new Set(known)], isExact: true }
  }
  const known = await ids('accounts', 'AccountSignedUp', async (queries) =>
    (await queries.accounts(READ_MAX)).map(({ accountId }) => accountId),
  )
  return { ids: known.slice(0, READ_MAX), isExact: false }
}

const accountsOfMember = async ({ ledger }: Support['flow'], memberId: string): Promise<readonly string[]> => {
  const member = await ledger.member.read(memberId)
  if (member.status === 'none') return []
  return member.accountId === undefined ? member.accounts : [member.accountId, ...member.accounts]
}

/** Takes every second factor of a member away: of the owner, unless another member of the account is named. */
export const resetMemberFactors = async (books: Books, config: Config, out: Output, act: Act): Promise<void> => {
  const { id, member: named, ...decision } = act
  const support = await openSupport(books, config, out)
  const memberId = await memberOf(support, id, named)
  const { signIn, flow } = support
  const changed = (await flow.ledger.member.resetFactors(memberId, { ...decision, accountId: id })).events.length > 0
  await Promise.all([signIn.signIns.giveUpAll(memberId), signIn.factors.forgetFactors(memberId)])
  await out.tell(
    { account_id: id, member_id: memberId, reset: true, changed },
    changed ? `${memberId} signs in with the password alone` : `${memberId} had no second factor`,
  )
}

/** Signs one member out everywhere, or everybody of the account. No event where nobody was signed in. */
export const endAccountSessions = async (books: Books, config: Config, out: Output, act: Act): Promise<void> => {
  const { id, member: named, ...decision } = act
  const support = await openSupport(books, config, out)
  const { flow, signIn } = support
  await accountOf(support, id)
  const people = named === undefined ? await peopleOf(support, id) : [await memberOf(support, id, named)]
  const open = []
  for (const memberId of people)
    open.push(...(await signIn.memberSessions.ofUser(memberId, world.now())).filter(isIn(id, memberId, named)))
  if (open.length > 0 && named !== undefined)
    await flow.ledger.member.endSessions(named, { ...decision, accountId: id })
  if (open.length > 0 && named === undefined) await flow.ledger.account.endSessions(id, decision)
  for (const { sid } of open) await signIn.memberSessions.end(sid)
  for (const memberId of people) await signIn.signIns.giveUpAll(memberId)
  const changed = open.length > 0
  await out.tell(
    { account_id: id, ended: open.length, changed },
    changed ? `${named ?? id}: ${open.length} signed out` : `${named ?? id}: nobody was signed in`,
  )
}

/** Whether a session is of this account; of a member who is named all are meant. */
const isIn =
  (id: string, memberId: string, named: string | undefined) =>
  ({ accountId }: { readonly accountId: string }): boolean =>
    named !== undefined || accountId === id || (accountId === '' && memberId === ownerMemberId(id))

/** The owner of an account, and everybody who has a seat in it. */
const peopleOf = async ({ flow }: Support, id: string): Promise<readonly string[]> => {
  const { members } = await flow.ledger.team.read(id)
  return [ownerMemberId(id), ...Object.values(members).map(({ memberId }) => memberId)]
}

/** A member of the account: the one who is named, else its owner. */
const memberOf = async (support: Support, id: string, named: string | undefined): Promise<string> => {
  await accountOf(support, id)
  const memberId = named ?? ownerMemberId(id)
  const member = await support.flow.ledger.member.read(memberId)
  const belongs = member.status !== 'none' && (member.accountId === id || member.accounts.includes(id))
  if (member.status === 'none' || !belongs)
    throw new CommandFailure(`${named ?? `the owner of ${id}`} has never signed in to ${id}, or is no member of it`)
  return memberId
}

const accountOf = async ({ flow }: Support, id: string): Promise<SignedUpAccount> => {
  const state = await flow.ledger.account.read(id)
  if (state.status === 'none' || state.erased) throw new CommandFailure(`there is no account ${id}`)
  return state
}
