/**
 * PostgreSQL 18 from an npm package, run under the data directory, so that an installation needs no database of its
 * own.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDriver } from './driver.ts'
import { chooseLauncher, findPrograms, give, type Launcher, type Programs } from './embedded-launch.ts'
import { findPostmaster, isPostmaster, readyPort, stopPostmaster } from './postmaster.ts'
import { keepRunning, type RevivedServer } from './revival.ts'

const START_ATTEMPTS = 5
const START_PAUSE_MS = 1_000
/** Generous, because a start after a crash first replays the write-ahead log. */
const START_LIMIT_MS = 180_000
const INITDB_LIMIT_MS = 120_000
const CHECK_LIMIT_S = 5
const POLL_MS = 20
const LOG_MAX_BYTES = 10_000_000
const USER = 'daybook'
const HOST = '127.0.0.1'

const SETTINGS = {
  listen_addresses: HOST,
  unix_socket_directories: '',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A failing statement and the row it names may carry personal data; the log has only the error.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
}
/** As many as four processes take (docs/operations.md, several processes), and some for commands. */
const CONNECTIONS = 100
const THROWAWAY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/**
 * A running server; it is started again if it ends by itself. Its url carries the password; `stop` may be called more
 * than once.
 */
export type EmbeddedPostgres = {
  readonly url: string
  /** The folder of its Unix socket, if it has one. */
  readonly socketDir: string | undefined
  stop(): Promise<void>
}

type Place = { root: string; data: string; password: string; log: string }

/**
 * Starts the server whose files lie under `dir`, or takes over the one that a killed process left running there.
 * `dir` is given to the account the server runs as. `durable: false` may lose the database in a crash: for tests only.
 * Such a server listens on a Unix socket too, which takes a third less of a processor for a statement. `connections` is
 * how many it takes at the most.
 */
export async function startEmbeddedPostgres(options: {
  dir: string
  port?: number
  durable?: boolean
  connections?: number
  log?: (message: string, facts: object) => void
}): Promise<EmbeddedPostgres> {
  const { port, durable = true, connections = CONNECTIONS, log = () => undefined } = options
  const place = await preparePlace(options.dir)
  const programs = await findPrograms()
  const launcher = await chooseLauncher(place.root, place.data, programs.postgres)
  const password = await passwordOf(place, launcher)
  if (!(await exists(place.data))) await initialise(place, programs, launcher, password, durable)

  const throwaway = durable ? {} : { ...THROWAWAY, unix_socket_directories: socketDirOf(place) ?? '' }
  const settings = { ...SETTINGS, ...throwaway, max_connections: String(connections) }
  const start = (at: number | undefined) => launch(place, programs, launcher, at, settings)
  const kept = (url: string, { pid, port: same }: ServerProcess) =>
    server(
      url,
      keepRunning(
        pid,
        (id) => isPostmaster(id, place.data),
        async () => (await start(same)).pid,
        log,
      ),
      place,
      durable,
    )
  const running = await findPostmaster(place.data)
  if (running) {
    const url = urlOf(password, running.port)
    const fits = port === undefined || port === running.port
    if (fits && (await answers(url, durable).catch(() => false))) return kept(url, running)
    await stopPostmaster(running.pid, place.data)
  }
  const started = await start(port)
  const url = urlOf(password, started.port)
  await answers(url, durable).catch(async (error: Error) => {
    await stopPostmaster(started.pid, place.data)
    throw new Error(`The embedded PostgreSQL refused its own password (${place.password}): ${error.message}`)
  })
  return kept(url, started)
}

type ServerProcess = { pid: number; port: number }

function server(url: string, kept: RevivedServer, place: Place, durable: boolean): EmbeddedPostgres {
  const { data } = place
  // A process that ends without `stop` would otherwise leave the server behind; a killed one still does.
  const onExit = () => {
    if (isPostmaster(kept.pid(), data)) process.kill(kept.pid(), 'SIGINT')
  }
  process.once('exit', onExit)
  let stopping: Promise<void> | undefined
  const ended = async () => {
    await kept.letGo()
    await stopPostmaster(kept.pid(), data).finally(() => process.off('exit', onExit))
  }
  const stop = () => {
    stopping ??= ended()
    return stopping
  }
  return { url, socketDir: durable ? undefined : socketDirOf(place), stop }
}

/**
 * Tries again because a free port can be taken meanwhile, and because the last processes of a killed server need a
 * moment to end.
 */
