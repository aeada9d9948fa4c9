/** The embedded server in a folder of its own, in this process and in one that can be killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import type { ExecutionContext } from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'

export const REPOSITORY = join(import.meta.dirname, '..', '..')

export async function scratch(t: ExecutionContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-embedded-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  return dir
}

export async function usingServer(dir: string, use: (url: string) => Promise<unknown>): Promise<void> {
  const server = await startEmbeddedPostgres({ dir })
  try {
    await use(server.url)
  } finally {
    await server.stop()
  }
}

/** A process of its own that starts the server, says its url, and stops the server when its input ends. */
export async function startInChild(
  dir: string,
  durable = true,
  root = REPOSITORY,
): Promise<{ child: ChildProcess; url: string }> {
  const module = pathToFileURL(join(root, 'adapters', 'postgres', 'embedded.ts')).href
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(module)})
    const server = await startEmbeddedPostgres(${JSON.stringify({ dir, durable })})
    console.log(server.url)
    for await (const _ of process.stdin);
    await server.stop()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  for await (const url of createInterface(child.stdout)) return { child, url }
  throw new Error('The server did not start')
}

export async function write(url: string, text: string): Promise<void> {
  await withConnection(url, async (sql) => {
    await sql`create table if not exists notes (text text)`
    await sql`insert into notes values (${text})`
  })
}

export const readNotes = (url: string): Promise<string[]> =>
  withConnection(url, async (sql) => {
    const [found] = await sql`select to_regclass('notes') as notes`
    return found?.notes ? (await sql<{ text: string }[]>`select text from notes`).map((row) => row.text) : []
  })

async function withConnection<T>(url: string, use: (sql: ReturnType<typeof connect>) => Promise<T>): Promise<T> {
  const sql = connect(url, { max: 1 })
  try {
    return await use(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
