/** Exploration, and what a day of the game brings. */
import { createHash } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { drawnAt, isLocked, restingUntil, scanChance } from '../../../domain/game/characters/exploration.ts'
import { chanceOf } from '../../../domain/game/characters/missions.ts'
import { levelOf, trainingCost } from '../../../domain/game/characters/sheet.ts'
import { dealRounds, shownOf } from '../../../domain/game/games/judge.ts'
import { diceOf } from '../../../domain/game/world/chance.ts'
import { fragmentKinds, RARITIES, slugsOf } from '../../../domain/game/world/fragments.ts'
import { GALAXIES } from '../../../domain/game/world/galaxies.ts'
import { GAMES } from '../../../domain/game/world/games.ts'
import { missions } from '../../../domain/game/world/missions.ts'
import { NODES, type Node, type NodeSlug, nodes } from '../../../domain/game/world/nodes.ts'
import { payoutsOf } from '../../../domain/reading/game-payouts.ts'
import { world } from '../../../src/settings/world.ts'
import { characterOn } from '../../support/characters.ts'
import { bestMoves, diceAgain } from '../../support/mini-games.ts'

const MINUTE_MS = 60_000
const START = '2026-11-22T00:00:00.000Z'

const scan = (slug: NodeSlug, scanId: string, roll?: number) => {
  const seed = world.digest(scanId)
  const drawn = drawnAt(slug, diceOf(world, seed, scanId))
  return { scanId, slug, seed, commit: world.digest(seed), ...drawn, ...(roll !== undefined && { roll }) }
}

test('G-EXP-01 every galaxy has nodes, some open from the start, all can be opened, and each find has a chance', (t) => {
  for (const galaxy of GALAXIES) t.true(NODES.filter((slug) => nodes[slug].galaxy === galaxy).length >= 3, galaxy)
  const opened = new Set<string>()
  const opens = ({ opensAt }: Node) => opensAt.after.every((slug) => opened.has(slug))
  for (const _ of NODES) for (const slug of NODES) if (opens(nodes[slug])) opened.add(slug)
  t.is(opened.size, NODES.length)
  const fresh = characterOn(START).state()
  t.true(NODES.some((slug) => isLocked(fresh, slug)) && NODES.some((slug) => !isLocked(fresh, slug)))
  const found = Object.fromEntries(NODES.map((slug) => [slug, { found: true, cooldownUntil: '' }]))
  t.false(NODES.some((slug) => isLocked({ ...fresh, xp: 1e6, nodes: found }, slug)))
  for (const slug of NODES) {
    const { finds }: Node = nodes[slug]
    const percent = Object.values(finds).reduce((sum, each) => sum + each, 0)
    t.true(percent > 0 && percent <= 100, slug)
  }
})

test('G-EXP-02 what a scan finds is what anybody draws again from its seed', (t) => {
  fc.assert(
    fc.property(fc.constantFrom(...NODES), fc.string(), (slug, id) => {
      const { seed, commit, roll, fragment } = scan(slug, id)
      t.is(commit, createHash('sha256').update(seed).digest('hex'))
      const below = diceAgain(seed, id)
      t.is(roll, below(100))
      const lies = below(100)
      const { finds }: Node = nodes[slug]
      const upTo = (last: number) => RARITIES.slice(0, last + 1).reduce((sum, each) => sum + (finds[each] ?? 0), 0)
      const rarity = RARITIES.find((_, n) => lies < upTo(n))
      const kinds = rarity ? slugsOf(rarity) : []
      t.is(fragment, rarity && kinds[below(kinds.length)])
      t.is(fragment && fragmentKinds[fragment].rarity, rarity)
    }),
  )
})

test('G-EXP-02 fragments are found as often as their node says', (t) => {
  const seen: Record<string, number> = {}
  for (let n = 0; n < 2_000; n++) {
    const { fragment } = drawnAt('silent-choir', diceOf(world, world.digest(String(n)), 'scan'))
    const rarity = fragment ? fragmentKinds[fragment].rarity : 'none'
    seen[rarity] = (seen[rarity] ?? 0) + 1
  }
  for (const [rarity, percent] of Object.entries({ uncommon: 20, rare: 18, mythic: 2, none: 60 }))
    t.true(Math.abs((seen[rarity] ?? 0) / 20 - percent) < 5, JSON.stringify(seen))
})

