import type { Rewards } from '../game/characters/character-state.ts'
import type { FeedKind } from '../game/world/feed-kinds.ts'
import type { EventData, EventType } from '../write-side/deciders.ts'

/**
 * What each event tells a member of its own game (G-FED-01): a new event is one line here. Nothing that decides chance
 * is told before it is over, and nothing is told of other members but what all players see.
 */
export type FeedEntry = {
  /**
   * The feed that the entry stands in: a member's own, or that of one of its characters. One event tells an owner one
   * thing.
   */
  readonly owner: FeedOwner
  readonly kind: FeedKind
  readonly data: { readonly [name: string]: Plain }
}

export type FeedOwner = `member:${string}` | `character:${string}`

type Plain = string | number | boolean | null | readonly Plain[] | { readonly [name: string]: Plain }
type Rules = { readonly [T in EventType]?: (data: EventData<T>, id: string) => readonly FeedEntry[] }
/** The same for an event of any type, whose data are what that type says. */
type RulesOfAny = { readonly [type: string]: ((data: never, id: string) => readonly FeedEntry[]) | undefined }

export const memberFeed = (sub: string): FeedOwner => `member:${sub}`
export const characterFeed = (characterId: number | string): FeedOwner => `character:${characterId}`

/** The character whose feed it is; undefined where it is its member's own. */
export const characterOfFeed = (owner: FeedOwner): number | undefined =>
  owner.startsWith('character:') ? Number(owner.slice('character:'.length)) : undefined

const rules: Rules = {
  CharacterCreated: ({ name, class: chosen }, id) => ofCharacter(id, 'character-created', { name, class: chosen }),
  GameDayBegun: ({ day, streak }, id) => ofCharacter(id, 'day-begun', { day, streak }),
  StatTrained: ({ stat, from, to, cost }, id) => ofCharacter(id, 'stat-trained', { stat, from, to, cost }),
  GameTravelBegun: ({ from, to, arrivesAt }, id) =>
    ofCharacter(id, 'travel-begun', { from, to, arrives_at: arrivesAt }),
  GameMissionStarted: (data, id) =>
    ofCharacter(id, 'mission-started', {
      run_id: data.runId,
      mission_id: data.missionId,
      ready_at: data.readyAt,
      success_chance: data.successChance,
      commit: data.commit,
    }),
  GameMissionClaimed: ({ runId, missionId, success, rewards }, id) =>
    ofCharacter(id, success ? 'mission-succeeded' : 'mission-failed', {
      run_id: runId,
      mission_id: missionId,
      rewards: told(rewards),
    }),
  GameScanStarted: ({ scanId, slug, readyAt, commit }, id) =>
    ofCharacter(id, 'scan-started', { run_id: scanId, slug, ready_at: readyAt, commit }),
  GameScanClaimed: ({ scanId, slug, success, find }, id) =>
    ofCharacter(id, 'scan-claimed', { run_id: scanId, slug, success, find: told(find) }),
  GameRunStarted: ({ runId, slug, commit, expiresAt }, id) =>
    ofCharacter(id, 'game-started', { run_id: runId, slug, commit, expires_at: expiresAt }),
  GameRunFinished: ({ runId, slug, score, best, rewards }, id) =>
    ofCharacter(id, 'game-finished', { run_id: runId, slug, score, best, rewards: told(rewards) }),
  GameRunFlagged: ({ runId, slug, reason }, id) => ofCharacter(id, 'game-burnt', { run_id: runId, slug, reason }),
  StudioOrdered: ({ characterId, slug, priceUnits }, jti) =>
    ofCharacter(characterId, 'studio-ordered', { jti, slug, price_units: priceUnits }),
  StudioJobDone: ({ characterId }, jti) => ofCharacter(characterId, 'studio-done', { jti }),
  StudioJobRefunded: ({ characterId, priceUnits }, jti) =>
    ofCharacter(characterId, 'studio-refunded', { jti, price_units: priceUnits }),
  InventionJudged: ({ inventionId, state, score, royaltyUnits }, id) =>
    ofCharacter(id, state === 'accepted' ? 'invention-accepted' : 'invention-rejected', {
      invention_id: inventionId,
      score,
      royalty_units: royaltyUnits,
    }),
  DuelChallenged: ({ challenger, defender, wagerUnits, expiresAt, commit }, id) => {
    const data = { challenge_id: id, challenger, defender, wager_units: wagerUnits, expires_at: expiresAt, commit }
    return [challenger, defender].flatMap((each) => ofCharacter(each, 'duel-offered', data))
  },
  DuelDeclined: (data, id) => ofBoth(data, 'duel-declined', id),
  DuelCanceled: (data, id) => ofBoth(data, 'duel-canceled', id),
  DuelExpired: (data, id) => ofBoth(data, 'duel-expired', id),
  GameDuelCounted: ({ duelId, opponent, result, rated, rating }, id) =>
    ofCharacter(id, DUELS[result], { challenge_id: duelId, opponent, rated, rating }),
  TournamentEntered: ({ slug, characterId, entryUnits }) =>
    ofCharacter(characterId, 'tournament-entered', { slug, entry_units: entryUnits }),
  TournamentSettled: ({ board }, slug) =>
    board.flatMap(({ characterId, rank, score, units }) =>
      ofCharacter(characterId, placed(rank, units), { slug, rank, score, units }),
    ),
  GameUnitsStaked: ({ units, scope, to, balance }, id) =>
    ofMember(id, 'units-staked', { units: -units, scope, to, balance }),
  GameUnitsReceived: ({ units, from, returned, balance }, id) =>
    ofMember(id, 'units-received', { units, from, returned: returned !== null, balance }),
  QuestRewardClaimed: ({ slug, period, units, balance }, id) =>
    ofMember(id, 'quest-claimed', { slug, period, units, balance }),
}

export const toldTypes = Object.keys(rules) as readonly EventType[]

/** What an event tells; `id` is that of its stream. */
export const toldOf = (type: string, data: object, id: string): readonly FeedEntry[] => {
  const rule = Object.hasOwn(rules, type) ? (rules as RulesOfAny)[type] : undefined
  return rule?.(data as never, id) ?? []
}

const placed = (rank: number, units: number) =>
  rank === 1 ? 'tournament-won' : units > 0 ? 'tournament-placed' : 'tournament-lost'

const DUELS = { win: 'duel-won', loss: 'duel-lost', draw: 'duel-drawn' } as const

/** An entry in the feed of a character, by the character's number. */
const ofCharacter = (id: string | number, kind: FeedKind, data: FeedEntry['data']): readonly FeedEntry[] => [
  { owner: characterFeed(id), kind, data },
]

/** Entries for the two characters of a duel that was not fought; older events do not say who they were. */
const ofBoth = (
  { challenger, defender }: { readonly challenger?: number; readonly defender?: number },
  kind: FeedKind,
  duelId: string,
): readonly FeedEntry[] =>
  challenger === undefined || defender === undefined
    ? []
    : [challenger, defender].flatMap((each) => ofCharacter(each, kind, { challenge_id: duelId, challenger, defender }))

/** An entry in the feed of the member whose `sub` names the stream. */
const ofMember = (id: string, kind: FeedKind, data: FeedEntry['data']): readonly FeedEntry[] => [
  { owner: memberFeed(id), kind, data },
]

const told = ({ xp, units, fragments }: Rewards) => ({ xp, units, fragments: fragments.map(({ slug }) => slug) })
