import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Core, openCore } from '../../adapters/store/node/core.ts'
import { type ServedProtocol, serveProtocol } from '../../adapters/store/node/protocol.ts'
import type { World } from '../../domain/ports.ts'
import { readConfig } from '../../src/config.ts'
import { type Served, serve } from '../../src/serve.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { createDatabase } from './postgres.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/**
 * The whole product for a test file: real HTTP, real Postgres, a real EVM node, and the log behind the EventStoreDB adapter over its own
 * protocol unless the test asks for the embedded one. Start it in `test.before`, stop it in `test.after.always`.
 */

export type StoreKind = 'eventstoredb' | 'embedded'

export type TestApp = {
  readonly anvil: Anvil
  readonly receiver: Receiver
  readonly dataDir: string
  readonly databaseUrl: string
  readonly env: Readonly<Record<string, string>>
  served(): Served
  /** One call of the JSON API; `body` may be text that is sent as it is. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Stops the service and starts it again on the same log and database; `between` runs while it is down. */
  restart(between?: () => Promise<unknown>): Promise<void>
  stop(): Promise<void>
}
export type CallOptions = { key?: string | undefined; body?: unknown; headers?: Record<string, string> }
// biome-ignore lint/suspicious/noExplicitAny: a body is whatever the service said.
export type Answer = { status: number; headers: Headers; text: string; json: any }

export type AppOptions = { store?: StoreKind; world?: Partial<World>; env?: Record<string, string>; rpcUrl?: string }

export const startApp = async (options: AppOptions = {}): Promise<TestApp> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-test-'))
  const [database, anvil, receiver] = await Promise.all([createDatabase(), startAnvil(), startReceiver()])
  const store = options.store === 'embedded' ? undefined : await openStoreServer(dataDir)
  const env = {
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    CHAIN_ETH_RPC: options.rpcUrl ?? anvil.url,
    CHAIN_ETH_ID: String(anvil.chainId),
    OUTBOUND_ALLOW: receiver.hostPort,
    LOG_LEVEL: 'silent',
    ...(store && { EVENTSTORE_URL: store.url }),
    ...options.env,
  }
  const start = () => serve(readConfig(env), options.world)
  let served = await start()

  return {
    anvil,
    receiver,
    dataDir,
    databaseUrl: database.url,
    env,
    served: () => served,
    call: (method, path, given = {}) => call(served.origin, method, path, given),
    async restart(between) {
      await served.stop()
      await between?.()
      served = await start()
    },
    async stop() {
      await served.stop()
      await Promise.all([store?.stop(), anvil.stop(), receiver.stop(), database.drop()])
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

export const call = async (
  origin: string,
  method: string,
  path: string,
  { key, body, headers }: CallOptions = {},
): Promise<Answer> => {
  const response = await fetch(new URL(path, origin), {
    method,
    redirect: 'manual',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parsed(text) }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
