import { startSandboxChain } from '../adapters/chains/sandbox/sandbox.ts'
import type { Client } from '../src/demo/client.ts'
import { freePort } from '../src/demo/port.ts'
import { newSeller, type OpenService, openBenchService } from './service.ts'
import type { Stage } from './stage.ts'
import { startWorker } from './worker.ts'

/** Processes of one installation, on one log and one PostgreSQL. The first of them follows the log. */
export type Processes = {
  readonly clients: readonly Client[]
  readonly pids: readonly number[]
  /** The owner key of its seller. */
  readonly key: string
  /** The test resource that is sold. */
  readonly resId: string
  /** Stops them all, before the set ends. */
  stop(): Promise<unknown>
}

export type Installation = {
  /** Starts and stops processes until so many run, and answers with these. */
  of(count: number): Promise<Processes>
}

/**
 * Milliseconds between two calls of each process while others are measured. One that nobody calls gives back what its
 * code was compiled to (`src/runtime/idle-memory.ts`), and would be measured cold.
 */
const CALL_EVERY_MS = 5_000
const MASTER_KEY = 'ab'.repeat(32)

/** So many processes beside a node of their own, which is reached over EventStoreDB's protocol. */
export const startProcesses = async (stage: Stage, count: number): Promise<Processes> => {
  const node = startWorker('subjects/esdb-node.ts', [`${stage.dir}/${count}-processes.db`, '0'])
  stage.closing(() => node.stop())
  const { url } = await node.ask<{ url: string }>({})
  return (await openInstallation(stage, `${count}-processes`, url)).of(count)
}

/** An installation on the log at a URL, which has to be empty. */
export const openInstallation = async (stage: Stage, name: string, eventStoreUrl: string): Promise<Installation> => {
  const chain = await startSandboxChain()
  stage.closing(() => chain.stop())
  const { url: databaseUrl } = await stage.database()
  const env = {
    EVENTSTORE_URL: eventStoreUrl,
    LOG_MIRROR: 'off',
    MASTER_KEY,
    // Nobody listens there: links are only shown.
    BASE_URL: `http://127.0.0.1:${await freePort()}`,
    CHAIN_ETH_RPC: chain.url,
    CHAIN_ETH_ID: String(chain.chainId),
    RATES: 'fixed',
  }
  const services: OpenService[] = []
  const open = async () => {
    const dataDir = `${stage.dir}/${name}-${services.length}`
    services.push(await openBenchService({ root: stage.root, dataDir, databaseUrl, env }))
  }
  let calling: NodeJS.Timeout | undefined
  const stop = () => {
    clearInterval(calling)
    return Promise.all(services.map((service) => service.stop()))
  }
  stage.closing(stop)
  await open()
  const [{ client }] = services as [OpenService]
  const key = await newSeller(client)
  // One that is being stopped answers none.
  const call = () => services.map((each) => each.client.call('GET', '/v1/wallets', { key }).catch(() => {}))
  calling = setInterval(call, CALL_EVERY_MS)
  const { res_id: resId } = await client.json('POST', '/v1/resources', { key, body: { amount: 5, test: true } })
  return {
    async of(count) {
      while (services.length < count) await open()
      while (services.length > Math.max(1, count)) await services.pop()?.stop()
      return { clients: services.map((each) => each.client), pids: services.map(({ pid }) => pid), key, resId, stop }
    },
  }
}
