import type { Sql } from '../../../adapters/postgres/connect.ts'
import { type ReportedProcess, reportedProcesses } from '../../../adapters/processes/reports.ts'
import { SERVING } from '../../../projections/engine/schema.ts'
import { columns } from '../../console/output.ts'
import { readModel } from '../../engine/elsewhere.ts'

/** A process that is alive, with the follower of it that is furthest behind the log. */
type ShownProcess = ReportedProcess & { readonly slowest: { name: string; behind: number } | undefined }

/** The processes that serve, each with what it runs; `head` is the last position of the log. */
export const examineProcesses = async (sql: Sql, head: bigint): Promise<readonly ShownProcess[]> => {
  const alive = await reportedProcesses(sql)
  if (alive.length === 0) return []
  const places = await sql<{ name: string; position: string; rows: boolean }[]>`
    select name, position, false as rows from daybook_run.checkpoints
    union all select name, position, true from ${sql(SERVING)}.checkpoints`
  const at = new Map(places.map(({ name, position, rows }) => [rows ? readModel(name) : name, BigInt(position)]))
  return alive.map((process) => {
    const runs = process.report?.runs ?? []
    const behind = runs.map((name) => ({ name, behind: Math.max(0, Number(head - (at.get(name) ?? -1n))) }))
    return { ...process, slowest: behind.toSorted((a, b) => b.behind - a.behind)[0] }
  })
}

/** The processes as a table for people. */
export const processTable = (processes: readonly ShownProcess[]): string =>
  columns([
    ['process', 'address', 'since', 'parts', 'runs', 'behind'],
    ...processes.map(({ id, address, since, parts, report, slowest }) => [
      id.slice(0, ID_CHARACTERS),
      address ?? '–',
      since.toISOString().replace('T', ' ').replace(/\.\d+/, ''),
      parts.join(', '),
      runsOf(report),
      slowest ? behindOf(slowest) : '–',
    ]),
  ])

const ID_CHARACTERS = 8

const runsOf = (report: ReportedProcess['report']): string => {
  if (!report) return 'has just come'
  if (report.runs.length === 0) return 'stands by'
  const stopped = report.stopped.length === 0 ? '' : `, stopped: ${report.stopped.join(', ')}`
  return `${report.runs.length} followers${stopped}`
}

const behindOf = ({ name, behind }: { name: string; behind: number }): string =>
  behind === 0 ? '0' : `${behind.toLocaleString('en')} (${name})`

/** The same as JSON. */
export const processesJson = (processes: readonly ShownProcess[]) =>
  processes.map(({ id, address, since, parts, report, slowest }) => ({
    id,
    address: address ?? null,
    since: since.toISOString(),
    parts,
    runs: report ? report.runs : null,
    stopped: report?.stopped ?? [],
    behind: slowest?.behind ?? null,
    slowest: slowest && slowest.behind > 0 ? slowest.name : null,
  }))
