import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A service of its own, for as long as a demonstration takes. */

export type ServiceEnv = NodeJS.ProcessEnv & { readonly DATA_DIR: string }

const READY_MS = 60_000
const STOP_MS = 15_000
const LOOK_MS = 100

/**
 * Runs the command line. It runs in its own folder: the file .env of the present one may name books that are in use.
 */
export const daybook = (env: ServiceEnv, args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(new URL('../daybook.js', import.meta.url)), ...args], {
    cwd: env.DATA_DIR,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })

/** Starts the service, and waits until it is ready. */
export const startService = async (env: ServiceEnv): Promise<ChildProcess> => {
  const child = daybook(env, ['serve'])
  const until = Date.now() + READY_MS
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error('the service did not start')
    const ready = await fetch(`http://localhost:${env.PORT}/readyz`)
      .then((r) => r.ok)
      .catch(() => false)
    if (ready) return child
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  throw new Error(`the service was not ready within ${READY_MS} ms`)
}

export const stopService = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await gone
  clearTimeout(kill)
}
