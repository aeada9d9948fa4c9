import { idOf } from '../../kernel/stream-id.ts'
import { carryWager } from '../../use-cases/game/duels.ts'
import { carryEntry } from '../../use-cases/game/tournaments.ts'
import type { Policy } from '../subscriber/policy.ts'

/** What units were staked for comes about, also when the call that staked them broke off right then; what can not be used goes back. */
export const carryStakes: Policy = {
  name: 'carry-stakes',
  on: {
    async GameUnitsStaked({ stream, order, data: { stakeId, units, for: what } }, context) {
      const by = { member: idOf(stream), stake: { stakeId, units }, position: String(order) }
      if (what.kind === 'duel' || what.kind === 'duel-accept') await carryWager(context, what, by)
      if (what.kind === 'tournament') await carryEntry(context, what, by)
    },
  },
}
