import test from 'ava'
import { championsOf, membershipsOf, ownersOf } from '../../adapters/http/core/game-progress.ts'
import { gameMember } from '../../domain/game/members/member.ts'
import { guilds } from '../../domain/game/world/guilds.ts'
import { periodOf } from '../../domain/game/world/periods.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { EventData, EventType } from '../../domain/write-side/deciders.ts'
import { gameBestsProjection } from '../../projections/game/game-bests.ts'
import { gameDuelsProjection } from '../../projections/game/game-duels.ts'
import { gameFeedProjection } from '../../projections/game/game-feed.ts'
import { gameInventionsProjection } from '../../projections/game/game-inventions.ts'
import { createQueries } from '../../projections/index.ts'
import { applyAll, emptyReadModels } from './setup.ts'

/** What is counted from the feed, against the same counted from a plain list. */

const START = Date.parse('2026-03-02T00:00:00.000Z')
const HOUR_MS = 3_600_000
const timeOf = (n: number) => new Date(START + n * HOUR_MS).toISOString()

const recorded = <T extends EventType>(
  n: number,
  stream: string,
  type: T,
  data: Partial<EventData<T>>,
): RecordedEvent => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  stream,
  type,
  data,
  at: timeOf(n),
  revision: BigInt(n),
  position: BigInt(n),
  order: BigInt(n),
  cause: { actor: 'a', correlationId: 'c' },
})

const MINE = [1, 2]
const rewards = { xp: 1, units: 0, fragments: [] }
const board = [
  { member: 'usr_b', characterId: 9, score: 9, at: timeOf(0), rank: 1, units: 10 },
  { member: 'usr_a', characterId: 2, score: 8, at: timeOf(0), rank: 2, units: 0 },
]

const characters = [1, 2, 3, 4, 5]

/** Missions of two characters of one member and of somebody else's, home safe unless the number is one in five. */
const missions = Array.from({ length: 300 }, (_, n) => ({
  n: n + 1,
  of: [1, 2, 9][n % 3] as number,
  success: n % 5 > 0,
}))
const events = [
  ...missions.map(({ n, of, success }) =>
    recorded(n, `gameCharacter-${of}`, 'GameMissionClaimed', { runId: `r${n}`, missionId: 'm', success, rewards }),
  ),
  recorded(301, 'gameTournament-echo-cup-2026-w10', 'TournamentSettled', { board }),
  recorded(302, 'gameTournament-echo-cup-2026-w11', 'TournamentSettled', {
    board: board.map((each) => ({ ...each, rank: 3 - each.rank })),
  }),
]

test('G-ME-01 G-QST-01 G-FED-01 tiers, titles, quests and pages of a feed are those of a plain count of what was done', async (t) => {
  const { sql } = await emptyReadModels(t, [gameFeedProjection])
  await applyAll(sql, gameFeedProjection, events)
  const queries = createQueries(sql)
  const state = { ...gameMember.initial, characters: MINE }
  const owners = ownersOf('usr_a', state)
  const home = missions.filter(({ of, success }) => MINE.includes(of) && success)

  const [couriers] = await membershipsOf({ queries, member: 'usr_a', state })
  const { silver = 0, gold = 0 } = guilds['the-couriers']?.tiers ?? {}
  t.true(home.length >= silver && home.length < gold)
  t.deepEqual(couriers, { slug: 'the-couriers', tier: 'silver', since: timeOf(home[silver - 1]?.n ?? 0) })
  const champions = await championsOf({ queries, member: 'usr_a', state })
  t.deepEqual(champions, [{ characterId: 2, title: 'Champion of echo-cup-2026-w11' }])

  const kinds = ['mission-succeeded'] as const
  const day = periodOf('day', timeOf(100))
  const within = home.filter(({ n }) => timeOf(n) >= day.startsAt && timeOf(n) < day.endsAt).length
  const wanted = { kinds, from: day.startsAt, until: day.endsAt }
  const counts = await queries.gameCounts(owners, [
    { ...wanted, slug: 'all', most: 1_000 },
    { ...wanted, slug: 'two', most: 2 },
  ])
  t.deepEqual([...counts].sort(), [
    ['all', within],
    ['two', 2],
  ])

  const seen: number[] = []
  for (let since = '0'; ; ) {
    const page = await queries.gameFeed(owners, since, 7)
    seen.push(...page.map(({ id }) => Number(id)))
    if (page.length < 7) break
    since = page.at(-1)?.id ?? since
  }
  const mine = missions.filter(({ of }) => MINE.includes(of)).map(({ n }) => n)
  t.deepEqual(seen, [...mine, 301, 302])
  const newest = await queries.gameFeedOf(owners, kinds, 3, String(home.at(-1)?.n))
  t.deepEqual(
    newest.map(({ id }) => Number(id)),
    home
      .slice(-4, -1)
      .map(({ n }) => n)
      .reverse(),
  )
  const points = await queries.gameSeasonPoints(owners, '2026-q1')
  t.is(points, home.length * 10 + (mine.length - home.length) * 2 + 100)
})

