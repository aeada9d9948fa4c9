import { startSandboxChain } from '../adapters/chains/sandbox/sandbox.ts'
import type { Client } from '../src/demo/client.ts'
import { freePort } from '../src/demo/port.ts'
import { newSeller, openBenchService } from './service.ts'
import type { Stage } from './stage.ts'
import { startWorker } from './worker.ts'

/** An installation of some processes on one log and one PostgreSQL. The first of them follows the log. */
export type Processes = {
  readonly clients: readonly Client[]
  readonly pids: readonly number[]
  /** The owner key of its seller. */
  readonly key: string
  /** The test resource that is sold. */
  readonly resId: string
}

const MASTER_KEY = 'ab'.repeat(32)

/** Starts the processes one after the other, beside one node that is reached over EventStoreDB's protocol. */
export const startProcesses = async (stage: Stage, count: number): Promise<Processes> => {
  const dir = `${stage.dir}/${count}-processes`
  const node = startWorker('subjects/esdb-node.ts', [`${dir}.db`, '0'])
  stage.closing(() => node.stop())
  const chain = await startSandboxChain()
  stage.closing(() => chain.stop())
  const [{ url }, { url: databaseUrl }] = await Promise.all([node.ask<{ url: string }>({}), stage.database()])
  const env = {
    EVENTSTORE_URL: url,
    LOG_MIRROR: 'off',
    MASTER_KEY,
    // Nobody listens there: links are only shown.
    BASE_URL: `http://127.0.0.1:${await freePort()}`,
    CHAIN_ETH_RPC: chain.url,
    CHAIN_ETH_ID: String(chain.chainId),
    RATES: 'fixed',
  }
  const services = []
  for (let n = 0; n < count; n++) {
    const service = await openBenchService({ root: stage.root, dataDir: `${dir}-${n}`, databaseUrl, env })
    stage.closing(() => service.stop())
    services.push(service)
  }
  const clients = services.map(({ client }) => client)
  const [first] = clients
  if (!first) throw new Error('an installation has at least one process')
  const key = await newSeller(first)
  const { res_id: resId } = await first.json('POST', '/v1/resources', { key, body: { amount: 5, test: true } })
  return { clients, pids: services.map(({ pid }) => pid), key, resId }
}
