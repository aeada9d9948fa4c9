/**
 * Inventions: what their score follows from, what they cost and bring, and that good ones and bad ones are both common.
 */
import test from 'ava'
import fc from 'fast-check'
import { kindsOf, scoreOf } from '../../../domain/game/characters/invention-score.ts'
import { type Dice, diceOf } from '../../../domain/game/world/chance.ts'
import { CLASSES, SKILLS, type Skill, skillsAt } from '../../../domain/game/world/classes.ts'
import { type FragmentSlug, fragmentKinds, RARITIES, slugsOf } from '../../../domain/game/world/fragments.ts'
import { missions } from '../../../domain/game/world/missions.ts'
import { works } from '../../../domain/game/world/works.ts'
import { payoutsOf } from '../../../domain/reading/game-payouts.ts'
import { world } from '../../../src/settings/world.ts'
import { characterOn } from '../../support/characters.ts'

const START = '2026-11-22T00:00:00.000Z'
const MINUTE_MS = 60_000
const slugs = Object.keys(fragmentKinds) as FragmentSlug[]
const fragments = fc.array(fc.constantFrom(...slugs), { minLength: 2, maxLength: 8 })
const skills = fc.uniqueArray(fc.constantFrom(...SKILLS), { minLength: 1, maxLength: 4 })

test('G-INV-02 a score is the same for the same, whatever the order, and falls with each one that was accepted before', (t) => {
  fc.assert(
    fc.property(fragments, skills, fc.nat(8), (own, named, used) => {
      const { score, rarity, fit, novelty, state, royaltyUnits } = scoreOf(own, named, used)
      t.deepEqual(scoreOf([...own].reverse(), [...named].reverse(), used), scoreOf(own, named, used))
      t.is(score, rarity + fit + Math.floor(novelty / 5))
      t.true(score >= 0 && score <= 100 && Number.isSafeInteger(score))
      t.is(state, score >= 60 ? 'accepted' : 'rejected')
      t.is(royaltyUnits > 0, state === 'accepted')
      t.true(scoreOf(own, named, used + 1).score <= score)
      t.is(kindsOf(own), kindsOf([...own, ...own]))
    }),
  )
})

/** A character with these fragments, numbered from 1 on. */
const holding = (own: readonly FragmentSlug[]) => {
  const ada = characterOn(START)
  for (const [n, fragment] of own.entries()) {
    const mission = { runId: `m${n}`, missionId: 'light-the-buoys', seed: 's', commit: 'c' }
    ada.does('startMission', { ...mission, roll: 0, fragmentRoll: 0, fragment })
    ada.step(5 * MINUTE_MS)
    ada.does('claimMission', { runId: mission.runId })
  }
  return ada
}
const said = { name: 'v1.n', thesis: 'v1.t', usedBefore: 0, skills: ['piloting'] as Skill[] }

test('G-INV-02 L-JSN-16 whatever is proposed, a fragment is spent once, a set judged once, and what is paid is what the events say', (t) => {
  const sets = fc.array(fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 9 }), { maxLength: 25 })
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...slugs), { minLength: 6, maxLength: 6 }), sets, (own, asked) => {
      const ada = holding(own)
      const spent = new Set<number>()
      const judged = new Set<string>()
      for (const [n, fragmentIds] of asked.entries()) {
        const before = ada.state().fragments
        const key = [...fragmentIds].sort().join()
        const events = outcome(() => ada.does('propose', { ...said, inventionId: n, fragmentIds }))
        if (typeof events === 'string') {
          t.deepEqual(ada.state().fragments, before)
          if (judged.has(key)) t.is(events, 'fragments-tried')
          continue
        }
        t.false(judged.has(key) || fragmentIds.length < 2 || fragmentIds.some((id) => spent.has(id) || !before[id]))
        judged.add(key)
        const [event] = events.flatMap((each) => (each.type === 'InventionJudged' ? [each.data] : []))
        const paid = payoutsOf('InventionJudged', event ?? {}, '7')
        if (event?.state === 'accepted') for (const id of fragmentIds) spent.add(id)
        t.deepEqual(
          paid,
          event?.state === 'accepted' ? [{ member: 'usr_a', from: 'house', units: event.royaltyUnits }] : [],
        )
        t.is(Object.keys(ada.state().fragments).length, 6 - spent.size)
      }
    }),
    { numRuns: 60 },
  )
})

test('G-INV-02 fragments and skills have to be the character’s own, at its level', (t) => {
  const ada = holding(['ion-vane', 'cracked-sextant'])
  const refusal = (more: object) => ada.refusal('propose', { ...said, inventionId: 1, fragmentIds: [1, 2], ...more })
  t.is(refusal({ fragmentIds: [1] }), 'invalid-request')
  t.is(refusal({ fragmentIds: [1, 1] }), 'invalid-request')
  t.is(refusal({ fragmentIds: [1, 3] }), 'invalid-request')
  t.is(refusal({ skills: [] }), 'invalid-request')
  t.is(refusal({ skills: ['signals'] }), 'invalid-request')
  t.is(refusal({ skills: ['piloting', 'piloting'] }), 'invalid-request')
  t.is(refusal({ skills: ['piloting', 'cartography'] }), undefined)
  t.is(refusal({}), 'fragments-tried')
})

