/** Mini-games: what is dealt, what is counted, and that nothing but human play is worth anything. */
import { createHash } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { type Bests, bestEver, bestIn, withScore } from '../../../domain/game/characters/bests.ts'
import { playsLeft } from '../../../domain/game/characters/play.ts'
import { dealRounds, type Move, runVerdict, shownOf } from '../../../domain/game/games/judge.ts'
import type { Hall } from '../../../domain/game/games/three-doors.ts'
import { diceOf, newSeed } from '../../../domain/game/world/chance.ts'
import { GAMES, type GameSlug, games } from '../../../domain/game/world/games.ts'
import { weekOf } from '../../../domain/kernel/calendar.ts'
import { payoutsOf } from '../../../domain/reading/game-payouts.ts'
import { world } from '../../../src/settings/world.ts'
import { characterOn } from '../../support/characters.ts'
import { bestMoves, dealtAgain } from '../../support/mini-games.ts'

const MINUTE_MS = 60_000
const slugs = fc.constantFrom(...GAMES)
const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))

const scoreOf = (slug: GameSlug, seed: string, moves: readonly Move[]) => {
  const verdict = runVerdict(slug, dealRounds(slug, diceOf(world, seed, 'run')), moves, MINUTE_MS)
  return 'score' in verdict ? verdict.score : undefined
}
const bestOf = (slug: GameSlug, seed: string): Move[] => {
  const deal = dealRounds(slug, diceOf(world, seed, 'run'))
  const { opens } = dealtAgain(slug, seed, 'run')
  return bestMoves(slug, shownOf(slug, deal)).map((move, n) => ({ ...move, input: opens[n] ?? move.input }))
}

test('G-GAM-02 anybody who has the seed deals the same rounds again, and the commitment is its hash', (t) => {
  const { seed, commit } = newSeed(world)
  t.is(commit, createHash('sha256').update(seed).digest('hex'))
  fc.assert(
    fc.property(slugs, seeds, fc.string(), (slug, each, id) => {
      const deal = dealRounds(slug, diceOf(world, each, id))
      const again = dealtAgain(slug, each, id)
      t.deepEqual(shownOf(slug, deal), again.rounds)
      if (slug === 'three-doors')
        t.deepEqual(
          deal.map((hall) => (hall as Hall).opens),
          again.opens,
        )
    }),
    { numRuns: 60 },
  )
})

test('G-GAM-02 what a game hides is not in the rounds that a player is shown', (t) => {
  // Two runs that differ in nothing but the door that opens are shown alike.
  const [hall] = dealRounds('three-doors', diceOf(world, '00'.repeat(32), 'run'))
  const shown = [0, 1, 2].map((opens) => shownOf('three-doors', [{ ...(hall as object), opens } as never]))
  t.deepEqual(shown[0], shown[1])
  t.deepEqual(shown[1], shown[2])
  t.false(JSON.stringify(shown).includes('opens'))
})

test('G-GAM-02 each door opens as often as its odds say', (t) => {
  const opened = { told: 0, seen: 0 }
  for (let n = 0; n < 400; n++) {
    const deal = dealRounds('three-doors', diceOf(world, world.digest(String(n)), 'run'))
    for (const hall of deal as readonly Hall[]) {
      opened.told += (hall.odds[0] ?? 0) / 12
      opened.seen += hall.opens === 0 ? 1 : 0
    }
  }
  // 3,200 halls: some 1,070 first doors, give or take 25.
  t.true(Math.abs(opened.seen - opened.told) < 125, JSON.stringify(opened))
})

test('G-GAM-01 the best that anybody can play is plausible, and no more than the game says', (t) => {
  const highest: Record<string, number> = {}
  fc.assert(
    fc.property(slugs, seeds, (slug, seed) => {
      const score = scoreOf(slug, seed, bestOf(slug, seed)) ?? -1
      t.true(score > 0 && score <= games[slug].maxPlausible, `${slug} ${score}`)
      highest[slug] = Math.max(highest[slug] ?? 0, score)
    }),
    { numRuns: 200 },
  )
  // Without luck, the best is always there to be had.
  for (const slug of ['signal-echo', 'lane-drift', 'salvage-sort'] as const)
    t.is(highest[slug], games[slug].maxPlausible, slug)
})

const edits = fc.record({
  at: fc.nat(9),
  kind: fc.constantFrom('drop', 'drop', 'double', 'swap', 'time', 'round', 'input', 'all'),
  by: fc.integer({ min: -5_000, max: 5_000 }),
  input: fc.oneof(
    fc.integer({ min: -3, max: 40 }),
    fc.string({ maxLength: 12 }),
    fc.constantFrom('A', 'ABC', 'abcde', 'ab'),
  ),
})

