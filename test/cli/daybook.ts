/** The command line as people run it, known by its output and its exit code. */
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { ExecutionContext } from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { runCommandLine } from '../../src/commands/command-line.ts'
import { createClient } from '../../src/demo/client.ts'
import { startHook } from '../../src/demo/hook.ts'
import { serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import { startAnvil } from '../support/anvil.ts'
import type { TestApp } from '../support/app.ts'
import { createStartedDatabase, overSocket } from '../support/postgres.ts'
import { CLI, ELSEWHERE } from '../support/program.ts'
import { postFor, sell, shop } from '../support/sale.ts'

/** A command that takes longer is stuck. */
const COMMAND_LIMIT_MS = 60_000

export type Env = Readonly<Record<string, string>>
export type Ended = { code: number | null; stdout: string; stderr: string }

/** Nothing of the environment that the tests run in but the way to the programs. */
export const start = (env: Env, args: readonly string[], cwd = ELSEWHERE): ChildProcess =>
  spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const ended = async (child: ChildProcess): Promise<Ended> => {
  const [stdout, stderr, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

/**
 * Runs a command in this process, in surroundings of its own, which costs a tenth of a process. What a process alone
 * has, signals and a hold on DATA_DIR, needs `daybookProcess`.
 */
export const daybook = async (env: Env, ...args: string[]): Promise<Ended> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const texts = Promise.all([textOf(stdout), textOf(stderr)])
  const code = await runCommandLine({ args, env, stdout, stderr, signals: new EventEmitter() })
  stdout.end()
  stderr.end()
  const [told, remarks] = await texts
  return { code, stdout: told, stderr: remarks }
}

/** A service with one shop that has sold twice, and the id of its account. */
export const startShop = async (): Promise<{ place: Place; accountId: string }> => withShop(await startPlace())

/** The same in the process of the test, for what asks nothing of the service's own; it costs half. */
export const openShop = async (): Promise<{ place: OpenPlace; accountId: string }> =>
  withShop(await openPlace(serveHere))

const withShop = async <P extends OpenPlace>(place: P): Promise<{ place: P; accountId: string }> => {
  const seller = await shop(place.app, { webhook: true })
  for (let sale = 0; sale < 2; sale++) {
    const { offer } = await sell(place.app, seller)
    await postFor(place.app, offer.challengeId)
  }
  const sql = connect(place.databaseUrl, { schema: 'daybook', max: 1 })
  const [row] = await sql<{ account_id: string }[]>`select account_id from accounts`
  await sql.end()
  return { place, accountId: row?.account_id ?? '' }
}

/** Runs a command to its end in a process of its own. */
export const daybookProcess = (env: Env, ...args: string[]): Promise<Ended> => daybookIn(ELSEWHERE, env, ...args)

/** The same in a folder. */
export const daybookIn = async (folder: string, env: Env, ...args: string[]): Promise<Ended> => {
  const child = start(env, args, folder)
  const limit = setTimeout(() => child.kill('SIGKILL'), COMMAND_LIMIT_MS)
  try {
    return await ended(child)
  } finally {
    clearTimeout(limit)
  }
}

/** The line of JSON in which the service says where everything is. */
export type ReadyLine = Readonly<Record<string, unknown>> & {
  readonly url: string
  readonly sandbox: { readonly eth: string; readonly base: string } | null
}

/** A service, in whichever process. To stop it again changes nothing. */
type OpenService = { readonly url: string; stop(): Promise<Ended> }
export type Service = OpenService & { child: ChildProcess; ready: ReadyLine; gone: Promise<Ended> }

/** Runs the service and answers once it has said that it is ready. */
export const startService = async (env: Env): Promise<Service> => {
  const child = start(env, ['serve'])
  const gone = ended(child)
  let said = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text))
  const early = gone.then(({ stderr }) => {
    throw new Error(`the service ended at its start: ${stderr}`)
  })
  // A service that is stopped in the end is no error.
  early.catch(() => {})
  const readyLine = () =>
    said
      .split('\n')
      .slice(0, -1)
      .find((line) => line.startsWith('{"ready":true'))
  while (readyLine() === undefined) await Promise.race([early, new Promise((resolve) => setTimeout(resolve, 20))])
  const ready = JSON.parse(readyLine() ?? '') as ReadyLine
  const stop = () => {
    child.kill('SIGTERM')
    return gone
  }
  return { child, ready, url: ready.url, gone, stop }
}

const serveHere = async (env: Env): Promise<OpenService> => {
  const served = await serve(readConfig(env))
  let ending: Promise<Ended> | undefined
  const end = async () => {
    await served.stop()
    return { code: 0, stdout: '', stderr: '' }
  }
  return { url: served.origin, stop: () => (ending ??= end()) }
}

export const tempDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'daybook-cli-'))

/** A folder that is gone when the test has ended. */
export const ownDir = async (t: ExecutionContext): Promise<string> => {
  const dir = await tempDir()
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  return dir
}

/**
 * A service with a chain and a receiver of webhooks, in the shape that the helpers for sales take. `stop` answers what
 * it printed.
 */
export const startPlace = (extra: Env = {}) => openPlace(startService, extra)

const openPlace = async <S extends OpenService>(begin: (env: Env) => Promise<S>, extra: Env = {}) => {
  const [dir, database, anvil, receiver] = await Promise.all([
    tempDir(),
    createStartedDatabase(),
    startAnvil(),
    startHook(),
  ])
  const databaseUrl = overSocket(database.url)
  const env = {
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: dir,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    RATES: 'fixed',
    CHAIN_ETH_RPC: anvil.url,
    CHAIN_ETH_ID: String(anvil.chainId),
    OUTBOUND_ALLOW: receiver.hostPort,
    ...extra,
  }
  let service = await begin(env)
  const app = { anvil, receiver, env, call: createClient(() => service.url).call } as unknown as TestApp
  return {
    dir,
    env,
    app,
    databaseUrl,
    service: () => service,
    async startAgain() {
      service = await begin(env)
    },
    async stop(): Promise<Ended> {
      const printed = await service.stop()
      database.drop()
      await Promise.all([anvil.stop(), receiver.stop()])
      await rm(dir, { recursive: true, force: true })
      return printed
    },
  }
}
export type Place = Awaited<ReturnType<typeof startPlace>>
export type OpenPlace = Awaited<ReturnType<typeof openPlace>>

const textOf = async (stream: ChildProcess['stdout']): Promise<string> => {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  if (stream && !stream.readableEnded) await once(stream, 'end')
  return text
}
