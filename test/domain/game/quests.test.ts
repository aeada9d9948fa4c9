import { readFileSync } from 'node:fs'
import test from 'ava'
import { gameMember, type MemberState } from '../../../domain/game/members/member.ts'
import { guilds, highestOf, TIERS } from '../../../domain/game/world/guilds.ts'
import { EVERY, type Every, periodOf } from '../../../domain/game/world/periods.ts'
import { quests, SEASON_TIERS, seasonTier } from '../../../domain/game/world/quests.ts'
import { isRefusal } from '../../../domain/kernel/refusal.ts'
import { toldOf, toldTypes } from '../../../domain/reading/game-feed.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { claimQuest } from '../../../domain/use-cases/game/claim-quest.ts'
import { givesMore } from '../../../domain/use-cases/game/links.ts'

/** Quests, guilds and what the feed tells, without a service. */

test('days, weeks and seasons follow each other without a gap, and their names sort as they do', (t) => {
  for (const every of EVERY) {
    let before = periodOf(every, '2023-12-25T00:00:00.000Z')
    for (let at = Date.parse('2023-12-25T00:00:00.000Z'); at < Date.parse('2028-03-05'); at += 13 * 3_600_000) {
      const time = new Date(at).toISOString()
      const period = periodOf(every, time)
      t.true(period.startsAt <= time && time < period.endsAt, time)
      if (period.slug === before.slug) continue
      t.is(period.startsAt, before.endsAt)
      t.true(period.slug > before.slug, `${before.slug} ${period.slug}`)
      before = period
    }
  }
  const slugs = (time: string) => EVERY.map((every: Every) => periodOf(every, time).slug)
  t.deepEqual(slugs('2026-03-01T23:59:59.999Z'), ['2026-03-01', 'week-2026-02-23', '2026-q1'])
  t.deepEqual(slugs('2026-04-06T00:00:00.000Z'), ['2026-04-06', 'week-2026-04-06', '2026-q2'])
})

const claimed = (state: MemberState, slug: string, period: string, now: string): MemberState | string => {
  try {
    const events = gameMember.decide.claimQuest(state, { slug, period }, now)
    return events.reduce((after, { type, data }) => {
      const evolve = gameMember.evolve[type] as (state: MemberState, data: object) => MemberState
      return evolve(after, data)
    }, state)
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a reward is given once a period, for the present one alone, whatever the clock does', (t) => {
  const claim = (state: MemberState, time: string, of = time) =>
    claimed(state, 'two-errands', periodOf('day', of).slug, time)
  const [first, second] = ['2026-03-02T10:00:00.000Z', '2026-03-03T10:00:00.000Z']
  const after = claim(gameMember.initial, first) as MemberState
  t.deepEqual([after.balance], [quests['two-errands']?.units])
  t.is(claim(after, first), 'already-claimed')
  t.is(claim(after, second, first), 'state-forbids', 'what has passed is not given any more')
  t.is(claim(after, first, second), 'state-forbids', 'nor what is to come')
  const later = claim(after, second) as MemberState
  t.is(later.balance, 2 * after.balance)
  t.is(claim(later, first), 'already-claimed', 'a clock that goes back brings nothing')
  t.is(claimed(later, 'constructor', '2026-03-03', second), 'not-found')
})

test('a claim counts within the period alone, and is refused where the rows show too little', async (t) => {
  const asked: string[][] = []
  const claims: object[] = []
  const flow = {
    world: { now: () => new Date('2026-03-04T12:00:00.000Z') },
    ledger: { gameMember: { claimQuest: async (_: string, data: object) => claims.push(data) } },
  } as unknown as UseCaseContext
  const rows = (found: number) => async (from: string, until: string) => {
    asked.push([from, until])
    return found
  }
  const error = await t.throwsAsync(claimQuest(flow, 'usr_a', 'steady-crew', rows(9)))
  t.true(isRefusal(error, 'state-forbids'))
  t.deepEqual(claims, [])
  await claimQuest(flow, 'usr_a', 'steady-crew', rows(10))
  t.deepEqual(claims, [{ slug: 'steady-crew', period: 'week-2026-03-02' }])
  t.deepEqual(asked[0], ['2026-03-02T00:00:00.000Z', '2026-03-09T00:00:00.000Z'])
})

test('guilds and seasons know a next tier that is harder than the one before', (t) => {
  for (const [slug, { tiers }] of Object.entries(guilds))
    t.true(
      TIERS.every((tier, n) => tiers[tier] > (n === 0 ? 0 : tiers[TIERS[n - 1] ?? tier])),
      slug,
    )
  t.is(highestOf(['bronze', 'gold', 'silver']), 'gold')
  t.is(highestOf([]), undefined)
  for (const [tier, least] of SEASON_TIERS)
    t.deepEqual([seasonTier(least), seasonTier(least - 1) === tier], [tier, false])
  for (const { target, units } of Object.values(quests)) t.true(target > 0 && Number.isSafeInteger(units) && units > 0)
})

test('G-GEN-03 a link that may do or spend more than before is told from one that may not', (t) => {
  const before = { scopes: ['game.read', 'game.pvp.wager'], grants: { 'game.pvp.wager': 10 } } as const
  const more = (scopes: Parameters<typeof givesMore>[1]['scopes'], grants: object) =>
    givesMore(before, { label: 'x', scopes, grants })
  t.false(more(['game.read', 'game.pvp.wager'], { 'game.pvp.wager': 10 }))
  t.false(more(['game.read'], {}))
  t.false(more([], {}))
  t.true(more(['game.read', 'game.pvp.wager'], { 'game.pvp.wager': 11 }))
  t.true(more(['game.read', 'game.feed.read'], {}))
})

test('G-FED-01 what is told of an event holds neither what decides chance nor who another member is', (t) => {
  const golden = JSON.parse(readFileSync(new URL('../../golden/events.json', import.meta.url), 'utf8')) as {
    type: string
    data: object
  }[]
  for (const type of toldTypes) {
    const { data = {} } = golden.find((example) => example.type === type) ?? {}
    const told = toldOf(type, data, '7')
    t.true(told.length > 0, type)
    t.is(new Set(told.map(({ owner }) => owner)).size, told.length, `${type} tells an owner one thing`)
    const text = JSON.stringify(told.map((each) => each.data))
    t.notRegex(text, /usr_|"seed"|"secret"/, type)
    const { seed } = data as { seed?: string }
    if (seed !== undefined) t.false(text.includes(seed), type)
  }
})
