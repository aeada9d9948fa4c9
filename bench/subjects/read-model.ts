/**
 * The read model `transactions` over a log of sales. Arguments: the log's file, the database's URL, the number of
 * sales, and `all` or `shown` for the events that each leaves.
 */
import { startFeed } from '../../adapters/following/feed.ts'
import { createProgress } from '../../adapters/following/progress.ts'
import { connect } from '../../adapters/postgres/connect.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import { createPlaceWriter } from '../../projections/engine/place-writer.ts'
import { runProjector } from '../../projections/engine/projector.ts'
import { rebuild, swap } from '../../projections/engine/rebuild.ts'
import { createMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { transactionsProjection } from '../../projections/selling/transactions/transactions.ts'
import { answering } from '../answering.ts'
import type { Made, Question } from '../read-model.ts'
import { writeSales } from '../sale-log.ts'
import { allSteps, shownSteps } from '../sales.ts'

const CATCH_UP_MS = 600_000

const [file = '', databaseUrl = '', sales = '', which = ''] = process.argv.slice(2)
const core = openCore(file)
const store = embeddedStore(core)
const sql = connect(databaseUrl, { schema: SERVING })
const places = createPlaceWriter(sql)
let events = 0

/** Each makes what its name says; it answers the function that ends what still runs afterwards. */
const makers: Record<Question['make'], () => Promise<undefined | (() => Promise<unknown>)>> = {
  log: async () => {
    events = await writeSales(store, which === 'all' ? allSteps : shownSteps, 0, Number(sales))
    await prepareSchema(sql, SERVING)
    await createMissing(sql, transactionsProjection)
    return undefined
  },
  /** Makes new tables beside those that serve, then puts them in their place. */
  rebuild: async () => {
    const read = await rebuild(sql, store, transactionsProjection, { fresh: true })
    if (read !== events) throw new Error(`the rebuild read ${read} of ${events} events`)
    await swap(sql, store, transactionsProjection)
    return undefined
  },
  /** Follows the log as after a stop: the tables are there, and all events are new to them. */
  following: async () => {
    const stopping = new AbortController()
    const progress = createProgress()
    const feed = await startFeed(store)
    const ended = runProjector(transactionsProjection, { sql, places, store, feed, progress }, stopping.signal)
    const reached = progress.reached(await store.head(), CATCH_UP_MS)
    // A projector that fails rejects; one that is told to stop does not end before it is.
    if (!(await Promise.race([reached, ended.then(() => false)])))
      throw new Error('the projector did not come to the end')
    return async () => {
      stopping.abort()
      await ended
      await feed.stop()
    }
  },
}

const emptied = async () => {
  for (const { name } of transactionsProjection.tables) await sql`truncate ${sql(name)}`
  await sql`update checkpoints set position = -1 where name = ${transactionsProjection.name}`
}

const checkRows = async () => {
  const [done] = await sql<{ transactions: number; deliveries: number }[]>`
    select (select count(*)::int from transactions where status = 'C') as transactions,
      (select count(*)::int from deliveries where state = 'accepted') as deliveries`
  if (done?.transactions !== Number(sales) || done.deliveries !== Number(sales))
    throw new Error(`${sales} sales became ${done?.transactions} transactions and ${done?.deliveries} deliveries`)
}

await answering<Question>(
  async ({ make }): Promise<Made> => {
    if (make === 'following') await emptied()
    const start = performance.now()
    const end = await makers[make]()
    const ms = performance.now() - start
    await end?.()
    if (make !== 'log') await checkRows()
    return { events, processed: events, ms }
  },
  async () => {
    await sql.end({ timeout: 1 })
    await core.close()
  },
)
