/** Programs that run in a folder with a system of its own, on the network of this machine. */
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { eventually } from '../../src/demo/stage.ts'

/** Milliseconds for the longest step: an install of all packages on a busy machine. */
const STEP_LIMIT_MS = 900_000
const READY_LIMIT_MS = 120_000
const STOP_LIMIT_MS = 90_000
const OUTPUT_MAX_BYTES = 50_000_000
/** Characters of what a service said last that a failure tells. */
const SAID_MAX = 10_000

/** Runs a program to its end; answers what it printed. Rejects with what it wrote to stderr. */
export const step = async (
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = '/',
): Promise<string> => {
  const limits = { timeout: STEP_LIMIT_MS, maxBuffer: OUTPUT_MAX_BYTES, encoding: 'utf8' } as const
  return (await promisify(execFile)(program, args, { ...limits, cwd, env: { ...process.env, ...env } })).stdout
}

export type InChroot = {
  readonly root: string
  /** Folders of this machine, by where they are seen inside; they can be written. */
  readonly folders?: Readonly<Record<string, string>>
  /** Nothing but these folders and /tmp can be written. */
  readonly readOnly?: boolean
  readonly user: string
  /** All of its environment but the path to programs. */
  readonly env: Readonly<Record<string, string>>
  readonly command: readonly string[]
}

/**
 * Mounts live in a namespace of the process, so that none is left behind. Arguments: the root, `ro` or `rw`, how many
 * pairs of folders, the pairs, the user, and the command.
 */
const ENTER = `
root=$1 mode=$2 count=$3; shift 3
mount --bind "$root" "$root"
if [ "$mode" = ro ]; then mount -o remount,bind,ro "$root"; fi
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs -o nosuid,nodev tmpfs "$root/tmp"
while [ "$count" -gt 0 ]; do
  mount --bind "$1" "$root/$2"
  mount -o remount,bind,rw "$root/$2"
  shift 2
  count=$((count - 1))
done
user=$1; shift
exec chroot --userspec="$user" "$root" "$@"
`

const enterArgs = ({ root, folders = {}, readOnly = false, user, env, command }: InChroot): readonly string[] => {
  const pairs = Object.entries(folders).flatMap(([inside, outside]) => [outside, inside])
  const given = Object.entries({ PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env }).map(
    ([name, value]) => `${name}=${value}`,
  )
  const mode = [root, readOnly ? 'ro' : 'rw', String(pairs.length / 2), ...pairs]
  const enter = ['--mount', '--propagation', 'private', 'sh', '-euc', ENTER, 'sh']
  return [...enter, ...mode, user, '/usr/bin/env', '-i', ...given, ...command]
}

/** Runs a command inside to its end. */
export const runIn = (chroot: InChroot): Promise<string> => step('unshare', enterArgs(chroot))

/** Starts a program whose output can be read. */
export type Program = () => ChildProcessByStdio<null, Readable, Readable>
export type Started = {
  /** Resolves with its exit code; null when a signal ended it. */
  stop(): Promise<number | null>
}

/** Starts a service inside and answers once it is ready at a port of this machine. */
export const startIn = (chroot: InChroot, port: number): Promise<Started> =>
  startProgram(() => spawn('unshare', enterArgs(chroot), { stdio: ['ignore', 'pipe', 'pipe'] }), port)

/** The same for any program. Rejects with what it has said when it ends before, or takes too long. */
export const startProgram = async (start: Program, port: number): Promise<Started> => {
  const child = start()
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-SAID_MAX)))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const stop = async () => {
    if (!hasEnded()) {
      child.kill('SIGTERM')
      await once(child, 'exit', { signal: AbortSignal.timeout(STOP_LIMIT_MS) })
    }
    return child.exitCode
  }
  const isReady = async () => {
    if (hasEnded()) throw new Error(`it ended with ${child.exitCode}`)
    return fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  try {
    await eventually(`a ready service at ${port}`, isReady, READY_LIMIT_MS)
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error(`${(error as Error).message}: ${said}`)
  }
  return { stop }
}
