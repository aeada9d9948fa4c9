import { type ChildProcess, spawn } from 'node:child_process'
import { CLI, ELSEWHERE } from './program.ts'

/** The service as a process of its own, so that it can be killed. */

const READY_MS = 60_000

export type Service = {
  readonly origin: string
  /** Ends it without a word, as a power cut would. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export const startService = async (
  env: Readonly<Record<string, string | undefined>>,
  options: readonly string[] = [],
): Promise<Service> => {
  const child = spawn(process.execPath, [CLI, 'serve', ...options], {
    cwd: ELSEWHERE,
    env: { ...env, PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: env.LOG_LEVEL === 'silent' ? 'ignore' : 'inherit',
  })
  const origin = `http://localhost:${env.PORT}`
  const until = Date.now() + READY_MS
  while (!(await ready(origin))) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`)
    if (Date.now() > until) throw new Error(`the service was not ready within ${READY_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { origin, kill: () => ended(child, 'SIGKILL'), stop: () => ended(child, 'SIGTERM') }
}

const ready = (origin: string) =>
  fetch(`${origin}/readyz`)
    .then((answer) => answer.ok)
    .catch(() => false)

const ended = (child: ChildProcess, signal: NodeJS.Signals) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill(signal)
  })