const PROPOSERS = 150
const FRAGMENTS_EACH = 14

test('N-50 inventions that are accepted and such that are not are both common, with care and without', (t) => {
  const made = new Map<string, number>()
  const share = { careless: [0, 0], careful: [0, 0] } as Record<'careless' | 'careful', [number, number]>
  let units = 0
  for (let n = 0; n < PROPOSERS; n++) {
    const dice = diceOf(world, world.digest('proposer'), String(n))
    const own = skillsAt(CLASSES[n % CLASSES.length] ?? 'envoy', 1 + (n % 12))
    const how = n % 2 ? 'careless' : 'careful'
    let left = Array.from({ length: FRAGMENTS_EACH }, () => foundBy(dice))
    while (left.length >= 2) {
      const set = how === 'careless' ? left.slice(0, 2 + dice.below(4)) : bestOf(left, own)
      const kinds = kindsOf(set)
      const { state, royaltyUnits } = scoreOf(set, own.slice(0, 2), made.get(kinds) ?? 0)
      share[how][state === 'accepted' ? 0 : 1]++
      units += royaltyUnits
      if (state === 'accepted') made.set(kinds, (made.get(kinds) ?? 0) + 1)
      left = state === 'accepted' ? without(left, set) : left.slice(how === 'careless' ? 1 : 2)
    }
  }
  const percent = ([good, bad]: [number, number]) => Math.round((100 * good) / (good + bad))
  const royalty = units / (share.careful[0] + share.careless[0])
  t.log(`accepted: careful ${percent(share.careful)} %, careless ${percent(share.careless)} %; ${royalty} units each`)
  t.true(percent(share.careful) >= 40 && percent(share.careful) <= 90)
  t.true(percent(share.careless) >= 10 && percent(share.careless) <= 60)
  // A mission at the far end brings 150.
  t.true(royalty >= 30 && royalty <= 150)
})

const DAYS = 7
/** A person who looks in now and then. */
const EVERY_MINUTES = 15
const HOURS = 2

test('N-50 two hours a day of the easiest missions pay for a small work a day, and for the dearest in a week', (t) => {
  const prices = Object.values(works).flatMap(({ units, options }) => {
    const most = Object.values(options).map((option) =>
      'values' in option ? Math.max(...Object.values(option.values)) : option.letters * option.unitsEach,
    )
    return [units, most.reduce((sum, each) => sum + each, units)]
  })
  let week = 0
  for (let day = 0; day < DAYS; day++) week += evening(`day ${day}`)
  t.log(`${Math.min(...prices)} to ${Math.max(...prices)} units a work, ${week} units a week`)
  t.true(week >= DAYS * Math.min(...prices))
  t.true(week >= Math.max(...prices) && week <= 12 * Math.max(...prices))
})

/** What the easiest missions bring a beginner in two hours, before its stats have grown. */
const evening = (name: string): number => {
  const dice = diceOf(world, world.digest(name), 'evening')
  const easiest = missions['sort-the-wreckage']
  const turns = (HOURS * 60) / EVERY_MINUTES
  return Array.from({ length: turns }, () => (dice.below(100) < 50 ? (easiest?.units ?? 0) : 0)).reduce((a, b) => a + b)
}

/** As missions bring them. */
const foundBy = (dice: Dice): FragmentSlug => {
  const weights = RARITIES.map((rarity) =>
    Object.values(missions).reduce((sum, { fragment }) => sum + (fragment.rarity === rarity ? fragment.percent : 0), 0),
  )
  let roll = dice.below(weights.reduce((a, b) => a + b))
  const at = weights.findIndex((weight) => {
    roll -= weight
    return roll < 0
  })
  const kinds = slugsOf(RARITIES[at] ?? 'common')
  return kinds[dice.below(kinds.length)] ?? 'hull-plate'
}

/** As few as will do, chosen by somebody who knows the rules and not what others have made. */
const bestOf = (own: readonly FragmentSlug[], named: readonly Skill[]): FragmentSlug[] => {
  const worth = (set: readonly FragmentSlug[]) => scoreOf(set, named.slice(0, 2), 0).score
  const better = (x: FragmentSlug[], y: FragmentSlug[]) => (worth(y) > worth(x) ? y : x)
  let best = own.flatMap((a, i) => own.slice(i + 1).map((b) => [a, b])).reduce(better)
  for (let size = 3; size <= Math.min(5, own.length) && worth(best) < 60; size++)
    best = without(own, best)
      .map((more) => [...best, more])
      .reduce(better)
  return best
}

const without = (all: readonly FragmentSlug[], used: readonly FragmentSlug[]): FragmentSlug[] => {
  const left = [...all]
  for (const slug of used) left.splice(left.indexOf(slug), 1)
  return left
}

const outcome = <T>(act: () => T): T | string => {
  try {
    return act()
  } catch (error) {
    return (error as { code: string }).code
  }
}
