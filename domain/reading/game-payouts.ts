import type { EscrowPayout } from '../game/contests/escrow.ts'
import type { EventData, EventType } from '../write-side/deciders.ts'

/**
 * Game units that an event sends to members, from the house or out of escrow: the event is the transfer, and
 * `carry-game-units` gives each member its part, once. The journal posts the same. No event sends a member two parts.
 */
export type GamePayout = {
  readonly member: string
  readonly from: 'house' | `escrow:${string}` | `studio:${string}`
  readonly units: number
  /** The stake that comes back as it was, so that the day's grant is given back too. */
  readonly returned?: string
}

type Rules = { readonly [T in EventType]?: (data: EventData<T>, id: string) => readonly GamePayout[] }

const rules: Rules = {
  InventionJudged: ({ member, royaltyUnits }) => fromHouse(member, royaltyUnits),
  StudioJobRefunded: ({ member, priceUnits }, id) => [
    { member, from: `studio:${id}`, units: priceUnits, returned: id },
  ],
  GameMissionClaimed: ({ member, rewards }) => fromHouse(member, rewards.units),
  GameScanClaimed: ({ member, find }) => fromHouse(member, find.units),
  GameRunFinished: ({ member, rewards }) => fromHouse(member, rewards.units),
  DuelResolved: fromDuel,
  DuelDeclined: fromDuel,
  DuelCanceled: fromDuel,
  DuelExpired: fromDuel,
  DuelStakeReturned: fromDuel,
  TournamentSettled: fromTournament,
  TournamentCanceled: fromTournament,
  TournamentStakeReturned: fromTournament,
}

export const payingTypes = Object.keys(rules) as readonly EventType[]

/** What an event pays out; `id` is that of its stream. */
export const payoutsOf = (type: string, data: object, id: string): readonly GamePayout[] => {
  if (!Object.hasOwn(rules, type)) return []
  const rule = rules[type as EventType] as (data: object, id: string) => readonly GamePayout[]
  return rule(data, id).filter(({ units }) => units > 0)
}

const fromHouse = (member: string, units: number): readonly GamePayout[] => [{ member, from: 'house', units }]

function fromDuel({ payouts }: { payouts: readonly EscrowPayout[] }, id: string): readonly GamePayout[] {
  return payouts.map((paid) => ({ ...paid, from: `escrow:pvp:${id}` }))
}

function fromTournament({ payouts }: { payouts: readonly EscrowPayout[] }, slug: string): readonly GamePayout[] {
  return payouts.map((paid) => ({ ...paid, from: `escrow:tournament:${slug}` }))
}
