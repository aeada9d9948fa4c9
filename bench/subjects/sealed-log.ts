/**
 * A log of sales under DATA_DIR that is sealed as the service seals it, then mirrored, and exported for accountants.
 * Arguments: DATA_DIR, the database's URL, and which events of the sales are written (`all`, or `money`: those that
 * move some).
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { SignedHead } from '../../adapters/audit/head.ts'
import { sealGuard } from '../../adapters/audit/seal-guard.ts'
import { sealUpTo } from '../../adapters/audit/sealer.ts'
import { openJournalExport } from '../../adapters/journal-export/open.ts'
import { connect } from '../../adapters/postgres/connect.ts'
import { createVault } from '../../adapters/postgres/vault/vault.ts'
import { openKeeper } from '../../adapters/store/mirror/keeper.ts'
import { embeddedPlace } from '../../adapters/store/node/embedded-bytes.ts'
import { rebuild, swap } from '../../projections/engine/rebuild.ts'
import { createMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { journalProjection } from '../../projections/money/journal.ts'
import { operatorLedger } from '../../src/books/operator-ledger.ts'
import { keeping, witnessedHere } from '../../src/engine/sealing.ts'
import { sealWitnessIn } from '../../src/settings/seal-witness.ts'
import { world } from '../../src/settings/world.ts'
import { answering } from '../answering.ts'
import { writeSales } from '../sale-log.ts'
import { allSteps, moneySteps } from '../sales.ts'

/**
 * `append` writes `sales` more sales, `seal` seals what is not sealed yet, `fill` does both in turn, `finish` makes
 * mirror and journal.
 */
export type SealedLogQuestion =
  | { readonly what: 'append' | 'fill'; readonly sales: number }
  | { readonly what: 'seal' }
  | { readonly what: 'finish'; readonly journal: string }
/** `ms` is the time on the clock, `cpuMs` the CPU time of all threads of the process. */
export type SealedLogAnswer = { readonly events: number; readonly ms: number; readonly cpuMs: number }

const [dir = '', databaseUrl = '', events = ''] = process.argv.slice(2)
const stepsOf = events === 'money' ? moneySteps : allSteps
const { store, bytes, close } = embeddedPlace(join(dir, 'events.db'))
const sql = connect(databaseUrl, { schema: SERVING })
await prepareSchema(sql, SERVING)
const vault = await createVault({ sql, masterKey: Buffer.alloc(32, 1) })
const ledger = operatorLedger(store)
const revisions = new Map<string, bigint>()
let [sales, sealed] = [0, 0]

const append = (more: number) => {
  sales += more
  return writeSales(store, stepsOf, sales - more, sales, undefined, revisions)
}

/** Sales between two looks of the sealer: about as many as come in half a second. */
const LOOK_SALES = 1_000

const fill = async (more: number): Promise<number> => {
  for (const end = sales + more; sales < end; ) {
    await append(Math.min(LOOK_SALES, end - sales))
    await seal()
  }
  return sealed
}

const seal = async (): Promise<number> => {
  const before = sealed
  const journal = sealWitnessIn(dir)
  const guard = sealGuard(() => witnessedHere(journal))
  const note = (head: SignedHead) => {
    sealed = head.size
  }
  const sealing = { ledger, world, vault, store, lines: bytes.readLines, guard, ...keeping(journal), sealed: note }
  await sealUpTo(sealing, await store.head(), false)
  return sealed - before
}

const finish = async (file: string): Promise<number> => {
  const keeper = await openKeeper({ dir: join(dir, 'mirror'), store, bytes })
  if (!keeper) throw new Error('somebody else writes the mirror')
  await keeper.catchUp(await store.head())
  await keeper.close()
  await createMissing(sql, journalProjection)
  await rebuild(sql, store, journalProjection)
  await swap(sql, store, journalProjection)
  await pipeline(openJournalExport(sql, 'hledger', {}), createWriteStream(file))
  return sealed
}

const act = (question: SealedLogQuestion): Promise<number> => {
  switch (question.what) {
    case 'append':
      return append(question.sales)
    case 'fill':
      return fill(question.sales)
    case 'seal':
      return seal()
    case 'finish':
      return finish(question.journal)
  }
}

await answering<SealedLogQuestion>(
  async (question): Promise<SealedLogAnswer> => {
    const [start, cpu] = [performance.now(), process.cpuUsage()]
    const done = await act(question)
    const { user, system } = process.cpuUsage(cpu)
    return { events: done, ms: performance.now() - start, cpuMs: (user + system) / 1_000 }
  },
  async () => {
    await vault.close()
    await sql.end({ timeout: 1 })
    await close()
  },
)
