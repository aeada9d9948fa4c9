/** What every kind of fault plays on: a chain, a webhook receiver, a database, a store, and the service over them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../src/demo/client.ts'
import { startHook } from '../../src/demo/hook.ts'
import { freePort } from '../../src/demo/port.ts'
import { type Anvil, startAnvil } from '../support/anvil.ts'
import type { StoreKind } from '../support/app.ts'
import { createDatabase } from '../support/postgres.ts'
import { type Audit, audit } from './audit.ts'
import type { Chance } from './chance.ts'
import { type Load, openLoad } from './load.ts'
import { type Environment, type Supervised, superviseService, superviseStore } from './processes.ts'

export type Stage = {
  readonly dir: string
  readonly anvil: Anvil
  readonly databaseUrl: string
  /** The log itself, with nothing between. */
  readonly eventStoreUrl: string
  /** The first of the services, where it is reached, and a call beside the load. */
  readonly service: Supervised
  readonly origin: string
  call: Client['call']
  readonly services: readonly Supervised[]
  /** Where each of them is reached. */
  readonly origins: readonly string[]
  /** Only on `eventstoredb`. */
  readonly store: Supervised | undefined
  /** The settings of the service. */
  readonly env: Environment
  load(chance: Chance): Promise<Load>
  audit(load: Load): Promise<Audit>
  /** Closed with the stage, before what is under it. */
  onClose(close: () => unknown): void
  close(): Promise<void>
}

export type StageOptions = {
  readonly store: StoreKind
  /** A url, or `embedded` in the service; unless given, a fresh one on the server of the tests. */
  readonly database?: 'embedded' | (string & {})
  /** Processes of the service over one log and one database; 1 unless given. */
  readonly services?: number
  /** Stands between each service and the store; answers the port to connect to. */
  readonly storeVia?: (port: number) => Promise<number>
  /** Stands between each service and the database; answers the port to connect to. */
  readonly databaseVia?: (port: number) => Promise<number>
  /** Settings of the service besides, by its data directory. */
  readonly env?: (dir: string) => Environment
  readonly nodeArgs?: readonly string[]
  /** Done to the empty data directory before anything is in it; answers how to undo it. */
  readonly prepare?: (dir: string) => () => unknown
}

/** The load is not to be held back. */
const UNLIMITED = {
  KEY_RATE_PER_SECOND: '1000000',
  KEY_RATE_BURST: '1000000',
  ADDRESS_RATE_PER_SECOND: '1000000',
  ADDRESS_RATE_BURST: '1000000',
  VISITOR_RATE_PER_SECOND: '1000000',
  VISITOR_RATE_BURST: '1000000',
  SIGN_UPS_PER_MINUTE: '1000000',
  STRANGER_BYTES_PER_HOUR: '999999999',
}

/**
 * Sets everything up and starts the service, with one origin for all processes, as behind a balancer; `store:
 * eventstoredb` has the log in a process of its own.
 */
export const openStage = async (options: StageOptions): Promise<Stage> => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-faults-'))
  const closers: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })]
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    if (options.prepare) closers.push(options.prepare(dir))
    const given = options.database ?? (await ownDatabase(closers))
    const { anvil, hook } = await startSurroundings(closers)
    const store = options.store === 'eventstoredb' ? await openStore(dir, closers) : undefined
    const common = {
      METRICS_PORT: '0',
      DATABASE_URL: given === 'embedded' ? undefined : given,
      ...chainOf(anvil),
      OUTBOUND_ALLOW: hook.hostPort,
      MASTER_KEY: '7'.repeat(64),
      LOG_LEVEL: 'error',
      RATES: 'fixed',
      ...UNLIMITED,
      ...options.env?.(dir),
    }
    const ports = await Promise.all(Array.from({ length: options.services ?? 1 }, () => freePort()))
    const envs = await Promise.all(
      ports.map(async (port, n) => ({
        ...common,
        PORT: String(port),
        BASE_URL: `http://localhost:${ports[0]}`,
        DATA_DIR: n === 0 ? dir : join(dir, `service-${n}`),
        ...(options.databaseVia && { DATABASE_URL: await overWire(given, options.databaseVia) }),
        ...(store && { EVENTSTORE_URL: storeUrl(await (options.storeVia?.(store.port) ?? store.port)) }),
      })),
    )
    const services = await launched(envs, options.nodeArgs, closers)
    const origins = ports.map((port) => `http://localhost:${port}`)
    const databaseUrl = given === 'embedded' ? embeddedUrl(dir) : given
    const eventStoreUrl = store ? storeUrl(store.port) : `unix:${join(dir, 'eventstore.sock')}`
    return {
      dir,
      anvil,
      databaseUrl,
      eventStoreUrl,
      service: services[0] as Supervised,
      origin: origins[0] as string,
      call: createClient(() => origins[0] as string).call,
      services,
      origins,
      store: store?.process,
      env: envs[0] as Environment,
      async load(chance) {
        const load = await openLoad({ origins, anvil, hookUrl: hook.url, chance })
        closers.push(load.halt)
        return load
      },
      audit: (load) => audit({ eventStoreUrl, databaseUrl }, load.claims),
      onClose: (closer) => closers.push(closer),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const chainOf = ({ url, chainId }: Anvil): Environment => ({ CHAIN_ETH_RPC: url, CHAIN_ETH_ID: String(chainId) })

const overWire = async (databaseUrl: string, via: (port: number) => Promise<number>): Promise<string> => {
  const url = new URL(databaseUrl)
  url.port = String(await via(Number(url.port)))
  return url.href
}

const embeddedUrl = (dir: string): string => JSON.parse(readFileSync(join(dir, 'running.json'), 'utf8')).databaseUrl

const ownDatabase = async (closers: (() => unknown)[]) => {
  const { url, drop } = await createDatabase()
  closers.push(drop)
  return url
}

const launched = async (
  envs: readonly Environment[],
  nodeArgs: StageOptions['nodeArgs'],
  closers: (() => unknown)[],
) => {
  const services = envs.map((env) => superviseService(env, nodeArgs))
  closers.push(() => Promise.all(services.map((service) => service.stop())))
  for (const service of services) {
    service.launch()
    await service.ready()
  }
  return services
}

const openStore = async (dir: string, closers: (() => unknown)[]) => {
  const port = await freePort()
  const process = superviseStore(join(dir, 'server-events.db'), port)
  closers.push(() => process.stop())
  process.launch()
  await process.ready()
  return { process, port }
}

const storeUrl = (port: number) => `esdb://127.0.0.1:${port}?tls=false`

const startSurroundings = async (closers: (() => unknown)[]) => {
  const [anvil, hook] = await Promise.all([startAnvil(), startHook()])
  closers.push(() => Promise.all([anvil.stop(), hook.stop()]))
  return { anvil, hook }
}
