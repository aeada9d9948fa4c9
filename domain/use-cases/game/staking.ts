import type { StakeRef } from '../../game/contests/escrow.ts'
import type { Stake, StakeFor } from '../../game/members/stakes.ts'
import { dayOf } from '../../kernel/calendar.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import type { Player } from './links.ts'

/**
 * A stake that is wanted: its purpose, its scope and its escrow. `about` tells it from all else that this member may
 * stake for.
 */
type StakeWish = Pick<Stake, 'scope' | 'to' | 'units'> & {
  readonly about: string
  readonly for: Exclude<StakeFor, { kind: 'studio' }>
}

/**
 * Stakes units for something once a day; null for zero units. The id names the day, and the stake is good on that day
 * alone, so that no two stakes ever share an id. Refuses `idempotency-conflict` where another amount is staked for the
 * same thing, and all that a stake is refused for.
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
  // A call that meets an earlier stake gets the amount of that one, not the amount that it asks for.
  if (state.spending.stakes[stakeId]?.units !== units)
    refuse('idempotency-conflict', 'Another amount is staked for this today. Send that amount.')
  return { stakeId, units }
}
