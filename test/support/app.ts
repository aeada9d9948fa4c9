import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Core, openCore } from '../../adapters/store/node/core.ts'
import { type ServedProtocol, serveProtocol } from '../../adapters/store/node/protocol.ts'
import type { World } from '../../domain/kernel/ports.ts'
import { type Answer, type CallOptions, createClient } from '../../src/demo/client.ts'
import { startHook } from '../../src/demo/hook.ts'
import { freePort } from '../../src/demo/port.ts'
import { type RunningService, serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { DEEP } from './depth.ts'
import { CONNECTIONS, lendDatabase } from './kept-database.ts'
import { createTestPasswords } from './passwords.ts'
import { overSocket } from './postgres.ts'
import { quickSend } from './quick-send.ts'

/**
 * The whole product for a test file: real HTTP, real Postgres, a real EVM node and a real log. The log is the embedded
 * one, as of whoever starts the product; in the deep run, and where a test asks for it, it stands behind the adapter of
 * EventStoreDB and is reached over its protocol, which takes twice the time. Start it in `test.before`, stop it in
 * `test.after.always`.
 */

export type StoreKind = 'eventstoredb' | 'embedded'

export type TestApp = {
  readonly anvil: Anvil
  readonly receiver: Awaited<ReturnType<typeof startHook>>
  readonly dataDir: string
  readonly databaseUrl: string
  readonly env: Readonly<Record<string, string>>
  served(): RunningService
  /** One call of the JSON API; `body` may be text that is sent as it is. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Stops the service and starts it again on the same log and database; `between` runs while it is down. */
  restart(between?: () => Promise<unknown>): Promise<void>
  stop(): Promise<void>
}

/** Where another process reads and writes the log of a service: its own server, or the socket of the embedded node. */
export const storeUrlOf = ({ env, served }: Pick<TestApp, 'env'> & Partial<Pick<TestApp, 'served'>>): string =>
  env.EVENTSTORE_URL ?? served?.().eventStoreUrl ?? ''

export type AppOptions = {
  store?: StoreKind
  world?: Partial<World>
  env?: Record<string, string>
  /** A private target, as host:port, that may be called beside the receiver. */
  alsoAllow?: string
  rpcUrl?: string
  /** The id that its chain goes by, where that is not one of a chain of somebody's own. */
  chainId?: number
  onAnvil?: (url: string) => void
  /** Stands between the service and its database, or its log; answers the port to reach that by. */
  via?: (what: 'database' | 'store', port: number) => Promise<number>
}

/** Milliseconds that a call of a test may take, on a machine that has much else to do. */
export const CALL_LIMIT_MS = 100_000

export const startApp = async (options: AppOptions = {}): Promise<TestApp> => {
  const [stage, anvil] = await Promise.all([
    openStage(options),
    startAnvil(options.chainId === undefined ? {} : { chainId: options.chainId }),
  ])
  options.onAnvil?.(anvil.url)
  const env = {
    ...stage.env,
    CHAIN_ETH_RPC: options.rpcUrl ?? anvil.url,
    CHAIN_ETH_ID: String(anvil.chainId),
    ...options.env,
  }
  const start = async () =>
    serve(readConfig(env), { passwords: createTestPasswords(), openPool: stage.openPool, ...options.world })
  const leave = () => Promise.all([stage.stop(), anvil.stop()])
  // A hook that fails has no app to stop, and what it stands on would stay.
  let served = await start().catch(async (error: unknown) => {
    await leave()
    throw error
  })

  return {
    ...stage,
    anvil,
    env,
    served: () => served,
    call: createClient(() => served.origin, CALL_LIMIT_MS, quickSend).call,
    async restart(between) {
      await served.stop()
      await between?.()
      served = await start()
    },
    async stop() {
      await served.stop()
      await leave()
    },
  }
}

/** What a service stands on: a database, a log, a receiver of webhooks, and its settings but for a chain. */
export const openStage = async ({
  store: kind,
  alsoAllow = '',
  via,
}: Pick<AppOptions, 'store' | 'alsoAllow' | 'via'> = {}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-test-'))
  const [database, receiver] = await Promise.all([lendDatabase(), startHook()])
  const databaseUrl = overSocket(database.url)
  const asked = kind ?? (DEEP || via ? 'eventstoredb' : 'embedded')
  const store = asked === 'embedded' ? undefined : await openStoreServer(dataDir)
  const reached = async (what: 'database' | 'store', url: string) => {
    const { port } = new URL(url)
    return via ? url.replace(`:${port}`, `:${await via(what, Number(port))}`) : url
  }
  const env = {
    PORT: String(await freePort()),
    METRICS_PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: via ? await reached('database', database.url) : databaseUrl,
    OUTBOUND_ALLOW: [receiver.hostPort, alsoAllow].join(),
    LOG_LEVEL: 'silent',
    RATES: 'fixed',
    SIGN_UPS_PER_MINUTE: '100000',
    DATABASE_CONNECTIONS: String(CONNECTIONS),
    // Every event would be read once more; the test that is about the mirror turns it on.
    ...(store && { EVENTSTORE_URL: await reached('store', store.url), LOG_MIRROR: 'off' }),
  }
  return {
    dataDir,
    receiver,
    env,
    databaseUrl,
    openPool: database.openPool,
    async stop() {
      await Promise.all([database.leave(), store?.stop(), receiver.stop()])
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The embedded node, reached only over EventStoreDB's protocol, as a cluster would be. */
const openStoreServer = async (dir: string) => {
  const core: Core = openCore(join(dir, 'server-events.db'))
  const protocol: ServedProtocol = await serveProtocol(core, '127.0.0.1:0')
  return {
    url: `esdb://${protocol.address}?tls=false`,
    async stop() {
      await protocol.stop()
      await core.close()
    },
  }
}
