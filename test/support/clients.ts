import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/**
 * Third-party payment clients, sellers' libraries and clients of OpenID Connect, as their makers publish them: in a
 * package of their own, 500 MB, installed when they are tested.
 */

const FOLDER = fileURLToPath(new URL('../clients/', import.meta.url))
const INSTALL_MS = 600_000
/** A client is loaded in some seconds; on a machine that is busy it may take longer. */
const START_MS = 60_000

export type Paid = { status: number; headers: Record<string, string>; body: unknown; settlement?: unknown }

/** Whether they are there as the lockfile has them; npm writes the file that is looked at last. */
export const hasClients = (): boolean => {
  const installed = `${FOLDER}node_modules/.package-lock.json`
  if (!existsSync(installed)) return false
  const there: Lockfile = JSON.parse(readFileSync(installed, 'utf8'))
  const wanted: Lockfile = JSON.parse(readFileSync(`${FOLDER}package-lock.json`, 'utf8'))
  return Object.entries(wanted.packages).every(
    ([path, { version, optional }]) => path === '' || optional || there.packages[path]?.version === version,
  )
}

type Lockfile = { packages: Record<string, { version?: string; optional?: boolean }> }

/** Installs them when they are missing and wanted; else says what is skipped, which fails in CI. */
export const provideClients = (wanted: boolean): void => {
  if (hasClients()) return
  try {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    if (wanted) execFileSync('npm', args, { cwd: FOLDER, stdio: ['ignore', 2, 2], timeout: INSTALL_MS })
  } catch (error) {
    console.error(`The clients of others could not be installed: ${String(error)}`)
  }
  if (!hasClients())
    console.error('Skipped: payments and sign-ins by clients of others; `npm run test:clients` installs and runs them')
}

/** All clients in one process, because loading them takes longer than paying. Stop it in `test.after.always`. */
export const startClients = async () => {
  const child = fork(`${FOLDER}pay.ts`, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [{ ready }] = (await once(child, 'message', { signal: AbortSignal.timeout(START_MS) })) as [{ ready: string[] }]
  let last = 0
  return {
    names: ready,
    /** Asks for the URL and pays what it asks for. Rejects with the client's own error. */
    async pay(client: string, url: string, privateKey: string): Promise<Paid> {
      const id = ++last
      const answer = answerTo(child, id)
      child.send({ id, client, url, privateKey })
      return answer
    },
    stop: () => stop(child),
  }
}

/**
 * A shop that sells with one of x402's own libraries for USDC on Base Sepolia, and asks a facilitator to check and
 * settle.
 */
export const startSeller = async (
  library: 'x402-express' | '@x402/express',
  facilitator: string,
  payTo: string,
  { price = '$0.05', key = '' } = {},
) => {
  const child = spawn(process.execPath, [`${FOLDER}sell.ts`, library, facilitator, payTo, price, key], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(START_MS) })
  return { url: JSON.parse(String(line)).url as string, stop: () => stop(child) }
}

const answerTo = (child: ChildProcess, id: number) =>
  new Promise<Paid>((resolve, reject) => {
    const heard = (message: { id?: number; paid?: Paid; error?: string }) => {
      if (message.id !== id) return
      child.off('message', heard)
      child.off('exit', ended)
      if (message.paid) resolve(message.paid)
      else reject(new Error(message.error))
    }
    const ended = () => reject(new Error('the clients’ process ended'))
    child.on('message', heard)
    child.once('exit', ended)
  })

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
