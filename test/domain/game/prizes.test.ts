import test from 'ava'
import fc from 'fast-check'
import { ratingChange, winChance } from '../../../domain/game/contests/fight.ts'
import { gameTournament, rankedScores } from '../../../domain/game/contests/tournament.ts'
import { stateAt, tournamentOf, tournamentsAround } from '../../../domain/game/contests/tournaments.ts'
import { given, NOW } from '../../support/given.ts'

test('G-PVP-02 the chance of a round is 20 to 80 in 100, and what one gains in rating the other loses', (t) => {
  t.deepEqual([-99, -20, 0, 20, 99].map(winChance), [20, 27, 50, 73, 80])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 3_000 }), (challenger, defender) => {
      for (const winner of ['challenger', 'defender', null] as const) {
        const change = ratingChange({ challenger, defender }, winner)
        const [c, d] = [change.challenger, change.defender]
        t.is(c.after - c.before, d.before - d.after)
        t.true(Math.abs(c.after - c.before) <= 24)
      }
    }),
  )
})

test('G-TRN-02 a pool is given out whole: half, three tenths and a fifth, or all to the best of fewer than five', (t) => {
  const scored = (scores: readonly number[]) =>
    scores.map((score, i) => ({ member: `m${i}`, characterId: i, score, at: `2026-03-02T10:0${9 - i}:00.000Z` }))
  const units = (scores: readonly number[], entrants: number, pool: number) =>
    rankedScores(scored(scores), entrants, pool).map((each) => [each.member, each.units])
  t.deepEqual(units([5, 9, 7, 9, 1], 5, 99), [
    ['m3', 51],
    ['m1', 29],
    ['m2', 19],
    ['m0', 0],
    ['m4', 0],
  ])
  t.deepEqual(units([5, 9], 2, 50), [
    ['m1', 50],
    ['m0', 0],
  ])
  t.deepEqual(units([5], 6, 60), [['m0', 60]])
  fc.assert(
    fc.property(fc.array(fc.nat(50), { minLength: 1, maxLength: 9 }), fc.nat(1_000), (scores, pool) => {
      const all = rankedScores(scored(scores), scores.length, pool)
      t.is(
        all.reduce((sum, each) => sum + each.units, 0),
        pool,
      )
    }),
  )
})

test('G-TRN-01 a slug tells when a tournament is held, and each has a last, a present and a next one', (t) => {
  const cup = tournamentOf('echo-cup-2026-w53')
  t.deepEqual([cup?.startsAt, cup?.endsAt], ['2026-12-28T00:00:00.000Z', '2027-01-04T00:00:00.000Z'])
  for (const slug of ['echo-cup-2026-w54', 'echo-cup-2026-11-22', 'drift-sprint-2026-w10', 'echo-cup', 'x-2026-w10'])
    t.is(tournamentOf(slug), undefined, slug)
  fc.assert(
    fc.property(fc.date({ min: new Date('2026-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }), (date) => {
      const now = date.toISOString()
      const states = tournamentsAround(now).map((each) => stateAt(each, now))
      t.deepEqual(states, [...Array(4).fill('closed'), ...Array(4).fill('open'), ...Array(4).fill('scheduled')])
      for (const each of tournamentsAround(now)) t.deepEqual(tournamentOf(each.slug), each)
    }),
  )
})

test('G-TRN-02 an entry that was staked at another price goes back, and the tournament stays open for others', (t) => {
  const slug = 'drift-sprint-2026-03-02'
  const entry = { slug, member: 'usr_a', characterId: 1 }
  const stake = { stakeId: `entry:${slug}:2026-03-02`, units: 4 }
  const payouts = [{ member: 'usr_a', units: 4, returned: stake.stakeId }] as const
  const back = { type: 'TournamentStakeReturned', data: { payouts, position: '7' } } as const
  given(t, gameTournament)
    .when('enter', { ...entry, stake, position: '7' })
    .yields(back)
  given(t, gameTournament)
    .when('enter', { ...entry, stake })
    .isRefused('quote-mismatch')
  const paid = { ...stake, units: 5 }
  const held = { game: 'lane-drift', window: '2026-03-02', endsAt: '2026-03-03T00:00:00.000Z' } as const
  given(t, gameTournament, back)
    .when('enter', { ...entry, member: 'usr_b', stake: paid })
    .yields({
      type: 'TournamentEntered',
      data: { ...entry, member: 'usr_b', stake: paid, entryUnits: 5, enteredAt: NOW, held },
    })
})
