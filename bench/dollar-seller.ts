import type { Sql } from '../adapters/postgres/connect.ts'
import { SERVING } from '../projections/engine/schema.ts'
import type { Client } from '../src/demo/client.ts'
import { eventually } from '../src/demo/stage.ts'
import type { DollarChain } from './dollar-chain.ts'
import { type ServiceOptions, startBenchService } from './service.ts'

/**
 * The service with a relayer, and a seller who takes the test dollar and has bought credit for all the fees to come.
 */

export type DollarSeller = {
  readonly pid: number
  readonly origin: string
  readonly client: Client
  /** The seller's owner key. */
  readonly key: string
  /** The payment door of the resource. */
  readonly url: string
  /** The same door under the URL that the service gives itself. */
  readonly soldAt: string
  readonly resId: string
  readonly payTo: string
  stop(): Promise<void>
}

const PAID = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
/** The address that credit is paid to. */
const PLATFORM_PAID = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
/** The credit in dollars; gas on a chain of our own may cost more than it does outside. */
const CREDIT = 100_000
const CREDIT_MS = 60_000
/** Blocks to mine: more than a payment of any size waits for. */
const BLOCKS = 50

export const startDollarSeller = async (
  chain: DollarChain,
  {
    dollars,
    sql,
    ...options
  }: Pick<ServiceOptions, 'dataDir' | 'databaseUrl' | 'nodeOptions' | 'root'> & { dollars: number; sql: Sql },
): Promise<DollarSeller> => {
  const service = await startBenchService({
    ...options,
    env: {
      CHAIN_BASE_RPC: chain.url,
      CHAIN_BASE_ID: '84532',
      RELAYER_KEY: chain.relayerKey(0),
      RATES: 'fixed',
      PLATFORM_WALLETS: `usdc_base=${PLATFORM_PAID}`,
    },
  })
  const { client, key, origin, pid, stop } = service
  try {
    await client.json('POST', '/v1/wallets', { key, body: { asset: 'usdc_base', address: PAID } })
    const { res_id: resId } = await client.json('POST', '/v1/resources', { key, body: { amount: dollars } })
    const { url: bill } = await client.json('POST', '/v1/top-up', { key, body: { amount: CREDIT } })
    const { json } = await client.call('GET', new URL(bill).pathname)
    await chain.pay(json.accepts[0].payTo, BigInt(json.accepts[0].amountAtomic))
    await chain.mine(BLOCKS)
    await eventually('credit', () => hasCredit(sql), CREDIT_MS)
    return {
      pid,
      origin,
      client,
      key,
      url: `${origin}/r/${resId}`,
      soldAt: new URL(`/r/${resId}`, bill).href,
      resId,
      payTo: PAID,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const hasCredit = async (sql: Sql) => {
  const rows = await sql`select from ${sql(SERVING)}.credits where balance >= ${CREDIT * 1_000_000}`
  return rows.length > 0 || undefined
}
