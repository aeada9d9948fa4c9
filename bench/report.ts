import { cpus, totalmem } from 'node:os'
import type { Outcome, Row, Verdict } from './comparison.ts'

/** One set of comparisons: what was asked, and what came of each. */
export type SetReport = { readonly set: string; readonly title: string; readonly outcomes: readonly Outcome[] }

export type Report = {
  readonly at: string
  readonly size: string
  readonly machine: string
  readonly seconds: number
  readonly sets: readonly SetReport[]
}

export const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}`

/** The report as Markdown, as docs/performance.md shows it. */
export const asMarkdown = ({ at, size, machine, seconds, sets }: Report): string =>
  [
    `Run of ${at.slice(0, 16).replace('T', ' ')} UTC, size ${size}, ${Math.round(seconds / 60)} min, on ${machine}.`,
    ...sets.flatMap(({ set, title, outcomes }) => [
      `\n## ${title} (\`--only ${set}\`)`,
      ...outcomes.flatMap((outcome) => ['', `**${outcome.title}** (${outcome.rounds} rounds)`, '', ...tables(outcome)]),
    ]),
    '',
  ].join('\n')

const tables = ({ unit, rows, verdicts, details }: Outcome): string[] => [
  `| | ${unit}/s, median | min–max | p50 ms | p99 ms | peak MB |`,
  '|---|---:|---:|---:|---:|---:|',
  ...rows.map(rowLine),
  ...(verdicts.length > 0
    ? ['', '| goal | wanted | came to | min–max | |', '|---|---|---:|---:|---|', ...verdicts.map(verdictLine)]
    : []),
  ...details.flatMap((detail) => ['', '```', detail, '```']),
]

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
