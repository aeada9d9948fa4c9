import type { DuelResult } from '../../game/characters/record.ts'
import type { DuelEvents } from '../../game/contests/duel.ts'
import { idOf } from '../../kernel/decider.ts'
import type { RecordedEvent } from '../../kernel/ports.ts'
import { isRefusal } from '../../kernel/refusal.ts'
import { payingTypes, payoutsOf } from '../../reading/game-payouts.ts'
import { carryWager } from '../../use-cases/game/duels.ts'
import { endReplaced, holdLink } from '../../use-cases/game/links.ts'
import { carryEntry } from '../../use-cases/game/tournaments.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { type Policy, policy } from '../subscriber/policy.ts'

/** A key acts by the link that it claimed last, also when its call broke off. */
export const holdLinks: Policy = policy({
  name: 'hold-links',
  // A key acts by the link that it claimed last, and each link is of a member.
  keys: {
    GameLinkClaimed: ({ stream, data: { holder } }) => [`member:${idOf(stream)}`, `holder:${holder}`],
    GameLinkHeld: ({ stream, data: { replaced } }) => [
      `holder:${idOf(stream)}`,
      ...(replaced ? [`member:${replaced.member}`] : []),
    ],
  },
  on: {
    GameLinkClaimed: ({ stream, data }, { ledger }) => holdLink(ledger, idOf(stream), data.linkId, data),
    GameLinkHeld: async ({ data: { replaced } }, { ledger }) => replaced && endReplaced(ledger, replaced),
  },
})

/**
 * Lists a character that has begun with its member, also when the call that made it broke off. A member that has
 * reached its limit by now does not list it (G-CHR-02).
 */
export const enlistCharacters: Policy = policy({
  name: 'enlist-characters',
  // A member lists so many; the first ones are listed.
  keys: ({ data: { member } }) => [member],
  on: {
    async CharacterCreated({ data: { member, characterId, name, class: chosen } }, { ledger }) {
      try {
        await ledger.gameMember.enlist(member, { characterId, name, class: chosen })
      } catch (error) {
        if (!isRefusal(error, 'too-many-characters')) throw error
      }
    },
  },
})

/** Orders a work whose fee lies in escrow, also when the call that paid for it broke off right then. */
export const finishStudioJobs: Policy = policy({
  name: 'finish-studio-jobs',
  // Each work has a stream of its own, and is ordered once.
  keys: ({ data }) => (data.for.kind === 'studio' ? [data.for.jti] : []),
  on: {
    GameUnitsStaked: async ({ stream, data }, { ledger }) => {
      if (data.for.kind !== 'studio') return
      const { jti, order } = data.for
      await ledger.gameStudioJob.order(jti, { ...order, member: idOf(stream), linkId: data.linkId })
    },
  },
})

/** Every unit that an event sent arrives with its member, once, in the order of the log. */
export const carryGameUnits: Policy = {
  name: 'carry-game-units',
  // A member tells by the event's place what it has received.
  keys: (event) => partsOf(event).map(({ member }) => member),
  on: Object.fromEntries(payingTypes.map((type) => [type, carryParts])),
}

const partsOf = ({ type, data, stream }: RecordedEvent) => payoutsOf(type, data, idOf(stream))

async function carryParts(event: RecordedEvent, { ledger }: { readonly ledger: Ledger }): Promise<void> {
  for (const { member, from, units, returned = null } of partsOf(event))
    await ledger.gameMember.receive(member, { from, units, returned, position: String(event.order) })
}

/**
 * Carries out what units were staked for, also when the call that staked them broke off right then; a stake that cannot
 * be used goes back.
 */
export const carryStakes: Policy = policy({
  name: 'carry-stakes',
  // A duel, and a tournament, tells by the event's place which stakes it has sent back.
  keys: ({ data: { for: what } }) => {
    if (what.kind === 'tournament') return [`tournament:${what.slug}`]
    return what.kind === 'studio' ? [] : [`duel:${what.duelId}`]
  },
  on: {
    async GameUnitsStaked({ stream, order, data: { stakeId, units, for: what } }, context) {
      const by = { member: idOf(stream), stake: { stakeId, units }, position: String(order) }
      if (what.kind === 'duel' || what.kind === 'duel-accept') await carryWager(context, what, by)
      if (what.kind === 'tournament') await carryEntry(context, what, by)
    },
  },
})

/** A duel that was fought counts for both of its characters, once, in the order of the log. */
export const countDuels: Policy = policy({
  name: 'count-duels',
  // Each character tells by the event's place which duels it has counted.
  keys: ({ data: { challenger, defender } }) => [String(challenger), String(defender)],
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
})

const resultOf = ({ winner }: DuelEvents['DuelResolved'], own: number): DuelResult =>
  winner === null ? 'draw' : winner === own ? 'win' : 'loss'
