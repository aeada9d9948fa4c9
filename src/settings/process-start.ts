import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const PS_LIMIT_MS = 5_000

/**
 * When a process was started, as text that only it has: a process id alone may by now belong to another program, or,
 * after a restart of a container, to this one. Undefined when there is no such process, or only what is left of a dead
 * one.
 */
export const processStart = (pid: number): string | undefined => {
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
