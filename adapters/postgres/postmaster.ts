/** Knows a server by the process id it wrote into its folder, and ends it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20
const PS_LIMIT_MS = 5_000
/**
 * Fast shutdown writes everything out; immediate leaves recovery to the next start; the last is for a server that hears
 * neither.
 */
const STOP_STEPS = [
  { signal: 'SIGINT', limitMs: 30_000 },
  { signal: 'SIGQUIT', limitMs: 10_000 },
  { signal: 'SIGKILL', limitMs: 2_000 },
] as const

/** The server that runs on this folder, left by a process that could not stop it. A stale note of one is removed. */
export async function findPostmaster(data: string): Promise<{ pid: number; port: number } | undefined> {
  const lines = await readNote(data)
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 1) return undefined
  if (isPostmaster(pid, data)) return { pid, port: Number(lines[3]) }
  // The number may belong to another program by now, and PostgreSQL would refuse to start because of it.
  await rm(noteIn(data), { force: true })
  return undefined
}

/** Whether this process is a PostgreSQL server on this folder, and not another that got the same number. */
export function isPostmaster(pid: number, data: string): boolean {
  try {
    const command = commandOf(pid)
    return /postgres/.test(command) && command.includes(` -D ${data} `)
  } catch {
    return false
  }
}

/** The port once the server notes that it accepts connections. */
export async function readyPort(data: string, pid: number): Promise<number | undefined> {
  const lines = await readNote(data)
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready' ? Number(lines[3]) : undefined
}

/** Ends the server in bounded time, more firmly step by step. */
export async function stopPostmaster(pid: number, data: string): Promise<void> {
  for (const { signal, limitMs } of STOP_STEPS) {
    if (!isPostmaster(pid, data)) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
    const deadline = performance.now() + limitMs
    while (performance.now() < deadline && isPostmaster(pid, data)) await sleep(POLL_MS)
  }
  if (isPostmaster(pid, data)) throw new Error(`PostgreSQL (process ${pid}) could not be stopped`)
}

const noteIn = (data: string) => join(data, 'postmaster.pid')

const readNote = async (data: string) => (await readFile(noteIn(data), 'utf8').catch(() => '')).split('\n')

function commandOf(pid: number): string {
  if (process.platform === 'linux') return `${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')} `
  return `${execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8', timeout: PS_LIMIT_MS }).trim()} `
}
