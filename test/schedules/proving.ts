/** How the tests of this folder explore, and what they ask of it. */
import type { ExecutionContext } from 'ava'
import { DEEP, runs } from '../support/depth.ts'
import { Broken, type Explored, explore, replay, sample } from '../support/explore.ts'
import type { Bounds, Scenario } from './schedule.ts'

/**
 * Longer than a busy machine needs, also where every schedule is run; a deeper exploration takes as long as it takes.
 */
const LIMIT_MS = runs({ quick: 300_000, deep: 1_500_000 })
const DEEP_LIMIT_MS = 6 * 3_600_000
/** `npm test` takes one branch of so many, which leaves at least one schedule of so many. */
const STRIDE = runs({ quick: 6, deep: 1 })
/** Schedules that it draws in their stead where there are thousands even then. */
const DRAWN = 150
/** Schedules among which a fault that was put in has to be found. */
const FAULTY_MAX = 2_000
const SCHEDULES_OF = runs({ quick: 200, deep: 1 })

const deeper = (name: string) => (process.env[name] === undefined ? undefined : Number(process.env[name]))

/**
 * The scenario holds under the schedules within each of the bounds, and there are at least so many of them in all. The
 * deep run tries every one.
 */
export const holds = (t: ExecutionContext, scenario: Scenario, atLeast: number, ...given: Bounds[]) =>
  prove(t, scenario, given, (...within) => explore(...within, STRIDE), atLeast / SCHEDULES_OF)

/**
 * As `holds`, where there are so many schedules that the quick run draws some of them, evenly; also for a test that
 * asks which ends were reached.
 */
export const holdsUnderDrawn = (t: ExecutionContext, scenario: Scenario, atLeast: number, ...given: Bounds[]) =>
  prove(
    t,
    scenario,
    given,
    DEEP ? explore : (...within) => sample(...within, DRAWN),
    DEEP ? atLeast : Math.min(atLeast, DRAWN),
  )

const prove = async (
  t: ExecutionContext,
  scenario: Scenario,
  given: Bounds[],
  exploreGiven: (scenario: Scenario, bounds: Bounds) => Promise<Explored>,
  atLeast: number,
) => {
  const preemptions = deeper('EXPLORE_PREEMPTIONS')
  const crashes = deeper('EXPLORE_CRASHES')
  const asGiven = preemptions === undefined && crashes === undefined
  t.timeout(asGiven ? LIMIT_MS : DEEP_LIMIT_MS)
  let total = 0
  for (const bounds of asGiven ? given : [{ preemptions: preemptions ?? 0, crashes: crashes ?? 0 }]) {
    const { schedules, known } = await (asGiven ? exploreGiven : explore)(scenario, bounds)
    t.log(
      `${schedules} schedules (preemptions ≤ ${bounds.preemptions}, crashes ≤ ${bounds.crashes}), ${known} of them into known states`,
    )
    total += schedules
  }
  t.true(total >= (asGiven ? atLeast : 1), `only ${total} schedules were run`)
}

/** A fault that was put in is found, for this reason, and its schedule can be run again from its choices. */
export const found = async (t: ExecutionContext, scenario: Scenario, why: RegExp, bounds: Bounds): Promise<void> => {
  const broken = await t.throwsAsync(sample(scenario, bounds, FAULTY_MAX), { instanceOf: Broken, message: why })
  if (!broken) return
  const again = await t.throwsAsync(replay(scenario, bounds, broken.choices), { instanceOf: Broken })
  t.is(again?.message, broken.message)
  t.log(`found in schedule ${broken.schedules}: ${broken.message}`)
}