test('G-PVP-01 the duels of a member and the ladder are those of a plain list', async (t) => {
  const { sql } = await emptyReadModels(t, [gameDuelsProjection])
  const memberOf = (character: number) => `usr_${character}`
  const duels = Array.from({ length: 90 }, (_, n) => ({
    id: `du_${String(n).padStart(3, '0')}`,
    n,
    at: timeOf(Math.floor(n / 2)),
    challenger: (n % 3) + 1,
    defender: ((n + 1 + (n % 2)) % 3) + 1,
    open: n % 11 === 0,
  }))
  await applyAll(sql, gameDuelsProjection, [
    ...characters.map((characterId) =>
      recorded(characterId, `gameCharacter-${characterId}`, 'CharacterCreated', {
        characterId,
        member: memberOf(characterId),
        name: `N${characterId}`,
      }),
    ),
    ...duels.flatMap(({ id, n, at, challenger, defender, open }) => [
      recorded(10 + 2 * n, `gameDuel-${id}`, 'DuelChallenged', {
        challenger,
        defender,
        challengerMember: memberOf(challenger),
        defenderMember: memberOf(defender),
        wagerUnits: 0,
        commit: 'c',
        seed: 's',
        challengedAt: at,
        expiresAt: timeOf(n + 24),
      }),
      ...(open ? [] : [recorded(11 + 2 * n, `gameDuel-${id}`, 'DuelDeclined', { payouts: [] })]),
    ]),
    recorded(300, 'gameCharacter-3', 'GameDuelCounted', { result: 'loss', rating: 988 }),
    recorded(301, 'gameCharacter-2', 'GameDuelCounted', { result: 'win', rating: 1012 }),
  ])
  const queries = createQueries(sql)
  for (const [me, limit] of [
    [1, 7],
    [2, 50],
    [3, 200],
  ] as const) {
    const own = duels.filter(({ challenger, defender }) => challenger === me || defender === me)
    const sorted = own.toSorted(
      (a, b) => Number(b.open) - Number(a.open) || b.at.localeCompare(a.at) || a.id.localeCompare(b.id),
    )
    const rows = await queries.duelsOf(memberOf(me), limit)
    t.deepEqual(
      rows.map(({ duelId }) => duelId),
      sorted.slice(0, limit).map(({ id }) => id),
    )
    const waiting = own.filter(({ challenger, open, n }) => challenger === me && open && timeOf(n + 24) > timeOf(50))
    t.is(await queries.openDuelsBy(memberOf(me), timeOf(50), 20), waiting.length)
    t.is(await queries.openDuelsBy(memberOf(me), timeOf(50), 1), Math.min(waiting.length, 1))
  }
  const ladder = await queries.duelLadder(4)
  t.deepEqual(
    ladder.map(({ rank, characterId, rating, wins, losses }) => [rank, characterId, rating, wins, losses]),
    [
      [1, 2, 1012, 1, 0],
      [2, 3, 988, 0, 1],
      [3, 1, 1000, 0, 0],
      [4, 4, 1000, 0, 0],
    ],
  )
})

test('G-GAM-02 G-INV-02 places and inventions are counted up to a limit', async (t) => {
  const { sql } = await emptyReadModels(t, [gameBestsProjection, gameInventionsProjection])
  const queries = createQueries(sql)
  const runs = characters.map((id) =>
    recorded(400 + id, `gameCharacter-${id}`, 'GameRunFinished', { slug: 'lane-drift', best: id }),
  )
  await applyAll(sql, gameBestsProjection, runs)
  t.deepEqual(
    [await queries.gameBetterThan('lane-drift', 2, 9), await queries.gameBetterThan('lane-drift', 2, 2)],
    [3, 2],
  )
  const accepted = characters.flatMap((inventionId) => [
    recorded(500 + 2 * inventionId, 'gameCharacter-1', 'InventionProposed', { inventionId, member: 'usr_1' }),
    recorded(501 + 2 * inventionId, 'gameCharacter-1', 'InventionJudged', {
      inventionId,
      state: 'accepted',
      kinds: 'k',
    }),
  ])
  await applyAll(sql, gameInventionsProjection, accepted)
  t.deepEqual([await queries.inventionsAccepted('k', 9), await queries.inventionsAccepted('k', 4)], [5, 4])
})
