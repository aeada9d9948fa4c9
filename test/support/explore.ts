/**
 * A model checker for code that runs: it takes the real async code through every order of its steps, with at most so
 * many preemptions and crashes. A step is where code meets the outside or where time passes; between two steps a task
 * has its process to itself.
 */
import { chanceOf } from '../faults/chance.ts'
import { type Bounds, type Choice, createSchedule, type End, type Plan, type Scenario } from '../schedules/schedule.ts'
import { createStates } from '../schedules/states.ts'

/** `known` of the schedules were left early: they had come to a state from which all had been explored. */
export type Explored = { readonly schedules: number; readonly known: number }

/** A schedule in which something went wrong, told step by step; its choices repeat it. */
export class Broken extends Error {
  override readonly name = 'Broken'
  readonly choices: readonly number[]
  /** How many schedules it took to come to this one. */
  readonly schedules: number

  constructor({ wrong, trace }: Exclude<End, string>, taken: readonly Choice[], schedules: number) {
    const why = wrong instanceof Error ? wrong.message : String(wrong)
    const choices = taken.map(({ choice }) => choice)
    super(`${why}\n  ${trace.join('\n  ')}\n  choices: ${choices.join(',')}`, { cause: wrong })
    this.choices = choices
    this.schedules = schedules
  }
}

/**
 * Explores every schedule within the bounds; with a `stride` above 1 only each so-manieth branch, and what comes after
 * it. Rejects with the first that is broken.
 */
export const explore = async (scenario: Scenario, bounds: Bounds, stride = 1): Promise<Explored> => {
  const states = createStates()
  let known = 0
  let branches = 0
  let plan: Plan = []
  for (let schedules = 1; ; schedules++) {
    const { run, taken } = createSchedule(scenario, bounds, plan, states)
    const end = await run()
    if (typeof end === 'object') throw new Broken(end, taken, schedules)
    if (end === 'known') known++
    let following = planAfter(taken)
    while (following && ++branches % stride !== 0) following = planAfter(following)
    if (!following) return { schedules, known }
    plan = following
  }
}

/**
 * Runs at most so many schedules within the bounds, each time from one of all branches that are open, drawn evenly; the
 * same ones each time. Rejects with the first that is broken.
 */
export const sample = async (scenario: Scenario, bounds: Bounds, most: number): Promise<Explored> => {
  const states = createStates()
  const chance = chanceOf(1)
  let known = 0
  let schedules = 0
  for (let open: Plan[] = [[]]; open.length > 0 && schedules < most; ) {
    const [plan = []] = open.splice(chance.between(0, open.length - 1), 1)
    const { run, taken } = createSchedule(scenario, bounds, plan, states)
    const end = await run()
    if (typeof end === 'object') throw new Broken(end, taken, schedules + 1)
    schedules++
    if (end === 'known') known++
    open = [...open, ...branchesBeyond(plan, taken)]
  }
  return { schedules, known }
}

/** The ways that a schedule did not go, after those that its plan had named. */
const branchesBeyond = (plan: Plan, taken: readonly Choice[]): Plan[] =>
  taken
    .slice(plan.length)
    .flatMap(({ of }, n) =>
      Array.from({ length: of - 1 }, (_, other) => [...taken.slice(0, plan.length + n), { choice: other + 1, of }]),
    )

/** The next branch, depth first. */
const planAfter = (taken: readonly Choice[]): Choice[] | undefined => {
  const last = taken.findLastIndex(({ choice, of }) => choice + 1 < of)
  const next = taken[last]
  return next && [...taken.slice(0, last), { ...next, choice: next.choice + 1 }]
}

/** Runs one schedule again. Rejects with what is broken in it. */
export const replay = async (scenario: Scenario, bounds: Bounds, choices: readonly number[]): Promise<void> => {
  const { run, taken } = createSchedule(
    scenario,
    bounds,
    choices.map((choice) => ({ choice })),
    createStates(),
  )
  const end = await run()
  if (typeof end === 'object') throw new Broken(end, taken, 1)
}
