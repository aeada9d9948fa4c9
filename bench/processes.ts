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
}

export type Installation = {
  /** Starts and stops processes until so many run, and answers with these. */
  of(count: number): Promise<Processes>
  /** Stops them and the chain that they watch, and drops their database. */
  stop(): Promise<void>
}

const MASTER_KEY = 'ab'.repeat(32)
let nodes = 0

/**
 * Measures so many processes beside a node of their own, which is reached over EventStoreDB's protocol, and stops them
 * all. Installations that wait for their turn would move the machine that another is measured on, and would be cold
 * when it came: one that nobody calls gives back what its code was compiled to (`src/runtime/idle-memory.ts`).
 */
export const withProcesses = async <T>(
  stage: Stage,
  count: number,
  measure: (processes: Processes) => Promise<T>,
): Promise<T> => {
  const name = `processes-${nodes++}`
  const node = startWorker('subjects/esdb-node.ts', [`${stage.dir}/${name}.db`, '0'])
  stage.closing(() => node.stop())
  const { url } = await node.ask<{ url: string }>({})
  const installation = await openInstallation(stage, name, url)
  const answer = await measure(await installation.of(count))
  await installation.stop()
  await node.stop()
  return answer
}

/** An installation on the log at a URL, which has to be empty. What is left of it stops when the set ends. */
export const openInstallation = async (stage: Stage, name: string, eventStoreUrl: string): Promise<Installation> => {
  const chain = await startSandboxChain()
  stage.closing(() => chain.stop())
  const { url: databaseUrl, drop } = await stage.database()
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
  const stop = async () => {
    await Promise.all(services.map((service) => service.stop()))
    await chain.stop()
    await drop()
  }
  stage.closing(stop)
  await open()
  const [{ client }] = services as [OpenService]
  const key = await newSeller(client)
  const { res_id: resId } = await client.json('POST', '/v1/resources', { key, body: { amount: 5, test: true } })
  return {
    async of(count) {
      while (services.length < count) await open()
      while (services.length > Math.max(1, count)) await services.pop()?.stop()
      return { clients: services.map((each) => each.client), pids: services.map(({ pid }) => pid), key, resId }
    },
    stop,
  }
}
