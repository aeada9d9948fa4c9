import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Bench, createBench, type Outcome, type PassedFile } from './bench.ts'
import { type ChosenTest, dependentsOf, testsOf } from './chosen-tests.ts'
import { type ImportGraph, importGraph, testFilesOf } from './import-graph.ts'
import type { Mutant } from './mutant.ts'
import { isReached } from './reach.ts'
import type { Trial } from './worker.ts'

/** What the tests made of a mutant. */
export type Verdict = {
  readonly mutant: Mutant
  readonly status: 'killed' | 'by time' | 'survived'
  /** The test that noticed it, where one did. */
  readonly by?: string
  readonly tests: readonly string[]
}

/** Mutants of one file, and the tests that are to notice them. */
export type Plan = {
  readonly file: string
  readonly mutants: readonly Mutant[]
  readonly tests: readonly ChosenTest[]
  /** Addresses of what is loaded anew for each mutant, the file's own among them. */
  readonly fresh: readonly string[]
  readonly url: string
}

export type Course = {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly jobs: number
  /** How much longer than usual the tests of a mutant may take, at least: a slow moment is no fault. */
  readonly graceMs: number
  readonly heard: (line: string) => void
}

/** The same for tests that take long themselves. */
const SLOWER = 4
const UNCHANGED_LIMIT_MS = 600_000
/** Processor time of a test that is worth its while for each mutant; those that try everything at once take longer. */
const WORTH_MS = 2_500

/** Which tests run for the mutants, file by file. */
export const plansOf = (
  root: string,
  mutants: readonly Mutant[],
  { patterns, max }: { readonly patterns: readonly string[]; readonly max: number },
): readonly Plan[] => {
  const graph = importGraph(root)
  const all = testFilesOf(root, patterns.length > 0 ? patterns : undefined)
  return [...Map.groupBy(mutants, ({ file }) => file)].map(([file, of]) => planOf(root, graph, all, file, of, max))
}

const planOf = (
  root: string,
  graph: ImportGraph,
  all: readonly string[],
  file: string,
  mutants: readonly Mutant[],
  max: number,
): Plan => {
  const tests = testsOf(graph, all, file, max)
  const names = tests.map((test) => test.file)
  const fresh = dependentsOf(graph, names, file).map((each) => pathToFileURL(join(root, each)).href)
  return { file, mutants, tests, fresh, url: pathToFileURL(join(root, file)).href }
}

/** Runs the tests of every plan without a mutant, and then with each. Throws when a test fails without one. */
export const tryMutants = async (plans: readonly Plan[], course: Course): Promise<readonly Verdict[]> => {
  const benches = Array.from({ length: course.jobs }, () => ({
    shared: createBench({ env: course.env, isShared: true }),
    alone: createBench({ env: course.env, isShared: false }),
  }))
  const [first] = benches
  if (!first) throw new Error('no mutant can be tried by no process')
  try {
    const unchanged = await measured(plans, course, first)
    first.shared.clear()
    const left = plans.flatMap((plan) => plan.mutants.map((mutant) => ({ plan, mutant }))).entries()
    const verdicts: Verdict[] = []
    await Promise.all(
      benches.map(async (bench) => {
        for (const [at, { plan, mutant }] of left) {
          const verdict = await verdictOn(mutant, `m${at}`, { plan, unchanged, course, bench })
          verdicts[at] = verdict
          course.heard(`${mutant.file}:${mutant.line}:${mutant.column} ${mutant.change}: ${verdict.status}`)
        }
      }),
    )
    return verdicts
  } finally {
    for (const bench of benches) for (const each of Object.values(bench)) each.clear()
  }
}

type Benches = { readonly shared: Bench; readonly alone: Bench }
type Given = {
  readonly plan: Plan
  readonly unchanged: ReadonlyMap<string, PassedFile>
  readonly course: Course
  readonly bench: Benches
}

/** How each test file does on the sources as they are: how long it takes, and what of them it runs. */
const measured = async (
  plans: readonly Plan[],
  { root, heard }: Course,
  bench: Benches,
): Promise<ReadonlyMap<string, PassedFile>> => {
  const tests = new Map(plans.flatMap((plan) => plan.tests.map((test) => [test.file, test] as const)))
  const fresh = [...new Set(plans.flatMap((plan) => plan.fresh))]
  const unchanged = new Map<string, PassedFile>()
  for (const [at, { file, isQuiet }] of [...tests.values()].entries()) {
    const trial = { name: `u${at}`, root, tests: [file], fresh, watched: plans.map(({ url }) => url) }
    const outcome = await (isQuiet ? bench.shared : bench.alone).run(trial, UNCHANGED_LIMIT_MS)
    const [passed] = outcome.status === 'passed' ? outcome.passed : []
    if (!passed) throw new Error(`${file} fails without a mutant${'by' in outcome ? `: ${outcome.by}` : ''}`)
    unchanged.set(file, passed)
    heard(`${file} takes ${Math.round(passed.cpuMs)} ms`)
  }
  return unchanged
}

const verdictOn = async (mutant: Mutant, name: string, given: Given): Promise<Verdict> => {
  const { plan, unchanged, course, bench } = given
  const change = { ...mutant, url: plan.url }
  const { quiet, loud } = testsOfMutant(mutant, plan, unchanged)
  const tests = [...quiet, ...loud]
  for (const [on, part] of [[bench.shared, quiet] as const, [bench.alone, loud] as const]) {
    if (part.length === 0) continue
    const usual = part.reduce((sum, file) => sum + (unchanged.get(file)?.ms ?? 0), 0)
    const trial = { name, root: course.root, tests: part, fresh: plan.fresh, change }
    const outcome = await timely(on, trial, usual * SLOWER + course.graceMs)
    if (outcome.status === 'late') return { mutant, status: 'by time', tests }
    if (outcome.status === 'failed') return { mutant, status: 'killed', by: outcome.by, tests }
  }
  return { mutant, status: 'survived', tests }
}

/** Those that run the place of the mutant. Quiet ones that take long are passed over, unless there are no others. */
const testsOfMutant = (mutant: Mutant, { tests, url }: Plan, unchanged: Given['unchanged']) => {
  const reaching = tests.filter(
    ({ file, startsProgram }) => startsProgram || isReached(unchanged.get(file)?.reach[url], mutant.start),
  )
  const namesOf = (of: readonly ChosenTest[]) => of.map(({ file }) => file)
  const quiet = namesOf(reaching.filter(({ isQuiet }) => isQuiet))
  const quick = quiet.filter((file) => (unchanged.get(file)?.cpuMs ?? 0) <= WORTH_MS)
  return { quiet: quick.length > 0 ? quick : quiet, loud: namesOf(reaching.filter(({ isQuiet }) => !isQuiet)) }
}

/** What takes too long without the mutant too is owed to the machine: both get twice the time. */
const timely = async (bench: Bench, trial: Trial, limitMs: number): Promise<Outcome> => {
  const outcome = await bench.run(trial, limitMs)
  if (outcome.status !== 'late') return outcome
  const { change: _, ...unchanged } = trial
  const control = await bench.run({ ...unchanged, name: `${trial.name}-unchanged` }, limitMs)
  if (control.status === 'failed') throw new Error(`${control.by} fails without a mutant, which it did not before`)
  return control.status === 'passed' ? outcome : await timely(bench, trial, limitMs * 2)
}
