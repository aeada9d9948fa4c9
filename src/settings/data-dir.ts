import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { holdFile } from '../../adapters/exclusive-file.ts'
import type { Config } from './config.ts'
import type { SandboxUrls } from './sandbox.ts'
import { sealWitnessIn } from './seal-witness.ts'
import { BadSetting } from './setting-kinds.ts'

/** Everything an installation keeps lies under DATA_DIR, readable by its owner alone. */
export type DataDir = {
  readonly eventLog: string
  readonly postgres: string
  /** The journal of heads of the log. */
  readonly sealWitness: string
  /** The local mirror of the log, where there is one. */
  readonly mirror: string
  /** The newest letters of the sandbox's inbox. */
  readonly letters: string
  readonly sandboxState: SandboxUrls
  /** The socket at which the embedded event store answers the command line of the same machine. */
  readonly eventStoreSocket: string
  /** Throws BadSetting while another process runs the embedded databases. */
  lock(): { release(): void }
  /** The master key; makes one where there is none yet. */
  masterKey(): Buffer
  /** The master key; undefined where there is none yet. */
  knownMasterKey(): Buffer | undefined
  /**
   * The keys of which one is the master key: while it is changed there are two. Makes one where there is none yet. Read
   * anew at each call, because a command may change the files.
   */
  masterKeys(): readonly Buffer[]
  /** The same; none where there is none yet. */
  knownMasterKeys(): readonly Buffer[]
  /** The key in the file for the next master key, which is made where it is not there. */
  nextMasterKey(): Buffer
  /** Puts the next master key in the place of the one before. */
  adoptNextMasterKey(): void
  /** Writes the master key of a backup; nothing is there yet. */
  putMasterKey(hex: string): void
  /** The service that runs now; what a killed one left behind is not taken for it. */
  readRunning(): ServiceNotice | undefined
  writeRunning(running: ServiceNotice): void
  clearRunning(): void
}

/** What a running service tells the command line beside it. */
export type ServiceNotice = {
  pid: number
  origin: string
  databaseUrl: string
  eventStoreUrl: string
  sandbox: SandboxUrls | null
}

/** Unix socket names have no room for a long path. */
const SOCKET_PATH_MAX = 100

export const openDataDir = (config: Config): DataDir => {
  const dir = config.dataDir
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new BadSetting(`DATA_DIR cannot be used: ${(error as Error).message}`)
  }
  const runFile = join(dir, 'running.json')
  const socket = join(dir, 'eventstore.sock')
  const keyFile = join(dir, 'master.key')
  const nextKeyFile = `${keyFile}.next`
  return {
    eventLog: join(dir, 'events.db'),
    postgres: join(dir, 'postgres'),
    sealWitness: sealWitnessIn(dir),
    mirror: join(dir, 'mirror'),
    letters: join(dir, 'letters.sealed'),
    sandboxState: { eth: join(dir, 'sandbox-chain.json'), base: join(dir, 'sandbox-base.json') },
    eventStoreSocket:
      socket.length <= SOCKET_PATH_MAX ? socket : join(tmpdir(), `daybook-${randomBytes(6).toString('hex')}.sock`),
    lock: () => lockDataDir(dir, join(dir, 'lock')),
    masterKey: () => config.masterKey ?? keptKey(keyFile),
    knownMasterKey: () => config.masterKey ?? (existsSync(keyFile) ? keptKey(keyFile) : undefined),
    masterKeys: () => {
      // The next key is looked for first: it may become the master key meanwhile.
      const others = otherKeys(config, nextKeyFile)
      return [config.masterKey ?? keptKey(keyFile), ...others]
    },
    knownMasterKeys: () => {
      const others = otherKeys(config, nextKeyFile)
      const known = config.masterKey ?? (existsSync(keyFile) ? keptKey(keyFile) : undefined)
      return [...(known ? [known] : []), ...others]
    },
    nextMasterKey: () => keptKey(nextKeyFile),
    adoptNextMasterKey: () => renameSync(nextKeyFile, keyFile),
    putMasterKey: (hex) => writePrivate(keyFile, hex),
    readRunning: () => runningIn(runFile),
    writeRunning: (running) =>
      writePrivate(runFile, JSON.stringify({ ...running, started: processStart(running.pid) ?? null })),
    clearRunning: () => rmSync(runFile, { force: true }),
  }
}

const runningIn = (file: string): ServiceNotice | undefined => {
  if (!existsSync(file)) return undefined
  try {
    const { started, ...running } = JSON.parse(readFileSync(file, 'utf8')) as ServiceNotice & { started: string | null }
    return started !== null && started === processStart(running.pid) ? running : undefined
  } catch {
    // It went away between the two looks, or is no file of ours.
    return undefined
  }
}

/** The key made at the first start: whoever loses it loses every sealed value, so it belongs in the backup. */
const keptKey = (file: string): Buffer => {
  if (!existsSync(file)) writePrivate(file, randomBytes(32).toString('hex'))
  const key = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(key))
    throw new BadSetting(`${file} does not hold a master key; restore it or set MASTER_KEY`)
  return Buffer.from(key, 'hex')
}

/** The master key before the one of the settings, or the one that a change has made and not put in its place yet. */
const otherKeys = ({ masterKey, masterKeyBefore }: Config, nextKeyFile: string): readonly Buffer[] => {
  if (masterKey) return masterKeyBefore ? [masterKeyBefore] : []
  return existsSync(nextKeyFile) ? [keptKey(nextKeyFile)] : []
}

/**
 * Keeps two processes from running the embedded databases of one DATA_DIR, where the second would stop the first one's
 * PostgreSQL with its own.
 */
const lockDataDir = (dir: string, file: string): { release(): void } => {
  const lock = held(file)
  if (!lock) throw new BadSetting(`DATA_DIR is in use by another process: ${dir}`)
  return lock
}

const held = (file: string) => {
  try {
    return holdFile(file)
  } catch (error) {
    throw new BadSetting(`DATA_DIR cannot be used: ${(error as Error).message}: ${file}`)
  }
}

/** Writes a small file that its owner alone may read: it is there whole, or as it was before. */
const writePrivate = (file: string, text: string): void => {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  chmodSync(`${file}.new`, 0o600)
  renameSync(`${file}.new`, file)
}

const PS_LIMIT_MS = 5_000

/**
 * When a process was started, as text that only it has: a process id alone may by now belong to another program, or,
 * after a restart of a container, to this one. Undefined when there is no such process, or only what is left of a dead
 * one.
 */
const processStart = (pid: number): string | undefined => {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
  } catch {
    return undefined
  }
}

const fromProc = (pid: number): string | undefined => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program stands in parentheses and may hold anything, so the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (isDead(fields[0] ?? '')) return undefined
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`
}

const fromPs = (pid: number): string | undefined => {
  const options = {
    encoding: 'utf8',
    timeout: PS_LIMIT_MS,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  } as const
  const [state = '', ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], options)
    .trim()
    .split(/\s+/)
  return isDead(state) ? undefined : started.join(' ')
}

const isDead = (state: string) => /^[ZX]/.test(state)
