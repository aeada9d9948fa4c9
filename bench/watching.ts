/** The chain watch of one network on a log and read models of its own. */
import type { ChainNode } from '../adapters/chains/rpc/chain-node.ts'
import { watchChain } from '../adapters/chains/watch/watch.ts'
import { createWatched } from '../adapters/chains/watch/watched.ts'
import { startFeed } from '../adapters/following/feed.ts'
import { connect, type Sql } from '../adapters/postgres/connect.ts'
import { openCore } from '../adapters/store/node/core.ts'
import { embeddedStore } from '../adapters/store/node/embedded.ts'
import { networkOf } from '../domain/kernel/networks.ts'
import { createLedger } from '../domain/write-side/ledger.ts'
import { createMissing, prepareSchema, SERVING } from '../projections/engine/schema.ts'
import { createQueries } from '../projections/index.ts'
import { challengesProjection } from '../projections/selling/challenges.ts'
import { world } from '../src/settings/world.ts'

const NETWORK = 'eth'
const HOUR_MS = 3_600_000

/** Makes read models with an open challenge on each of these addresses. */
export const openChallenges = async (url: string, addresses: readonly string[]): Promise<Sql> => {
  const sql = connect(url, { schema: SERVING })
  await prepareSchema(sql, SERVING)
  await createMissing(sql, challengesProjection)
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString()
  await sql`
    insert into challenges (challenge_id, network, pay_to, test, expires_at)
    select n::text, ${NETWORK}, address, false, ${expiresAt}
    from json_array_elements_text(${JSON.stringify(addresses)}::text::json) with ordinality as each (address, n)`
  return sql
}

/**
 * Watches from a height to the chain's end, once, on a new log; answers the milliseconds that it took, and the number
 * of transfers that it wrote down.
 */
export const watchOnce = async (chain: ChainNode, sql: Sql, file: string, from: number) => {
  const network = networkOf(NETWORK)
  if (!network) throw new Error(`there is no network ${NETWORK}`)
  const store = embeddedStore(openCore(file))
  const feed = await startFeed(store)
  const { ledger } = createLedger(store, world, { load: async () => undefined, save: async () => {} }).open({
    actor: 'bench',
    correlationId: 'bench',
  })
  const place = { height: from, hash: (await chain.hashAt(from)) ?? '', head: from, transfers: [] }
  await ledger.chainWatch.scanned(NETWORK, { network: NETWORK, ...place })
  const log = {
    warn: (fields: object, message: string) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  }
  const networks = new Map([[NETWORK, (address: string) => address.toLowerCase()]])
  const watched = createWatched({ networks, sql, store, feed, now: world.now, log })
  // The index is loaded once in the life of a process, so that is not measured.
  await watched.on(NETWORK)
  const stopping = new AbortController()
  const { height } = await chain.head()
  const queries = createQueries(sql)
  const start = performance.now()
  const ms = await new Promise<number>((resolve) => {
    const stands = (_: string, at: number) => at >= height && resolve(performance.now() - start)
    const booked = async () => []
    const mayCome = async () => false
    const secondVoice = { heard: async () => 1, rests: () => false }
    const pending = queries.pendingPayments
    const context = { ledger, watched: watched.on, pending, booked, mayCome, secondVoice, stands, log }
    void watchChain(network, chain, context, stopping.signal)
  })
  stopping.abort()
  let transfers = 0
  for await (const page of store.readAll(-1n))
    for (const { type, data } of page)
      if (type === 'TransfersSeen') transfers += (data as { transfers: unknown[] }).transfers.length
  await watched.stop()
  await feed.stop()
  await store.close()
  return { ms, transfers, blocks: height - from }
}
