import { writeFile } from 'node:fs/promises'
import type { Sql } from '../adapters/postgres/connect.ts'
import type { Contestant, Figures } from './comparison.ts'
import { runDebian } from './debian.ts'
import { ACCOUNTS, EVENT_BYTES } from './sizes.ts'
import type { Stage } from './stage.ts'

/**
 * An insert of one event per transaction by pgbench, with prepared statements, to see how fast PostgreSQL itself writes
 * the same rows.
 */

const TABLE = `create table bench_events (
  position bigint generated always as identity primary key,
  stream text not null, version int not null, id uuid not null, type text not null, metadata text not null, data text not null,
  unique (stream, version))`
/** The metadata that Daybook writes beside the data: version, time and cause. */
const METADATA = '{"v":1,"at":"2026-03-02T10:06:00.000Z","cause":{"actor":"bench","correlationId":"bench"}}'
const DATA = { ref: '', position: '1' }

const SCRIPT = `\\set n :n + 1
\\set stream :client_id * :per + :n % :per
\\set version :n / :per
insert into bench_events (stream, version, id, type, metadata, data)
  values (:round || '-' || :stream, :version, gen_random_uuid(), 'CreditDebited', '${METADATA}', '${JSON.stringify({
    ...DATA,
    ref: 'x'.repeat(EVENT_BYTES - JSON.stringify(DATA).length),
  })}');
`

/** Contestants with so many clients each, all on one database of their own. */
export const pgbenchInserts = async (
  stage: Stage,
  program: string,
  clients: readonly number[],
): Promise<readonly Contestant[]> => {
  const run = await openPgbench(stage, program, { tables: TABLE, script: SCRIPT, counts: 'bench_events' })
  let rounds = 0
  const round = (count: number) => {
    // The clock of pgbench runs while it connects, so a round with many clients gets a second for that.
    const seconds = stage.pick(1, 5) + (count > 16 ? 1 : 0)
    return run({ clients: count, seconds, variables: { n: -1, per: ACCOUNTS / count, round: ++rounds } })
  }
  return clients.map((count) => ({ name: `pgbench insert, ${count}`, round: () => round(count) }))
}

type Work = {
  readonly tables: string
  /** The statements of each transaction. */
  readonly script: string
  /** The table that gets a row with each transaction. */
  readonly counts: string
}
type Run = { clients: number; seconds: number; variables: Readonly<Record<string, number>> }

/**
 * pgbench on a database of its own, with prepared statements. Throws when the table has got another number of rows than
 * pgbench says.
 */
export const openPgbench = async (stage: Stage, program: string, { tables, script, counts }: Work) => {
  const { url, sql } = await stage.database()
  await sql.unsafe(tables)
  const file = `${stage.dir}/${counts}.sql`
  await writeFile(file, script)
  const database = await quickLogin(stage, url, sql)
  return async ({ clients, seconds, variables }: Run): Promise<Figures> => {
    const given = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`])
    const load = ['-c', String(clients), '-j', String(Math.min(2, clients)), '-T', String(seconds)]
    const before = await rowsOf(sql, counts)
    const limitMs = (seconds + LIMIT_MORE_S) * 1000
    const out = await runDebian(program, ['-n', '-M', 'prepared', '-f', file, ...load, ...given, database], limitMs)
    const done = numberIn(out, /number of transactions actually processed: (\d+)/)
    const written = (await rowsOf(sql, counts)) - before
    if (written !== done) throw new Error(`pgbench says ${done} transactions, the table has got ${written} rows`)
    return { rate: numberIn(out, /tps = ([\d.]+) \(without initial connection time\)/) }
  }
}

const LIMIT_MORE_S = 60

let logins = 0

/** A role whose password is checked at once: 64 thorough checks would use up much of a short round. */
const quickLogin = async (stage: Stage, url: string, sql: Sql): Promise<string> => {
  const quick = new URL(url)
  quick.username = `bench_${process.pid}_login_${++logins}`
  await sql.begin(async (tx) => {
    await tx`set local scram_iterations = 1`
    await tx.unsafe(`create role ${quick.username} login superuser password '${quick.password}'`)
  })
  stage.closing(() => sql`drop role ${sql(quick.username)}`)
  return quick.href
}

const rowsOf = async (sql: Sql, table: string): Promise<number> => {
  const [row] = await sql<{ count: string }[]>`select count(*) from ${sql(table)}`
  return Number(row?.count)
}

const numberIn = (text: string, pattern: RegExp): number => {
  const found = Number(pattern.exec(text)?.[1] ?? Number.NaN)
  if (!Number.isFinite(found)) throw new Error(`pgbench said something else: ${text}`)
  return found
}
