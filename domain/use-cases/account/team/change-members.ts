import { upgradeFee } from '../../../account/members/seats.ts'
import { SEAT_PRICES } from '../../../account/roles.ts'
import { type MemberGrants, memberAt, memberGrantsAfter, seatOf } from '../../../account/team-members.ts'
import type { UseCaseContext } from '../../context.ts'
import { buySeat, mustKnowStores } from '../seat-orders.ts'

/** The owner changes what a member may do, or ends it (N-95). */

type MemberWish = Partial<MemberGrants> & { readonly by: string; readonly agreed: bigint }

/**
 * Gives a member another role, other permissions or other stores. What the seat costs more is paid from the credit,
 * provided that the owner has agreed to exactly that. Refuses `not-found`, `store-not-found`, `invalid-request`,
 * `insufficient-credit`.
 * @returns what it costs, where that has not been agreed to, and nothing was done
 */
export const changeMember = async (
  flow: UseCaseContext,
  accountId: string,
  number: number,
  { by, agreed, ...wish }: MemberWish,
): Promise<{ readonly asks: bigint } | undefined> => {
  const { ledger, world } = flow
  if (wish.storeScope) await mustKnowStores(flow, accountId, wish.storeScope)
  const member = memberAt(await ledger.team.read(accountId), number)
  const grants = memberGrantsAfter(member, wish)
  const fee = upgradeFee(member, SEAT_PRICES[grants.role])
  if (fee > 0n && agreed !== fee) return { asks: fee }
  if (fee > 0n)
    await buySeat(flow, accountId, fee, { id: world.id('so'), kind: 'change-member', number, by, ...grants })
  else await ledger.team.changeMember(accountId, { ...grants, number, by })
  return undefined
}

/**
 * Ends what a member may do in an account; their seat is free. Quiet for one who is gone.
 * @returns the id of the member, whose sessions there have to end
 */
export const removeMember = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  accountId: string,
  { number, by }: { readonly number: number; readonly by: string },
): Promise<string | undefined> => {
  const { events } = await ledger.team.removeMember(accountId, { number, by })
  const memberId = events.find((event) => event.type === 'MemberRemoved')?.data.memberId
  if (memberId !== undefined) await ledger.member.leave(memberId, { accountId })
  return memberId
}

/**
 * Erases a person who owns no account: they have no seat any more, sign in nowhere, and what was sealed for them cannot
 * be read. The data key goes last, so that a repeat finishes what broke off. Refuses `not-found`, `state-forbids`.
 */
export const eraseMember = async (
  { ledger, vault }: Pick<UseCaseContext, 'ledger' | 'vault'>,
  memberId: string,
): Promise<void> => {
  const member = await ledger.member.read(memberId)
  for (const accountId of member.status === 'none' || member.accountId ? [] : member.accounts) {
    const seat = seatOf(await ledger.team.read(accountId), memberId)
    if (seat) await removeMember({ ledger }, accountId, { number: seat.number, by: 'operator' })
  }
  await ledger.member.erase(memberId, {})
  await vault.erase(memberId)
}
