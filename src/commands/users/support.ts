import { endAllSessions } from '../../../adapters/http/auth/oidc/end-sessions.ts'
import type { User } from '../../../domain/signin/user.ts'
import type { Profile } from '../../../domain/use-cases/signin/register-user.ts'
import { userFingerprint } from '../../../domain/use-cases/signin/user-address.ts'
import type { Books } from '../../books/books.ts'
import { CommandFailure } from '../../console/failures.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { world } from '../../settings/world.ts'
import {
  addressShown,
  type Decision,
  FOUND_SHOWN,
  factorLine,
  factorsShown,
  isCalled,
  openSupport,
  READ_MAX,
  type Support,
} from '../support/people.ts'

/** What support does with a person who signs in. */

export type Search = { readonly text: string; readonly limit?: number; readonly reveal?: boolean }
type Act = Decision & { readonly sub: string }

/** Finds users by their `sub`, by their whole address, or by a part of their name; newest first. */
export const findUsers = async (
  books: Books,
  config: Config,
  out: Output,
  { text, limit = FOUND_SHOWN, reveal = false }: Search,
): Promise<void> => {
  const support = await openSupport(books, config, out)
  const { ledger, vault } = support.flow
  const found = []
  const { subs, isExact } = await candidatesFor(support, text)
  for (const sub of subs) {
    if (found.length >= limit) break
    const user = await ledger.user.read(sub)
    if (user.status === 'none') continue
    const { name, preferred_username: handle } = await profileOf(support, user)
    if (!isExact && !isCalled(text, name, handle)) continue
    const email = await addressShown(vault, user.email, reveal)
    found.push({ sub, status: statusOf(user), email, name: reveal ? (name ?? null) : undefined })
  }
  if (subs.length >= READ_MAX)
    out.remark(`Only the newest ${READ_MAX} users were looked at by name: name an address or a sub for others.`)
  if (found.length === 0) throw new CommandFailure(`no user has the sub, the address or the name ${text}`)
  const rows = found.map(({ sub, status, email, name }) => [sub, status, email ?? '(erased)', name ?? ''])
  await out.tell(found, columns([['Sub', 'Status', 'Email', reveal ? 'Name' : ''], ...rows]))
}

/** Who may be meant: the person whose id or address it is (`isExact`), or all who are then asked for their name. */
const candidatesFor = async (
  { flow, ids }: Support,
  text: string,
): Promise<{ readonly subs: readonly string[]; readonly isExact: boolean }> => {
  if (/^usr_[a-z0-9]+$/.test(text)) return { subs: [text], isExact: true }
  if (text.includes('@')) {
    const fingerprint = userFingerprint(flow, text)
    const { holder } = await flow.ledger.email.read(fingerprint)
    const user = holder === undefined ? undefined : await flow.ledger.user.read(holder)
    const isTheirs = user && user.status !== 'none' && user.emailFingerprint === fingerprint
    return { subs: holder !== undefined && isTheirs ? [holder] : [], isExact: true }
  }
  const subs = await ids('users', 'UserRegistered', async (queries) =>
    (await queries.users(READ_MAX)).map(({ sub }) => sub),
  )
  return { subs: subs.slice(0, READ_MAX), isExact: false }
}

