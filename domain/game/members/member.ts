import { decider } from '../../kernel/decider.ts'
import { refuse } from '../../kernel/refusal.ts'
import { type GameCall, isRepeated, withNoted } from '../characters/calls.ts'
import type { CharacterClass } from '../world/classes.ts'
import { periodOf } from '../world/periods.ts'
import { questOf } from '../world/quests.ts'
import {
  changedLink,
  claimedLink,
  type LinkCommands,
  type LinkEvents,
  type Links,
  linksAfter,
  madeLinkCode,
  revokedLink,
} from './links.ts'
import {
  NOTHING_SPENT,
  type Spending,
  type Stake,
  type StakedUnits,
  stakedUnits,
  withReturned,
  withStaked,
} from './stakes.ts'

/**
 * A member of the game: its links, its characters, its game units and what its links have spent today. Every rule that
 * limits what a member spends is decided here, in one stream, which is named by the user's sub.
 */

/** Units that came in, and the place in the ledger's own order of the event that sent them. */
type UnitsReceived = {
  from: string
  units: number
  /** The id of the stake that these units were, where they came back unused. */
  returned: string | null
  position: string
  balance: number
}

export type MemberEvents = LinkEvents & {
  /** The character was created before, in a stream of its own. */
  CharacterEnlisted: { characterId: number; name: string; class: CharacterClass; enlistedAt: string }
  GameUnitsStaked: StakedUnits
  GameUnitsReceived: UnitsReceived
  /** A member has taken a quest's reward on its own pages; `period` is the day or season that it is for. */
  QuestRewardClaimed: { slug: string; period: string; units: number; balance: number; claimedAt: string }
  /**
   * A call that is about to join something that others have made: no other thing is joined under the same key (N-41).
   */
  GameCallNoted: { call: GameCall }
}

export type MemberCommands = LinkCommands & {
  /** Refuses `too-many-characters`. Does nothing when the character is there. */
  enlist: { characterId: number; name: string; class: CharacterClass }
  stake: Stake
  /** Comes from one ordered reactor: units up to a known position are not received again. */
  receive: Omit<UnitsReceived, 'balance'>
  /**
   * Whoever claims has proved that the quest is done. Refuses `not-found`, `state-forbids` for a period that is not the
   * present one, `already-claimed` for the one that it was claimed for last, and for any before it.
   */
  claimQuest: { slug: string; period: string }
  /** Refuses `idempotency-conflict` when its key came with another body. Does nothing when it was noted. */
  noteCall: { call: GameCall }
}

export type MemberState = {
  readonly links: Links
  readonly characters: readonly number[]
  readonly balance: number
  readonly spending: Spending
  /** The newest position that was received. */
  readonly received: bigint
  /** The newest period that each quest was claimed for. */
  readonly quests: { readonly [slug: string]: string }
  /** The newest calls that were noted. */
  readonly calls: readonly GameCall[]
}

/** The most characters of one member. */
export const CHARACTERS_MAX = 5

/** Whether a quest's reward was taken for that period, or for a later one. */
export const isClaimed = (quests: MemberState['quests'], slug: string, period: string): boolean =>
  (quests[slug] ?? '') >= period

export const gameMember = decider<MemberEvents, MemberCommands, MemberState>({
  category: 'gameMember',
  grows: true,
  stateVersion: 2,
  initial: { links: {}, characters: [], balance: 0, spending: NOTHING_SPENT, received: -1n, quests: {}, calls: [] },
  decide: {
    makeCode: ({ links }, command, now) => perhaps('GameLinkCodeMade', madeLinkCode(links, command, now)),
    claim: ({ links }, command, now) => perhaps('GameLinkClaimed', claimedLink(links, command, now)),
    changeLink: ({ links }, command) => perhaps('GameLinkChanged', changedLink(links, command)),
    revoke: ({ links }, command, now) => perhaps('GameLinkRevoked', revokedLink(links, command, now)),
    enlist: ({ characters }, command, now) => {
      if (characters.includes(command.characterId)) return []
      if (characters.length >= CHARACTERS_MAX)
        return refuse(
          'too-many-characters',
          `A member has at most ${CHARACTERS_MAX} characters. Play with one of them.`,
        )
      return [{ type: 'CharacterEnlisted', data: { ...command, enlistedAt: now } }]
    },
    stake: (state, command, now) => perhaps('GameUnitsStaked', stakedUnits(state, command, now)),
    receive: ({ received, balance }, command) => {
      if (BigInt(command.position) <= received) return []
      return [{ type: 'GameUnitsReceived', data: { ...command, balance: balance + command.units } }]
    },
    claimQuest: ({ quests, balance }, { slug, period }, now) => {
      const { every, units } =
        questOf(slug) ?? refuse('not-found', 'There is no such quest. Choose one of those on the page.')
      if (period !== periodOf(every, now).slug)
        return refuse('state-forbids', 'The time for this quest is over. Choose another one.')
      if (isClaimed(quests, slug, period))
        return refuse('already-claimed', 'You have this reward already. Choose another quest.')
      return [{ type: 'QuestRewardClaimed', data: { slug, period, units, balance: balance + units, claimedAt: now } }]
    },
    noteCall: ({ calls }, { call }) => (isRepeated(calls, call) ? [] : [{ type: 'GameCallNoted', data: { call } }]),
  },
  evolve: {
    GameLinkCodeMade: (state, data) => ({ ...state, links: linksAfter.GameLinkCodeMade(state.links, data) }),
    GameLinkClaimed: (state, data) => ({ ...state, links: linksAfter.GameLinkClaimed(state.links, data) }),
    GameLinkChanged: (state, data) => ({ ...state, links: linksAfter.GameLinkChanged(state.links, data) }),
    GameLinkRevoked: (state, data) => ({ ...state, links: linksAfter.GameLinkRevoked(state.links, data) }),
    CharacterEnlisted: (state, { characterId }) => ({ ...state, characters: [...state.characters, characterId] }),
    GameUnitsStaked: (state, data) => ({
      ...state,
      balance: data.balance,
      spending: withStaked(state.spending, data),
    }),
    GameUnitsReceived: (state, { balance, position, returned }) => ({
      ...state,
      balance,
      received: BigInt(position),
      spending: returned === null ? state.spending : withReturned(state.spending, returned),
    }),
    QuestRewardClaimed: (state, { slug, period, balance }) => ({
      ...state,
      balance,
      quests: { ...state.quests, [slug]: period },
    }),
    GameCallNoted: (state, { call }) => ({ ...state, calls: withNoted(state.calls, call) }),
  },
})

const perhaps = <T extends keyof MemberEvents & string>(type: T, data: MemberEvents[T] | undefined) =>
  data === undefined ? [] : [{ type, data } as { type: T; data: MemberEvents[T] }]
