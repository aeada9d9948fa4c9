/**
 * One log of a given size with its read model, and the product's work on them. Arguments: events, folder, database's
 * URL.
 */
import { connect } from '../../adapters/postgres/connect.ts'
import { createSnapshots } from '../../adapters/postgres/snapshots.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { createQueries } from '../../projections/index.ts'
import { world } from '../../src/settings/world.ts'
import { answering } from '../answering.ts'
import { buildRows, fillLog, takeSnapshot } from './growth-fill.ts'
import { historyOf } from './growth-history.ts'
import { type GrowthRounds, growthRounds, isPutBack } from './growth-rounds.ts'
import { reopenedLog } from './reopened-log.ts'

/** `fill` comes first, and once. */
export type GrowthQuestion = { readonly what: 'fill' | keyof GrowthRounds; readonly ms: number }
export type Filled = { readonly eventBytes: number; readonly logSeconds: number; readonly rowSeconds: number }

/** Milliseconds of a statement at most, for the one that takes long: tidying the tables after they were filled. */
const STATEMENT_MS = 3_600_000

const [events = '', dir = '', databaseUrl = ''] = process.argv.slice(2)
const history = historyOf(Number(events))
const log = reopenedLog(dir)
const sql = connect(databaseUrl, { schema: SERVING, statementMs: STATEMENT_MS })
const snapshots = await createSnapshots(sql)
const newLedger = () =>
  createLedger(log.store(), world, snapshots).open({ actor: 'bench', correlationId: 'bench' }).ledger
const rounds = growthRounds(history, log, createQueries(sql), newLedger)

const fill = async (): Promise<Filled> => {
  const start = performance.now()
  const eventBytes = await fillLog(history, log.store())
  const filled = performance.now()
  await buildRows(history, sql, log.store())
  const built = performance.now()
  await takeSnapshot(history, newLedger(), snapshots)
  if (isPutBack(history)) await log.keep()
  return { eventBytes, logSeconds: (filled - start) / 1_000, rowSeconds: (built - filled) / 1_000 }
}

await answering<GrowthQuestion>(
  async ({ what, ms }) => (what === 'fill' ? fill() : rounds[what](ms)),
  async () => {
    await log.close()
    await sql.end({ timeout: 1 })
  },
)
