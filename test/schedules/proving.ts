/** How the tests of this folder explore, and what they ask of it. */
import type { ExecutionContext } from 'ava'
import { runs } from '../support/depth.ts'
import { Broken, explore, replay } from '../support/explore.ts'
import type { Bounds, Scenario } from './schedule.ts'

/**
 * Longer than a busy machine needs, also where every schedule is run; a deeper exploration takes as long as it takes.
 */
const LIMIT_MS = runs({ quick: 300_000, deep: 1_500_000 })
const DEEP_LIMIT_MS = 6 * 3_600_000
/** `npm test` takes one branch of so many, which leaves at least one schedule of so many. */
const STRIDE = runs({ quick: 6, deep: 1 })
const SCHEDULES_OF = runs({ quick: 200, deep: 1 })

const deeper = (name: string) => (process.env[name] === undefined ? undefined : Number(process.env[name]))

/**
 * The scenario holds under the schedules within each of the bounds, and there are at least so many of them in all. The
 * deep run tries every one.
 */
export const holds = (t: ExecutionContext, scenario: Scenario, atLeast: number, ...given: Bounds[]) =>
  prove(t, scenario, given, STRIDE, atLeast / SCHEDULES_OF)

/** As `holds`, under every schedule in the quick run too: for a test that also asks which ends were reached. */
export const holdsUnderAll = (t: ExecutionContext, scenario: Scenario, atLeast: number, ...given: Bounds[]) =>
  prove(t, scenario, given, 1, atLeast)

const prove = async (t: ExecutionContext, scenario: Scenario, given: Bounds[], stride: number, atLeast: number) => {
  const preemptions = deeper('EXPLORE_PREEMPTIONS')
  const crashes = deeper('EXPLORE_CRASHES')
  const asGiven = preemptions === undefined && crashes === undefined
  t.timeout(asGiven ? LIMIT_MS : DEEP_LIMIT_MS)
  let total = 0
  for (const bounds of asGiven ? given : [{ preemptions: preemptions ?? 0, crashes: crashes ?? 0 }]) {
    const { schedules, known } = await explore(scenario, bounds, asGiven ? stride : 1)
    t.log(
      `${schedules} schedules (preemptions ≤ ${bounds.preemptions}, crashes ≤ ${bounds.crashes}), ${known} of them into known states`,
    )
    total += schedules
  }
  t.true(total >= (asGiven ? atLeast : 1), `only ${total} schedules were run`)
}

/** A fault that was put in is found, for this reason, and its schedule can be run again from its choices. */
export const found = async (t: ExecutionContext, scenario: Scenario, why: RegExp, bounds: Bounds): Promise<void> => {
  const broken = await t.throwsAsync(explore(scenario, bounds), { instanceOf: Broken, message: why })
  if (!broken) return
  const again = await t.throwsAsync(replay(scenario, bounds, broken.choices), { instanceOf: Broken })
  t.is(again?.message, broken.message)
  t.log(`found in schedule ${broken.schedules}: ${broken.message}`)
}