test('G-EXP-02 a scan is claimed once, when it is ready, and its node then rests', (t) => {
  const ada = characterOn(START)
  t.is(ada.refusal('claimScan', { slug: 'tidal-shelf' }), 'run-not-found')
  t.is(ada.refusal('startScan', scan('glass-orchard', 's0')), 'wrong-galaxy')
  t.is(ada.refusal('startScan', scan('keepers-stair', 's0')), 'not-ready')
  const command = { ...scan('tidal-shelf', 's1', 0), fragment: 'ion-vane' } as const
  ada.does('startScan', command)
  t.deepEqual(ada.does('startScan', command), [])
  t.is(ada.refusal('startScan', scan('hollow-buoy', 's2')), 'character-busy')
  t.is(ada.refusal('claimScan', { slug: 'tidal-shelf' }), 'not-ready')
  ada.step(5 * MINUTE_MS)
  t.is(ada.refusal('startScan', scan('hollow-buoy', 's2')), 'not-claimed')
  t.is(ada.refusal('claimScan', { slug: 'hollow-buoy' }), 'run-not-found')
  const find = { xp: 15, units: 6, fragments: [{ id: 1, slug: 'ion-vane' }] }
  const claimed = ada.does('claimScan', { slug: 'tidal-shelf' }).at(-1)
  t.like(claimed, { type: 'GameScanClaimed', data: { success: true, find, seed: command.seed } })
  t.like(payoutsOf('GameScanClaimed', claimed?.data ?? {}, '7'), [{ member: 'usr_a', from: 'house', units: 6 }])
  t.is(ada.refusal('claimScan', { slug: 'tidal-shelf' }), 'already-claimed')
  t.is(ada.refusal('startScan', scan('tidal-shelf', 's3')), 'not-ready')
  t.is(restingUntil(ada.state(), 'tidal-shelf', ada.now()), '2026-11-22T00:50:00.000Z')
  ada.step(45 * MINUTE_MS)
  t.is(restingUntil(ada.state(), 'tidal-shelf', ada.now()), null)
  t.is(ada.does('startScan', scan('tidal-shelf', 's3')).at(-1)?.type, 'GameScanStarted')
})

test('G-EXP-02 a scan that goes wrong teaches a fifth and finds nothing', (t) => {
  const ada = characterOn(START)
  ada.does('startScan', { ...scan('hollow-buoy', 's1', 99), fragment: 'ion-vane' })
  ada.step(12 * MINUTE_MS)
  const claimed = ada.does('claimScan', { slug: 'hollow-buoy' }).at(-1)
  t.like(claimed?.data, { success: false, find: { xp: 8, units: 0, fragments: [] } })
  t.false(ada.state().nodes['hollow-buoy']?.found)
})

test('G-EXP-02 a mission and a scan under way never give two fragments one number', (t) => {
  const ada = characterOn(START)
  const mission = { runId: 'm1', missionId: 'light-the-buoys', seed: 's', commit: 'c' }
  ada.does('startMission', { ...mission, roll: 0, fragmentRoll: 0, fragment: 'hull-plate' })
  ada.step(5 * MINUTE_MS)
  ada.does('startScan', { ...scan('tidal-shelf', 's1', 0), fragment: 'ion-vane' })
  ada.step(5 * MINUTE_MS)
  ada.does('claimScan', { slug: 'tidal-shelf' })
  ada.does('claimMission', { runId: 'm1' })
  t.deepEqual(ada.state().fragments, { 1: 'hull-plate', 2: 'ion-vane' })
})

/**
 * Who plays, for how many minutes of a day, and how often at most it looks in; and how well it plays games, out of ten.
 */
const players = {
  'a program that never sleeps': { minutes: 1_440, every: 1, skill: 10 },
  'a person of twelve hours': { minutes: 720, every: 15, skill: 6 },
}
const DAYS = 12

for (const [who, player] of Object.entries(players))
  test(`N-50 the income of ${who} is of one order every day, and no source of it brings three times another`, (t) => {
    const days = livedBy(player)
    const total = { missions: 0, exploration: 0, games: 0 }
    for (const day of days) {
      const sum = day.missions + day.exploration + day.games
      t.true(sum >= 250 && sum <= 1_900, JSON.stringify(day))
      for (const source of ['missions', 'exploration', 'games'] as const) total[source] += day[source]
    }
    const sources = Object.values(total)
    t.log(JSON.stringify({ ...total, perDay: Math.round(sources.reduce((a, b) => a + b, 0) / DAYS) }))
    t.true(Math.max(...sources) <= 3 * Math.min(...sources), JSON.stringify(total))
  })

