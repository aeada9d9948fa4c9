import { median } from './ratio.ts'
import { type Pace, type Steadiness, steadily } from './steady.ts'

/**
 * Measures contestants against each other. Each does its work for one round and answers its figures; only figures of
 * one round stand beside each other, because the machine under them drifts.
 */

/** The figures of one round. Rates are per second, times in milliseconds, memory in MB (10⁶ bytes). */
export type Figures = {
  readonly rate: number
  readonly p50?: number
  readonly p99?: number
  readonly peakMb?: number
  /** Processor time of the service for one of what `rate` counts, or in a second, as the title says. */
  readonly cpuMs?: number
}
export type Figure = keyof Figures

export type Contestant = { readonly name: string; round(): Promise<Figures> }

/** One figure of `subject` over the same figure of `reference`, or the figure itself when there is none. */
export type Goal = {
  readonly subject: string
  readonly reference?: string
  readonly figure?: Figure
  readonly atLeast?: number
  readonly atMost?: number
}

export type Comparison = {
  readonly title: string
  /** The things that `rate` counts, e.g. `events`. */
  readonly unit: string
  readonly contestants: readonly Contestant[]
  readonly goals: readonly Goal[]
  /** Text that explains the figures, such as a query's plan; asked for after the last round. */
  readonly details?: () => Promise<readonly string[]>
}

export type Row = { readonly name: string; readonly median: Figures; readonly min: number; readonly max: number }
export type Verdict = Goal & {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly met: boolean
}
export type Outcome = {
  readonly title: string
  readonly unit: string
  readonly rounds: number
  /** Rounds that were not counted, or were although the machine moved in them. */
  readonly steadiness: Steadiness
  readonly rows: readonly Row[]
  readonly verdicts: readonly Verdict[]
  readonly details: readonly string[]
}

/**
 * Runs every contestant once a round, each round starting with another, so that none always meets the warm or the tired
 * machine. A round in which the machine moved is dropped and done again.
 */
export const compare = async (
  { title, unit, contestants, goals, details }: Comparison,
  rounds: number,
  { pace, say }: { readonly pace: Pace; readonly say: (line: string) => void },
): Promise<Outcome> => {
  const one = async (round: number) => {
    const figures = new Map<string, Figures>()
    const first = round % contestants.length
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      const its = await contestant.round()
      figures.set(contestant.name, its)
      say(`${title} · round ${round + 1} of ${rounds} · ${contestant.name}: ${Math.round(its.rate)} ${unit}/s`)
    }
    return figures
  }
  const { counted, ...steadiness } = await steadily(rounds, pace, one, say)
  const taken = new Map(contestants.map(({ name }) => [name, counted.flatMap((figures) => figures.get(name) ?? [])]))
  const rows = contestants.map(({ name }) => rowOf(name, taken.get(name) ?? []))
  return {
    title,
    unit,
    rounds,
    steadiness,
    rows,
    verdicts: goals.map((goal) => verdictOn(goal, taken)),
    details: (await details?.()) ?? [],
  }
}

const rowOf = (name: string, taken: readonly Figures[]): Row => {
  const rates = taken.map(({ rate }) => rate)
  const known = (['p50', 'p99', 'peakMb', 'cpuMs'] as const).flatMap((figure) => {
    const values = taken.flatMap((figures) => figures[figure] ?? [])
    return values.length > 0 ? [[figure, median(values)] as const] : []
  })
  return {
    name,
    median: { rate: median(rates), ...Object.fromEntries(known) },
    min: Math.min(...rates),
    max: Math.max(...rates),
  }
}

/**
 * The ratio of each round, then the median of the ratios: a slow minute of the machine slows both sides of one ratio.
 */
const verdictOn = (goal: Goal, taken: ReadonlyMap<string, readonly Figures[]>): Verdict => {
  const values = (name: string) =>
    (taken.get(name) ?? []).map((figures) => figures[goal.figure ?? 'rate'] ?? Number.NaN)
  const subject = values(goal.subject)
  const reference = goal.reference === undefined ? undefined : values(goal.reference)
  const ratios = subject.map((value, i) => (reference ? value / (reference[i] ?? Number.NaN) : value))
  const middle = median(ratios)
  const met =
    middle >= (goal.atLeast ?? Number.NEGATIVE_INFINITY) && middle <= (goal.atMost ?? Number.POSITIVE_INFINITY)
  return { ...goal, median: middle, min: Math.min(...ratios), max: Math.max(...ratios), met }
}
