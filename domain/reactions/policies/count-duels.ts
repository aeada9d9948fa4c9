import type { DuelResult } from '../../game/characters/record.ts'
import type { DuelEvents } from '../../game/contests/duel.ts'
import { idOf } from '../../kernel/stream-id.ts'
import type { Policy } from '../subscriber/policy.ts'

/** A duel that was fought counts for both of its characters, once, in the order of the log. */
export const countDuels: Policy = {
  name: 'count-duels',
  on: {
    async DuelResolved({ stream, order, data }, { ledger }) {
      const { challenger, defender, rating, resolvedAt: foughtAt } = data
      const duel = { duelId: idOf(stream), foughtAt, position: String(order) }
      const sides = [
        { own: challenger, opponent: defender, rated: rating.challenger },
        { own: defender, opponent: challenger, rated: rating.defender },
      ]
      for (const { own, opponent, rated } of sides) {
        const change = rated.after - rated.before
        await ledger.gameCharacter.countDuel(String(own), { ...duel, opponent, result: resultOf(data, own), change })
      }
    },
  },
}

const resultOf = ({ winner }: DuelEvents['DuelResolved'], own: number): DuelResult =>
  winner === null ? 'draw' : winner === own ? 'win' : 'loss'
