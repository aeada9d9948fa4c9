import { closureOf, type ImportGraph, reachesOut } from './import-graph.ts'

/** A test file that loads the mutated file, on its own or through others. */
export type ChosenTest = {
  readonly file: string
  /** How many imports lie between the two. */
  readonly steps: number
  /** How many files it loads. */
  readonly size: number
  /** It starts nothing and opens no connection, so that many runs of it can share a process. */
  readonly isQuiet: boolean
  /** It runs the command line as a process of its own, which nobody watches. */
  readonly startsProgram: boolean
}

/** The tests of a file: quiet ones first, then the nearest, then those that load least. */
export const testsOf = (
  graph: ImportGraph,
  tests: readonly string[],
  file: string,
  max: number,
): readonly ChosenTest[] =>
  tests
    .flatMap((test): ChosenTest[] => {
      const closure = closureOf(graph, test)
      const steps = closure.get(file)
      if (steps === undefined) return []
      const isQuiet = ![...closure.keys()].some((each) => graph.packagesOf(each).some(reachesOut))
      return [{ file: test, steps, size: closure.size, isQuiet, startsProgram: closure.has('src/cli.ts') }]
    })
    .sort(byNearness)
    .slice(0, max)

/** What has to be loaded anew when `file` changes: every file of the tests' that loads it. */
export const dependentsOf = (graph: ImportGraph, tests: readonly string[], file: string): readonly string[] => {
  const all = new Set(tests.flatMap((test) => [...closureOf(graph, test).keys()]))
  const importers = new Map<string, string[]>()
  for (const each of all)
    for (const next of graph.filesOf(each)) importers.set(next, [...(importers.get(next) ?? []), each])
  const dependents = new Set([file])
  for (const each of dependents) for (const importer of importers.get(each) ?? []) dependents.add(importer)
  return [...dependents].sort()
}

const byNearness = (one: ChosenTest, other: ChosenTest): number =>
  Number(other.isQuiet) - Number(one.isQuiet) ||
  one.steps - other.steps ||
  one.size - other.size ||
  (one.file < other.file ? -1 : 1)
