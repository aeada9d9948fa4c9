import type { Verdict } from './trials.ts'

/** How many mutants the tests noticed. */
export type Count = {
  readonly mutants: number
  readonly killed: number
  readonly byTime: number
  readonly survived: number
  /** Percent of those that were noticed, in whole ones; 100 of none. */
  readonly share: number
}

/** What the run found, for programs. */
export type MutationReport = {
  readonly seed: number
  readonly total: Count
  readonly files: Readonly<Record<string, Count>>
  readonly survivors: readonly Verdict[]
}

export const countOf = (verdicts: readonly Verdict[]): Count => {
  const of = (status: Verdict['status']) => verdicts.filter((verdict) => verdict.status === status).length
  const [mutants, survived] = [verdicts.length, of('survived')]
  const share = mutants === 0 ? 100 : Math.floor(((mutants - survived) * 100) / mutants)
  return { mutants, killed: of('killed'), byTime: of('by time'), survived, share }
}

export const reportOf = (verdicts: readonly Verdict[], seed: number): MutationReport => ({
  seed,
  total: countOf(verdicts),
  files: Object.fromEntries(
    [...Map.groupBy(verdicts, ({ mutant }) => mutant.file)].map(([file, of]) => [file, countOf(of)]),
  ),
  survivors: verdicts.filter(({ status }) => status === 'survived'),
})

/** The same, for people: each survivor with the tests that ran, then a table. */
export const printedReport = ({ seed, total, files, survivors }: MutationReport): string => {
  const rows = [...Object.entries(files), ['all', total] as const].map(([file, count]) => [file, ...cellsOf(count)])
  const table = [['', 'mutants', 'killed', 'by time', 'survived', 'share killed'], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = table.map((row) => row.map((cell, column) => padded(cell, widths[column] ?? 0, column)).join('  '))
  return [...survivors.map(printedSurvivor), lines.join('\n'), `seed ${seed}`].join('\n\n')
}

const cellsOf = ({ mutants, killed, byTime, survived, share }: Count): readonly string[] => [
  ...[mutants, killed, byTime, survived].map(String),
  `${share} %`,
]

const padded = (cell: string, width: number, column: number): string =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width)

const printedSurvivor = ({ mutant, tests }: Verdict): string =>
  [
    `${mutant.file}:${mutant.line}:${mutant.column} survived: ${mutant.change}`,
    tests.length === 0 ? '  no test runs this place' : `  after ${tests.join(', ')}`,
  ].join('\n')