/** Shows one user: how they sign in, what they have, and since when they are suspended. */
export const showUser = async (
  books: Books,
  config: Config,
  out: Output,
  { sub, reveal = false }: { readonly sub: string; readonly reveal?: boolean },
): Promise<void> => {
  const support = await openSupport(books, config, out)
  const { flow, signIn } = support
  const user = await userOf(support, sub)
  const [balance, sessions] = await Promise.all([
    flow.ledger.userBalance.read(sub),
    signIn.sessions.ofUser(sub, world.now()),
  ])
  const email = await addressShown(flow.vault, user.email, reveal)
  const { name = null } = reveal ? await profileOf(support, user) : {}
  const { suspended } = user
  const told = {
    sub,
    status: statusOf(user),
    email,
    name,
    suspended_at: suspended?.at ?? null,
    reason: suspended?.reason ?? null,
    sessions: sessions.length,
    ...factorsShown(user),
    standing_orders: Object.keys(balance.orders).length,
  }
  const lines = [
    `${sub}: ${told.status}${suspended ? ` since ${suspended.at}: ${suspended.reason}` : ''}`,
    `Email: ${email ?? '(erased)'}${user.status === 'unverified' ? ', not verified' : ''}`,
    ...(name === null ? [] : [`Name: ${name}`]),
    `Second factors: ${factorLine(user)}`,
    `Sessions: ${sessions.length}, standing orders: ${told.standing_orders}`,
  ]
  await out.tell(told, lines.join('\n'))
}

/** Keeps a user from signing in and paying: the event first, which a running service obeys, then what is open. */
export const suspendUser = async (books: Books, config: Config, out: Output, act: Act): Promise<void> => {
  const { sub, ...decision } = act
  const support = await openSupport(books, config, out)
  await userOf(support, sub)
  const changed = (await support.flow.ledger.user.suspend(sub, decision)).events.length > 0
  await endEverything(support, sub)
  await out.tell(
    { sub, suspended: true, changed },
    changed ? `${sub} is suspended: ${decision.reason}` : `${sub} was suspended before`,
  )
}

/** Lets a suspended user sign in again. */
export const unsuspendUser = async (books: Books, config: Config, out: Output, act: Act): Promise<void> => {
  const { sub, ...decision } = act
  const support = await openSupport(books, config, out)
  await userOf(support, sub)
  const changed = (await support.flow.ledger.user.reinstate(sub, decision)).events.length > 0
  await out.tell({ sub, suspended: false, changed }, changed ? `${sub} can sign in again` : `${sub} was not suspended`)
}

/** Takes every second factor away, and whatever was begun with one. */
export const resetUserFactors = async (books: Books, config: Config, out: Output, act: Act): Promise<void> => {
  const { sub, ...decision } = act
  const support = await openSupport(books, config, out)
  await userOf(support, sub)
  const changed = (await support.flow.ledger.user.resetFactors(sub, decision)).events.length > 0
  await Promise.all([support.signIn.signIns.giveUpAll(sub), support.signIn.factors.forgetFactors(sub)])
  await out.tell(
    { sub, reset: true, changed },
    changed ? `${sub} signs in with the password alone` : `${sub} had no second factor`,
  )
}

/** Signs a user out everywhere, and ends what apps were given. No event where nothing was open. */
export const endUserSessions = async (books: Books, config: Config, out: Output, act: Act): Promise<void> => {
  const { sub, ...decision } = act
  const support = await openSupport(books, config, out)
  await userOf(support, sub)
  const open = await support.signIn.sessions.ofUser(sub, world.now())
  if (open.length > 0) await support.flow.ledger.user.endSessions(sub, decision)
  await endEverything(support, sub)
  const changed = open.length > 0
  await out.tell(
    { sub, ended: open.length, changed },
    changed ? `${sub} is signed out of ${open.length}` : `${sub} was signed in nowhere`,
  )
}

const endEverything = async ({ flow, signIn }: Support, sub: string): Promise<void> => {
  await endAllSessions({ flow, signIn }, sub)
  await signIn.signIns.giveUpAll(sub)
}

const userOf = async ({ flow }: Support, sub: string): Promise<User> => {
  const user = await flow.ledger.user.read(sub)
  if (user.status === 'none' || user.status === 'erased') throw new CommandFailure(`there is no user ${sub}`)
  return user
}

const statusOf = ({ status, suspended }: User): string =>
  status !== 'erased' && suspended !== undefined ? 'suspended' : status

const profileOf = async ({ flow }: Support, { profile }: User): Promise<Profile> =>
  JSON.parse((await flow.vault.open(profile)) ?? '{}') as Profile
