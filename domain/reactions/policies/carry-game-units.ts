import { idOf } from '../../kernel/stream-id.ts'
import { payingTypes, payoutsOf } from '../../reading/game-payouts.ts'
import type { PolicyTogether } from '../subscriber/policy.ts'

/** Every unit that an event sent arrives with its member, once, in the order of the log. */
export const carryGameUnits: PolicyTogether = {
  name: 'carry-game-units',
  types: payingTypes,
  max: 50,
  async react(events, contextOf) {
    for (const event of events) {
      const { ledger } = contextOf(event)
      for (const { member, from, units, returned = null } of payoutsOf(event.type, event.data, idOf(event.stream)))
        await ledger.gameMember.receive(member, { from, units, returned, position: String(event.order) })
    }
  },
}
