import { writeFile } from 'node:fs/promises'
import type { Sql } from '../adapters/postgres/connect.ts'
import { runDebian } from './debian.ts'

/** psql's \copy of what an export selects, the reference of every export as CSV. */

const LIMIT_MS = 600_000

/** The select in parentheses that an export runs, on one line as psql wants it. */
export const selectOf = async (exporting: (sql: Sql) => unknown): Promise<string> => {
  let text = ''
  const listening = {
    unsafe: (statement: string) => {
      text = statement
      return { readable: () => undefined }
    },
  }
  await exporting(listening as unknown as Sql)
  const select = /^copy (\(.*\))\s+to stdout (?:with )?\(format csv, header\)$/s.exec(text.trim())?.[1]
  if (select === undefined) throw new Error(`the export is no such statement: ${text}`)
  return select.replaceAll(/\s+/g, ' ')
}

/**
 * Copies to a file; answers the milliseconds that psql itself counts, without its start. `dir` is where its script is
 * written.
 */
export const copyBy = (psql: string, url: string, dir: string, select: string) => async (target: string) => {
  const script = `${dir}/copy.sql`
  const lines = [
    '\\set ON_ERROR_STOP on',
    'set search_path to daybook;',
    '\\timing on',
    `\\copy ${select} to '${target}' with (format csv, header)`,
  ]
  await writeFile(script, `${lines.join('\n')}\n`)
  const out = await runDebian(psql, ['--no-psqlrc', '--quiet', '--file', script, url], LIMIT_MS)
  return Number(/^Time: ([\d.]+) ms/m.exec(out)?.[1])
}