type Income = { missions: number; exploration: number; games: number }

/**
 * A character's first days: it goes where its level takes it, trains what it needs, and does a mission and a scan by
 * turns.
 */
const livedBy = (player: { minutes: number; every: number; skill: number }): Income[] => {
  const ada = characterOn(START)
  let runs = 0
  const next = () => `r${runs++}`
  const earned = (events: readonly { type: string; data: object }[]) =>
    events.flatMap(({ type, data }) => payoutsOf(type, data, '7')).reduce((sum, { units }) => sum + units, 0)
  const wait = (minutes: number) => ada.step(Math.max(minutes, player.every) * MINUTE_MS)

  const oneDay = (): Income => {
    const day = { missions: 0, exploration: 0, games: playedBy(ada, next, player.skill, earned) }
    const ends = Date.parse(ada.now()) + player.minutes * MINUTE_MS
    for (let turn = 0; Date.parse(ada.now()) < ends; turn++) {
      moveOn(ada, wait)
      const node = turn % 2 ? bestNode(ada) : undefined
      if (node) {
        ada.does('startScan', scan(node, next()))
        wait(nodes[node].scanMinutes)
        day.exploration += earned(ada.does('claimScan', { slug: node }))
        continue
      }
      const runId = next()
      const missionId = bestMission(ada, player.every)
      const roll = diceOf(world, world.digest(runId), runId).below(100)
      const command = { runId, missionId, seed: 's', commit: 'c', roll, fragmentRoll: 99, fragment: undefined }
      ada.does('startMission', command)
      wait(missions[missionId]?.minutes ?? 0)
      day.missions += earned(ada.does('claimMission', { runId }))
    }
    // Night: the next day begins at midnight.
    ada.step(86_400_000 - (Date.parse(ada.now()) % 86_400_000))
    return day
  }
  return Array.from({ length: DAYS }, oneDay)
}

type Player = ReturnType<typeof characterOn>

/** All of a day's runs: of ten rounds, as many as its skill are played well and the others let go by. */
const playedBy = (
  ada: Player,
  next: () => string,
  skill: number,
  earned: (events: ReturnType<Player['does']>) => number,
): number => {
  let units = 0
  for (const slug of GAMES)
    for (;;) {
      const runId = next()
      const seed = world.digest(runId)
      const deal = dealRounds(slug, diceOf(world, seed, runId))
      if (ada.refusal('startRun', { runId, slug, linkId: 'gln_1', seed, commit: 'c', deal })) break
      ada.step(15_000)
      const moves = bestMoves(slug, shownOf(slug, deal)).filter((_, n) => (n * 7) % 10 < skill)
      units += earned(ada.does('finishRun', { runId, linkId: 'gln_1', moves }))
    }
  return units
}

const moveOn = (ada: Player, wait: (minutes: number) => void): void => {
  const { xp, galaxy, stats, trainingPoints } = ada.state()
  const wished = GALAXIES[[4, 8, 12].filter((level) => levelOf(xp) >= level).length] ?? galaxy
  const stat = stats.luck < stats.agility / 2 ? 'luck' : galaxy === 'the-verge' ? 'power' : 'agility'
  if (trainingPoints >= trainingCost(stats[stat])) ada.does('train', { stat })
  if (wished === galaxy) return
  ada.does('travel', { to: wished })
  wait(60)
}

const bestNode = (ada: Player): NodeSlug | undefined => {
  const { stats, galaxy } = ada.state()
  const worth = (slug: NodeSlug) => nodes[slug].units * scanChance(stats.luck, nodes[slug].danger)
  return NODES.filter((slug) => nodes[slug].galaxy === galaxy && !isLocked(ada.state(), slug))
    .filter((slug) => !restingUntil(ada.state(), slug, ada.now()))
    .sort((a, b) => worth(b) - worth(a))[0]
}

const bestMission = (ada: Player, every: number): string => {
  const { stats, galaxy } = ada.state()
  const worth = (slug: string) => {
    const mission = missions[slug]
    if (!mission) return 0
    return (mission.units * chanceOf(stats[mission.stat], mission.difficulty)) / Math.max(mission.minutes, every)
  }
  const here = Object.keys(missions).filter((slug) => missions[slug]?.galaxy === galaxy)
  return here.sort((a, b) => worth(b) - worth(a))[0] ?? ''
}
