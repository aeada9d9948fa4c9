import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { peakMb } from './memory.ts'

/** A program on the clock of its whole process, from its start to its end. */
export type WholeRun = { readonly ms: number; readonly peakMb: number; readonly stdout: string }

/** Milliseconds between two looks at its memory: the peak is what it was at the last look. */
const LOOK_EVERY_MS = 50

/** Rejects when it fails or takes longer than `limitMs`. `env` is added to the environment of this process. */
export const wholeRun = async (
  path: string,
  args: readonly string[],
  limitMs: number,
  env: Readonly<Record<string, string>> = {},
): Promise<WholeRun> => {
  const start = performance.now()
  const child = spawn(path, args, {
    // Not the present folder, whose file .env our own commands would read.
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: limitMs,
    env: { ...process.env, LANG: 'C.UTF-8', ...env },
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid ?? 0))
  }, LOOK_EVERY_MS)
  try {
    const [code, stdout] = await Promise.all([ended, text(child.stdout)])
    if (code !== 0) throw new Error(`${path} ${args.join(' ')} ended with ${code}`)
    return { ms: performance.now() - start, peakMb: peak, stdout }
  } finally {
    clearInterval(look)
  }
}

/** The peak memory of a process; 0 for one that has just ended. */
const memoryOf = (pid: number): number => {
  try {
    return peakMb(pid)
  } catch {
    return 0
  }
}