const edited = (
  moves: readonly Move[],
  { at, kind, by, input }: typeof edits extends fc.Arbitrary<infer E> ? E : never,
) => {
  const n = at % moves.length
  const move = moves[n] as Move
  const changed: Record<string, readonly Move[]> = {
    drop: moves.toSpliced(n, 1),
    double: moves.toSpliced(n, 0, move),
    swap: moves.toSpliced(n, 1).toSpliced((n + 1) % moves.length, 0, move),
    time: moves.with(n, { ...move, t: move.t + by }),
    round: moves.with(n, { ...move, round: move.round + (by % 3) }),
    input: moves.with(n, { ...move, input }),
    all: moves.map((each) => ({ ...each, input })),
  }
  return changed[kind] ?? moves
}

test('G-GAM-02 X-REPLAY-01 a list that was edited earns no more than the best human play, or nothing at all', (t) => {
  const seen = { implausible: 0, scored: 0 }
  fc.assert(
    fc.property(slugs, seeds, fc.array(edits, { minLength: 1, maxLength: 2 }), (slug, seed, changes) => {
      const best = bestOf(slug, seed)
      const moves = changes.reduce<readonly Move[]>((all, change) => (all.length ? edited(all, change) : all), best)
      const score = scoreOf(slug, seed, moves)
      seen[score === undefined ? 'implausible' : 'scored']++
      t.true((score ?? 0) <= (scoreOf(slug, seed, best) ?? 0))
      if (score === undefined) return
      // What did count was human all the same.
      const gaps = moves.map(({ t: at }, n) => at - (moves[n - 1]?.t ?? 0))
      t.true(gaps.every((gap) => gap >= 80) && gaps.filter((gap) => gap < 100).length <= 3)
      t.is(new Set(moves.map(({ round }) => round)).size, moves.length)
    }),
    { numRuns: 500 },
  )
  t.true(seen.implausible > 50 && seen.scored > 30, JSON.stringify(seen))
})

test('G-GAM-02 a player is held to the clock, to what hands can do, and to one input a round', (t) => {
  const slug = 'signal-echo'
  const deal = dealRounds(slug, diceOf(world, '01'.repeat(32), 'run'))
  const best = bestMoves(slug, shownOf(slug, deal))
  const verdict = (moves: readonly Move[], elapsed = MINUTE_MS) => runVerdict(slug, deal, moves, elapsed)
  const paced = (...gaps: number[]) =>
    gaps.map((_, n) => ({ ...(best[n] as Move), t: gaps.slice(0, n + 1).reduce((sum, gap) => sum + gap, 0) }))
  t.deepEqual(verdict([]), { score: 0 })
  t.deepEqual(verdict(best), { score: 520 })
  t.true('score' in verdict(paced(80, 80, 80, 100)), 'three at the floor')
  t.true('implausible' in verdict(paced(80, 80, 80, 80)), 'four at the floor')
  t.true('implausible' in verdict(paced(100, 79)), 'below the floor')
  t.true('implausible' in verdict(paced(-100)), 'before the start')
  t.true('implausible' in verdict(paced(100, 0)), 'twice at once')
  t.true('score' in verdict(paced(2_900), 900), 'a clock that is two seconds ahead')
  t.true('implausible' in verdict(paced(2_901), 900), 'later than now')
  t.true('implausible' in verdict([best[0] as Move, { ...(best[1] as Move), round: 1 }]), 'a round twice')
  t.true('implausible' in verdict([{ ...(best[0] as Move), round: 9 }]), 'no such round')
  t.true('implausible' in verdict([{ ...(best[0] as Move), input: 'AXA' }]), 'no such signal')
  t.true('implausible' in verdict([{ ...(best[0] as Move), input: 7 }]), 'no such input')
})

test('G-GAM-02 nobody steers through a wave that is not in sight, and who is late has lost it', (t) => {
  const deal = [{ at: 1_000, clear: 2 }]
  const at = (time: number, input = 2) => runVerdict('lane-drift', deal, [{ t: time, round: 1, input }], MINUTE_MS)
  t.true('implausible' in at(1_079))
  t.deepEqual(at(1_080), { score: 92 })
  t.deepEqual(at(1_600), { score: 40 })
  t.deepEqual(at(1_601), { score: 0 })
  t.deepEqual(at(1_080, 1), { score: 0 })
})

const begin = (slug: GameSlug, runId: string) => {
  const { seed, commit } = { seed: world.digest(runId), commit: world.digest(world.digest(runId)) }
  return { runId, slug, linkId: 'gln_1', seed, commit, deal: dealRounds(slug, diceOf(world, seed, runId)) }
}
const finish = (runId: string, moves: readonly Move[], linkId = 'gln_1') => ({ runId, linkId, moves })

