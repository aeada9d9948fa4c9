import { SEATS_OF_PERSON_MAX } from '../../../account/members/member.ts'
import { slotsFree } from '../../../account/members/seats.ts'
import { SEAT_PRICES } from '../../../account/roles.ts'
import { invitationOf, type MemberGrants } from '../../../account/team-members.ts'
import { isRefusal, refuse } from '../../../kernel/refusal.ts'
import type { UseCaseContext } from '../../context.ts'
import { fingerprintOf } from '../email-address.ts'
import { memberByFingerprint, personOf } from '../members.ts'
import { buySeat, mustKnowStores } from '../seat-orders.ts'

/** People are invited to an account by letter, and join it by the letter's link (N-95). */

/** Days within which an invitation has to be accepted. */
const INVITATION_DAYS = 7

/** Whom an owner invites; `agreed` is what they were told that it costs, in millionths of a US dollar. */
export type InvitationWish = MemberGrants & { readonly email: string; readonly by: string; readonly agreed: bigint }

/**
 * Sends a letter with a link. When no seat is free, one more is paid from the credit, provided that the owner has
 * agreed to exactly that. Refuses what `invite` of the team refuses, and `store-not-found`.
 * @returns what it costs, where that has not been agreed to, and nothing was done
 */
export const inviteMember = async (
  flow: UseCaseContext,
  accountId: string,
  { email, agreed, ...wish }: InvitationWish,
): Promise<{ readonly asks: bigint } | undefined> => {
  const { ledger, vault, world } = flow
  const emailFingerprint = fingerprintOf(flow, email)
  const account = await ledger.account.read(accountId)
  if (account.status !== 'none' && account.emailFingerprint === emailFingerprint)
    return refuse(
      'invalid-request',
      'email: this is the address of the owner, who may do everything already. Write that of somebody else',
    )
  await mustKnowStores(flow, accountId, wish.storeScope)
  const token = `${accountId}.${world.secret(32)}`
  const invitation = {
    ...wish,
    emailFingerprint,
    email: await vault.seal(accountId, email),
    tokenHash: world.digest(token),
    expiresAt: new Date(world.now().getTime() + INVITATION_DAYS * 86_400_000).toISOString(),
    letter: await vault.seal(accountId, JSON.stringify(await letterOf(flow, accountId, email, token))),
  }
  const isSent = await ledger.team.invite(accountId, invitation).then(
    () => true,
    (error: unknown) => {
      if (isRefusal(error, 'insufficient-credit')) return false
      throw error
    },
  )
  if (isSent) return undefined
  const fee = SEAT_PRICES[wish.role]
  if (agreed !== fee) return { asks: fee }
  await buySeat(flow, accountId, fee, { id: world.id('so'), kind: 'invite', ...invitation })
  return undefined
}

/** What a link invites to, and who has its address. Refuses `verification-link-invalid`. */
export const invitationAt = async (flow: UseCaseContext, token: string) => {
  const { ledger, world } = flow
  const accountId = token.slice(0, token.indexOf('.'))
  const team = await ledger.team.read(accountId)
  const link = { tokenHash: world.digest(token) }
  const invitation = invitationOf(team, link, world.now().toISOString())
  const memberId = await memberByFingerprint(flow, invitation.emailFingerprint)
  return { accountId, invitation, memberId, hasSeat: slotsFree(team) > 0 }
}

/**
 * The member of the address takes the seat. Refuses `verification-link-invalid`, also for any other member, and
 * `state-forbids` when no seat is free.
 */
export const acceptInvitation = async (flow: UseCaseContext, token: string, memberId: string): Promise<string> => {
  const { ledger, world } = flow
  const { accountId, invitation, memberId: invited } = await invitationAt(flow, token)
  if (invited !== memberId)
    return refuse(
      'verification-link-invalid',
      'This invitation is for another email address. Sign in with that one, or ask for an invitation of yours.',
    )
  const member = await ledger.member.read(memberId)
  if (member.status !== 'none' && member.accounts.length >= SEATS_OF_PERSON_MAX)
    return refuse('state-forbids', `One person belongs to at most ${SEATS_OF_PERSON_MAX} accounts. Leave one first.`)
  const { emailFingerprint } = invitation
  await ledger.team.accept(accountId, { memberId, emailFingerprint, tokenHash: world.digest(token) })
  await ledger.member.join(memberId, { accountId, role: 'invited' })
  return accountId
}

/**
 * Somebody who is nobody yet chooses a password, and takes the seat. Refuses what accepting refuses, and `id-taken`
 * when the address has become a member's meanwhile.
 * @returns the account, and who they are from now on
 */
export const joinAsNewMember = async (
  flow: UseCaseContext,
  token: string,
  password: string,
): Promise<{ readonly accountId: string; readonly memberId: string }> => {
  const { ledger, passwords, vault, world } = flow
  const { accountId, invitation, memberId: known, hasSeat } = await invitationAt(flow, token)
  if (known !== undefined) return refuse('id-taken')
  if (!hasSeat) return refuse('state-forbids', 'No seat is free any more. Ask whoever invited you to free one.')
  const { email: sealed, emailFingerprint } = invitation
  const { personId: memberId } = await personOf(flow, emailFingerprint)
  const email = (await vault.open(sealed)) ?? refuse('verification-link-invalid')
  const passwordHash = await passwords.hash(password)
  await ledger.member.register(memberId, { email: await vault.seal(memberId, email), emailFingerprint, passwordHash })
  await ledger.team.accept(accountId, { memberId, emailFingerprint, tokenHash: world.digest(token) })
  await ledger.member.join(memberId, { accountId, role: 'invited' })
  return { accountId, memberId }
}

/** What an account is called to those who are invited to it: its brand, else the address of its owner. */
export const nameOfAccount = async (
  { ledger, vault }: Pick<UseCaseContext, 'ledger' | 'vault'>,
  accountId: string,
): Promise<string> => {
  const [{ branding }, account] = await Promise.all([ledger.settings.read(accountId), ledger.account.read(accountId)])
  if (branding.brandName !== '') return branding.brandName
  return (account.status === 'none' ? undefined : await vault.open(account.email)) ?? accountId
}

const letterOf = async (flow: UseCaseContext, accountId: string, to: string, token: string) => ({
  to,
  subject: 'You are invited to a team at Daybook',
  text: [
    `You are invited to the team of ${await nameOfAccount(flow, accountId)}, who sell with Daybook.`,
    'The page of this link says what you may do there. Follow it to accept:',
    '',
    `${flow.origins.base}/dashboard/join/${token}`,
    '',
    `The link works once, within ${INVITATION_DAYS} days, for this email address alone.`,
    'If you do not know who that is, there is nothing to do.',
  ].join('\n'),
})
