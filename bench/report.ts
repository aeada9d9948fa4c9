import { cpus, totalmem } from 'node:os'
import type { Outcome, Row, Verdict } from './comparison.ts'
import { isNoSlower, NO_SLOWER, type Race } from './versions.ts'

/** One set of comparisons, with the outcome of each. */
export type SetReport = { readonly set: string; readonly title: string; readonly outcomes: readonly Outcome[] }

type Run = { readonly at: string; readonly size: string; readonly machine: string; readonly seconds: number }
export type Report = Run & { readonly sets: readonly SetReport[] }
/** This version beside the one of a commit. */
export type RaceReport = Run & { readonly commit: string; readonly races: readonly Race[] }

export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}`

/** The report as Markdown, as docs/performance.md shows it. */
export const asMarkdown = ({ sets, ...run }: Report): string =>
  [
    runLine(run),
    ...sets.flatMap(({ set, title, outcomes }) => [
      `\n## ${title} (\`--only ${set}\`)`,
      ...outcomes.flatMap((outcome) => ['', `**${outcome.title}** (${roundsOf(outcome)})`, '', ...tables(outcome)]),
    ]),
    '',
  ].join('\n')

const roundsOf = ({ rounds, steadiness: { dropped, unsteady } }: Outcome) =>
  [
    `${rounds} rounds`,
    ...(dropped > 0 ? [`${dropped} more dropped, in which the machine moved`] : []),
    ...(unsteady > 0 ? [`it moved in ${unsteady} of them, too`] : []),
  ].join('; ')

/** The report on two versions as Markdown. */
export const racesAsMarkdown = ({ commit, races, ...run }: RaceReport): string =>
  [
    runLine(run),
    '',
    `**This version beside ${commit.slice(0, 12)}** (${races[0]?.rounds ?? 0} rounds; speed is the new rate over the old one)`,
    '',
    '| | of | before | now | speed, median | 95 % interval | no slower |',
    '|---|---|---:|---:|---:|---:|---|',
    ...races.map(raceLine),
    '',
    `No slower: the interval of the median, by order statistics, reaches ${NO_SLOWER}.`,
    '',
  ].join('\n')

const raceLine = (race: Race) => {
  const { name, unit, old, now, speed } = race
  const interval = `${short(speed.low)}–${short(speed.high)}`
  return `| ${name} | ${unit}/s | ${whole(old)} | ${whole(now)} | ${short(speed.median)} | ${interval} | ${isNoSlower(race) ? 'holds' : '**slower**'} |`
}

const runLine = ({ at, size, machine, seconds }: Run) =>
  `Run of ${at.slice(0, 16).replace('T', ' ')} UTC, size ${size}, ${Math.round(seconds / 60)} min, on ${machine}.`

const tables = ({ unit, rows, verdicts, details }: Outcome): string[] => [
  `| | ${unit}/s, median | min–max | p50 ms | p99 ms | peak MB |${hasCpu(rows) ? ' CPU ms |' : ''}`,
  `|---|---:|---:|---:|---:|---:|${hasCpu(rows) ? '---:|' : ''}`,
  ...rows.map((row) => `${rowLine(row)}${hasCpu(rows) ? ` ${short(row.median.cpuMs)} |` : ''}`),
  ...(verdicts.length > 0
    ? ['', '| goal | wanted | came to | min–max | |', '|---|---|---:|---:|---|', ...verdicts.map(verdictLine)]
    : []),
  ...details.flatMap((detail) => ['', '```', detail, '```']),
]

const hasCpu = (rows: readonly Row[]): boolean => rows.some(({ median }) => median.cpuMs !== undefined)

const rowLine = ({ name, median, min, max }: Row) =>
  `| ${name} | ${whole(median.rate)} | ${whole(min)}–${whole(max)} | ${short(median.p50)} | ${short(median.p99)} | ${short(median.peakMb)} |`

const verdictLine = ({ subject, reference, figure, atLeast, atMost, median, min, max, met }: Verdict) => {
  const what = figure ? ` ${figure}` : ''
  const wanted = [atLeast === undefined ? [] : `≥ ${atLeast}`, atMost === undefined ? [] : `≤ ${atMost}`]
    .flat()
    .join(', ')
  return `| ${subject}${what}${reference ? ` ÷ ${reference}` : ''} | ${wanted} | ${short(median)} | ${short(min)}–${short(max)} | ${met ? 'met' : '**missed**'} |`
}

const whole = (value: number) => Math.round(value).toLocaleString('en-US')
const short = (value: number | undefined) =>
  value === undefined ? '' : value >= 100 ? whole(value) : value.toPrecision(3)