test('G-GAM-02 X-REPLAY-01 a run pays once, to the link that began it, within ten minutes', (t) => {
  const ada = characterOn('2026-11-22T10:00:00.000Z')
  const run = begin('signal-echo', 'r1')
  const best = bestMoves(run.slug, shownOf(run.slug, run.deal))
  ada.does('startRun', run)
  t.deepEqual(ada.does('startRun', run), [])
  ada.step(5_000)
  t.is(ada.refusal('finishRun', finish('r1', best, 'gln_2')), 'run-elsewhere')
  const finished = ada.does('finishRun', finish('r1', best)).at(-1)
  t.like(finished, { type: 'GameRunFinished', data: { score: 520, best: 520, rewards: { xp: 30, units: 18 } } })
  t.like(payoutsOf('GameRunFinished', finished?.data ?? {}, '7'), [{ from: 'house', units: 18 }])
  t.is(ada.refusal('finishRun', finish('r1', best)), 'run-used')

  ada.does('startRun', begin('signal-echo', 'r2'))
  ada.step(10 * MINUTE_MS)
  t.is(ada.refusal('finishRun', finish('r2', [])), 'run-expired')
  ada.does('startRun', begin('signal-echo', 'r3'))
  t.deepEqual(Object.keys(ada.state().runs), ['r3'])
  t.is(ada.refusal('finishRun', finish('r2', [])), 'run-expired')
})

test('G-GAM-02 an implausible run is over, is noted and brings nothing', (t) => {
  const ada = characterOn('2026-11-22T10:00:00.000Z')
  ada.does('startRun', begin('three-doors', 'r1'))
  const flagged = ada.does('finishRun', finish('r1', [{ t: 5, round: 1, input: 0 }])).at(-1)
  t.like(flagged, { type: 'GameRunFlagged', data: { runId: 'r1' } })
  t.deepEqual(payoutsOf('GameRunFlagged', flagged?.data ?? {}, '7'), [])
  t.is(ada.refusal('finishRun', finish('r1', [{ t: 500, round: 1, input: 0 }])), 'run-used')
  t.is(bestEver(ada.state(), 'three-doors'), undefined)
  t.is(ada.state().xp, 0)
})

test('G-GAM-02 a day has so many runs of each game, told with the wait until midnight, and a clock that went back gives none', (t) => {
  const ada = characterOn('2026-11-22T23:59:00.000Z')
  for (let n = 0; n < games['lane-drift'].playsPerDay; n++) ada.does('startRun', begin('lane-drift', `r${n}`))
  const error = ada.thrown('startRun', begin('lane-drift', 'more'))
  t.like(error, { code: 'no-plays-left', retryAfterS: 60 })
  ada.does('startRun', begin('three-doors', 'other'))
  ada.step(MINUTE_MS)
  ada.does('startRun', begin('lane-drift', 'tomorrow'))
  t.is(playsLeft(ada.state(), 'lane-drift', ada.now()), games['lane-drift'].playsPerDay - 1)
  ada.step(-MINUTE_MS)
  t.is(playsLeft(ada.state(), 'lane-drift', ada.now()), games['lane-drift'].playsPerDay - 1)
})

test('G-GAM-01 the best of each window is kept, the earlier one of two, for three weeks and three days', (t) => {
  t.is(weekOf('2026-11-22T23:59:59.999Z'), '2026-w47')
  t.is(weekOf('2026-11-23T00:00:00.000Z'), '2026-w48')
  t.is(weekOf('2027-01-03T12:00:00.000Z'), '2026-w53')
  t.is(weekOf('2024-12-30T00:00:00.000Z'), '2025-w01')
  const at = (day: string) => `${day}T12:00:00.000Z`
  const runs = [
    [5, '2026-10-26'],
    [9, '2026-11-02'],
    [7, '2026-11-09'],
    [8, '2026-11-16'],
    [8, '2026-11-17'],
    [0, '2026-11-18'],
  ] as const
  const bests = runs.reduce<Bests>((all, [score, day]) => withScore(all, 'three-doors', { score, at: at(day) }), {})
  const windows = Object.keys(bests['three-doors']?.windows ?? {}).sort()
  t.deepEqual(windows, ['2026-11-16', '2026-11-17', '2026-11-18', '2026-w45', '2026-w46', '2026-w47'])
  t.deepEqual(bestIn({ bests }, 'three-doors', '2026-w47'), { score: 8, at: at('2026-11-16') })
  t.is(bestEver({ bests }, 'three-doors'), 9)
  t.is(bestIn({ bests }, 'lane-drift', '2026-w47'), undefined)
})
