import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient } from '../src/demo/client.ts'
import { freePort } from '../src/demo/port.ts'
import { inheritedEnvironment } from '../src/settings/config.ts'
import { noted } from './children.ts'
import { ROOT } from './stage.ts'

/** The whole service as `daybook serve` runs it, its request log written as in production. */
export type OpenService = {
  readonly origin: string
  readonly pid: number
  readonly client: Client
  stop(): Promise<void>
}

/** The same, with a seller who has an eth wallet. */
export type BenchService = OpenService & {
  /** The seller's owner key. */
  readonly key: string
}

export type ServiceOptions = {
  readonly dataDir: string
  readonly databaseUrl: string
  readonly env?: Readonly<Record<string, string>>
  /** Options of Node itself, such as `--cpu-prof`. */
  readonly nodeOptions?: readonly string[]
  /** The folder whose service is started; this one's when there is none. */
  readonly root?: string
}

const READY_MS = 120_000
/** Milliseconds between two looks whether the service is ready: no start is measured finer than that. */
const LOOK_MS = 5
const STOP_MS = 30_000
/** Limits that are never reached: the bench measures how much the service can do, not how much it lets through. */
const UNLIMITED = Object.fromEntries(
  [
    ...['KEY', 'ADDRESS', 'VISITOR', 'CLIENT'].flatMap((of) => [`${of}_RATE_PER_SECOND`, `${of}_RATE_BURST`]),
    ...['SIGN_UPS', 'AUTHORIZE', 'USERINFO', 'TOKEN_FAILURES', 'BALANCE'].map((of) => `${of}_PER_MINUTE`),
  ].map((name) => [name, '999999999']),
)
const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export const startBenchService = async (options: ServiceOptions): Promise<BenchService> => {
  const service = await openBenchService(options)
  try {
    return { ...service, key: await newSeller(service.client) }
  } catch (error) {
    await service.stop()
    throw error
  }
}

/** Starts the service and resolves once it is ready. Rejects when it ends before, or takes more than two minutes. */
export const openBenchService = async (options: ServiceOptions): Promise<OpenService> => {
  const port = await freePort()
  const { dataDir, databaseUrl, env = {}, nodeOptions = [], root = ROOT } = options
  const quiet = openSync(devNull, 'w')
  const child = noted(
    spawn(process.execPath, [...nodeOptions, programOf(root), 'serve'], {
      // Not the folder of the project: the service would take settings from the file .env of whoever works there.
      cwd: tmpdir(),
      env: {
        ...inheritedEnvironment(),
        PORT: String(port),
        METRICS_PORT: '0',
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        TRUST_PROXY: '1',
        STRANGER_BYTES_PER_HOUR: '999999999',
        ...UNLIMITED,
        ...env,
      },
      stdio: ['ignore', quiet, 'inherit'],
    }),
  )
  const origin = `http://127.0.0.1:${port}`
  const client = createClient(() => origin)
  const stop = () => ended(child)
  try {
    const until = Date.now() + READY_MS
    while (!(await isReady(child, origin))) {
      if (Date.now() > until) throw new Error(`the service was not ready within ${READY_MS} ms`)
      await pause(LOOK_MS)
    }
    return { origin, pid: child.pid ?? 0, client, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The program as `npm start` begins it; older commits have none but the file of TypeScript. */
const programOf = (root: string): string => {
  const program = join(root, 'src/daybook.js')
  return existsSync(program) ? program : join(root, 'src/cli.ts')
}

const isReady = async (child: ChildProcess, origin: string): Promise<boolean> => {
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(`the service ended with ${child.exitCode ?? child.signalCode}`)
  return fetch(`${origin}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** A seller with a wallet for one coin; answers its owner key. */
export const newSeller = async (
  client: Client,
  email = 'seller@example.test',
  address = PAY_TO,
  asset = 'eth',
): Promise<string> => {
  const body = { email, password: 'correct horse battery' }
  const key: string = (await client.json('POST', '/v1/signup', { body })).api_key
  await client.json('POST', '/v1/wallets', { key, body: { asset, address } })
  return key
}

const ended = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await Promise.race([gone, pause(STOP_MS, undefined, { ref: false })])
  child.kill('SIGKILL')
  await gone
}
