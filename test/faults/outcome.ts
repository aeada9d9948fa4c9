/** What a run of one kind of fault came to, in one shape for the tests and for the long run. */
import type { ExecutionContext } from 'ava'
import { runs } from '../support/depth.ts'
import type { Audit } from './audit.ts'
import { type Chance, chanceOf } from './chance.ts'
import type { Load } from './load.ts'
import type { Stage } from './stage.ts'

export type Run = {
  /** Each fault only as long as it takes to be felt. */
  readonly brief: boolean
  readonly seed: number
  readonly rounds: number
  /** Told after each round. */
  readonly progress: (line: string) => void
}

/** Counts besides the books, by name. */
export type Counts = Readonly<Record<string, number>>

export type Outcome = Audit & {
  readonly rounds: number
  readonly counts: Counts
  /** What was seen on the way that must not be: a hang, a wrong status. */
  readonly wrong: readonly string[]
}

/** One kind of fault. It throws nothing for what it finds, only when it cannot play. */
export type Kind = (run: Run, chance: Chance) => Promise<Outcome>

/** Nothing lost, nothing doubled, nothing broken, every model equal to its replay. */
export const isSound = (outcome: Outcome): boolean => faultsOf(outcome).length === 0 && outcome.acknowledged > 0

/** Everything that is not as it must be, in lines. */
export const faultsOf = ({ lost, doubled, broken, differences, wrong }: Outcome): readonly string[] =>
  Object.entries({ lost, doubled, broken, differences, wrong }).flatMap(([what, list]) =>
    list.map((each) => `${what}: ${each}`),
  )

/** One line for a person. */
export const lineOf = (name: string, o: Outcome): string => {
  const counts = Object.entries(o.counts).map(([what, count]) => `${count} ${what}`)
  return [
    `${name}: ${o.rounds} rounds`,
    `${o.acknowledged} acknowledged writes`,
    `${o.lost.length} lost`,
    `${o.doubled.length} doubled`,
    `${o.differences.length} read-model differences`,
    `${o.payments} payments, ${o.broken.length} of them or of the books broken`,
    ...counts,
    ...(o.wrong.length > 0 ? [`${o.wrong.length} WRONG`] : []),
  ].join('; ')
}

/**
 * Answers that no fault excuses, and services that did not live through it; `excused` are statuses besides, 0 for no
 * answer.
 */
export const misbehaviour = (
  { services }: Stage,
  load: Load,
  { excused = [] as readonly number[] } = {},
): readonly string[] => [
  ...[...load.answers]
    .filter(([status]) => !EXCUSED.has(status) && !excused.includes(status))
    .map(([status, count]) => `${count} answers with status ${status}`),
  ...services
    .filter((service) => service.fell() > 0)
    .map((service) => `a service fell ${service.fell()} times: ${service.words()}`),
]

/** Done; an address that is taken, by the sign-up that was sent before; the door; come back later, twice. */
const EXCUSED: ReadonlySet<number> = new Set([200, 400, 402, 429, 503])

/** Longer than a test of these takes on a busy machine. */
export const PLAY_MS = runs({ quick: 180_000, deep: 1_200_000 })

/** The seed of the tests; FAULTS_SEED tries another. */
const SEED = 20_261_120

/** A short run as a test: it fails on the first thing that is not whole, and names its seed. */
export const plays = async (t: ExecutionContext, kind: Kind, rounds: number): Promise<Outcome> => {
  const seed = Number(process.env.FAULTS_SEED ?? SEED)
  t.log(`seed ${seed}`)
  const outcome = await kind({ seed, rounds, brief: true, progress: (line) => t.log(line) }, chanceOf(seed))
  t.log(lineOf('done', outcome))
  t.deepEqual(faultsOf(outcome), [], `seed ${seed}`)
  t.true(outcome.acknowledged > 0, `nothing was written (seed ${seed})`)
  return outcome
}
