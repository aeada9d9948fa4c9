import type { StakeRef } from '../../game/contests/escrow.ts'
import type { Stake, StakeFor } from '../../game/members/stakes.ts'
import { dayOf } from '../../kernel/calendar.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import type { Player } from './links.ts'

/**
 * What is staked: for what, under which scope, into which escrow. `about` names it among all that this member may stake
 * for.
 */
type StakeWish = Pick<Stake, 'scope' | 'to' | 'units'> & {
  readonly about: string
  readonly for: Exclude<StakeFor, { kind: 'studio' }>
}

/**
 * Stakes units for something once a day; null for none. The id is of the day, on which alone it is good, so that no two
 * stakes ever share one. Refuses `idempotency-conflict` where another amount is staked for it, and all that a stake is
 * refused for.
 */
export const stakeToday = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  { member, linkId }: Player,
  { about, units, ...what }: StakeWish,
): Promise<StakeRef | null> => {
  if (units === 0) return null
  const onDay = dayOf(world.now().toISOString())
  const stakeId = `${about}:${onDay}`
  const { state } = await ledger.gameMember.stake(member, { stakeId, linkId, units, ...what, onDay })
  // Whoever meets a stake that is there already has what was staked, not what it asks for.
  if (state.spending.stakes[stakeId]?.units !== units)
    refuse('idempotency-conflict', 'Another amount is staked for this.')
  return { stakeId, units }
}