async function launch(
  place: Place,
  programs: Programs,
  launcher: Launcher,
  port: number | undefined,
  settings: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  for (let attempt = 1; ; attempt++) {
    const chosen = port ?? (await freePort())
    const given = Object.entries({ ...settings, port: String(chosen) })
    const args = ['-D', place.data, ...given.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
    const child = launcher.start(programs.postgres, args, place.log)
    const pid = await ready(child, place)
    if (pid !== undefined) return { pid, port: chosen }
    if (attempt === START_ATTEMPTS) throw new Error(`PostgreSQL did not start: ${await lastWords(place.log)}`)
    await sleep(START_PAUSE_MS)
  }
}

/** The process id once it accepts connections; undefined when it ended instead. */
async function ready(child: ReturnType<Launcher['start']>, place: Place): Promise<number | undefined> {
  let failure: Error | undefined
  child.once('error', (error) => {
    failure = error
  })
  const deadline = performance.now() + START_LIMIT_MS
  while (performance.now() < deadline) {
    if (failure) throw new Error(`PostgreSQL could not be run: ${failure.message}`)
    if (child.exitCode !== null || child.signalCode !== null) return undefined
    if (child.pid !== undefined && (await readyPort(place.data, child.pid))) return child.pid
    await sleep(POLL_MS)
  }
  if (child.pid !== undefined) await stopPostmaster(child.pid, place.data)
  throw new Error(`PostgreSQL was not ready within ${START_LIMIT_MS} ms: ${await lastWords(place.log)}`)
}

/**
 * Creates the database beside its final place and then renames it, so that a crash half way leaves nothing that looks
 * like a database.
 */
async function initialise(place: Place, programs: Programs, launcher: Launcher, password: string, durable: boolean) {
  const fresh = `${place.data}.new`
  const passwordFile = join(place.root, 'initdb-password')
  await rm(fresh, { recursive: true, force: true })
  await rm(passwordFile, { force: true })
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await give(passwordFile, launcher.account)
    const args = ['-D', fresh, '-U', USER, '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8']
    // Byte order as in C, with the Unicode rules for upper and lower case, and the same on every machine.
    args.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions')
    if (!durable) args.push('--no-sync', '--auth-local=trust')
    await launcher.run(programs.initdb, args, INITDB_LIMIT_MS)
    await rename(fresh, place.data)
  } catch (error) {
    throw new Error(`PostgreSQL could not create its database in ${place.root}: ${(error as Error).message}`)
  } finally {
    await rm(passwordFile, { force: true })
  }
}

async function preparePlace(dir: string): Promise<Place> {
  await mkdir(dir, { recursive: true })
  const root = await realpath(dir)
  await chmod(root, 0o700)
  const place = { root, data: join(root, 'data'), password: join(root, 'password'), log: join(root, 'postgres.log') }
  const log = await stat(place.log).catch(() => undefined)
  if (log && log.size > LOG_MAX_BYTES) await rename(place.log, `${place.log}.1`)
  return place
}

async function passwordOf(place: Place, launcher: Launcher): Promise<string> {
  const kept = await readFile(place.password, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
  if (kept?.trim()) return kept.trim()
  if (await exists(place.data))
    throw new Error(`The password of the database in ${place.root} is missing: restore ${place.password}`)
  const password = randomBytes(24).toString('base64url')
  await writeFile(`${place.password}.new`, `${password}\n`, { mode: 0o600 })
  await give(`${place.password}.new`, launcher.account)
  await rename(`${place.password}.new`, place.password)
  return password
}

/** Whether the server takes this password and keeps its promises about crashes. Rejects when it cannot be reached. */
async function answers(url: string, durable: boolean): Promise<boolean> {
  const sql = openDriver(url, { max: 1, connect_timeout: CHECK_LIMIT_S, fetch_types: false, onnotice: () => {} })
  try {
    const [row] = await sql<{ fsync: string }[]>`select current_setting('fsync') as fsync`
    return row?.fsync === (durable ? 'on' : 'off')
  } finally {
    await sql.end({ timeout: CHECK_LIMIT_S })
  }
}

/** The folder of the database is the server's own. The name of a socket has 107 bytes at most. */
const socketDirOf = ({ data }: Place): string | undefined =>
  Buffer.byteLength(data) <= SOCKET_DIR_MAX_BYTES ? data : undefined
const SOCKET_DIR_MAX_BYTES = 107 - '/.s.PGSQL.65535'.length

const urlOf = (password: string, port: number) => `postgres://${USER}:${password}@${HOST}:${port}/postgres`

const exists = async (path: string) => (await stat(path).catch(() => undefined)) !== undefined

async function lastWords(log: string): Promise<string> {
  const lines = (await readFile(log, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-20)
  return `${lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? ''} (see ${log})`
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, HOST, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
