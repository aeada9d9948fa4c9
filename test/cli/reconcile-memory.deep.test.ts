/** A reconciliation of ever more transfers, by the command itself, in a process of little memory. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { wholeRun } from '../../bench/whole-process.ts'
import { createMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { projections } from '../../projections/index.ts'
import { createDatabase } from '../support/postgres.ts'
import { CLI } from '../support/program.ts'

const TRANSFERS = [10_000, 100_000]
/** Megabytes of old objects that the command may have. */
const HEAP = '--max-old-space-size=64'
/** What garbage that nobody has collected yet may add to the memory of the smallest. */
const MOST = 1.25
const LIMIT_MS = 300_000

test('N-80 a reconciliation takes the same memory, however many transfers there are', async (t) => {
  t.timeout(2 * LIMIT_MS)
  const peaks: number[] = []
  for (const transfers of TRANSFERS) {
    const [{ url, drop }, dir] = [await createDatabase(), await mkdtemp(join(tmpdir(), 'daybook-reconcile-'))]
    t.teardown(async () => {
      drop()
      await rm(dir, { recursive: true })
    })
    // The log itself is empty: what is held against each other are the rows.
    await openCore(join(dir, 'events.db')).close()
    await fill(url, transfers)
    const args = [HEAP, CLI, 'reconcile', '--no-chain', '--differences', '--json']
    const { stdout, peakMb } = await wholeRun(process.execPath, args, LIMIT_MS, { DATA_DIR: dir, DATABASE_URL: url })
    t.like(JSON.parse(stdout), { summary: { allAgree: true, lines: transfers } })
    peaks.push(peakMb)
  }
  const [least = 0, most = 0] = peaks
  t.log(`${peaks.map(Math.round).join(', ')} MB`)
  t.true(most < MOST * least, `${peaks.map(Math.round).join(', ')} MB`)
})

/** Sales of one seller, a minute apart: each in the books, in the settlement log and as a transaction. */
const fill = async (url: string, transfers: number): Promise<void> => {
  const sql = connect(url, { schema: SERVING, max: 1, statementMs: 0 })
  try {
    await prepareSchema(sql, SERVING)
    for (const projection of projections) await createMissing(sql, projection, true)
    await sql`
      create temporary table sold as
      select n, '0x' || md5(n::text) || md5('h' || n) as hash, 'ch_' || md5(n::text) || '.eth' as challenge_id,
        40000010000000000::numeric + n as amount, (n * 2000)::bigint as place,
        to_char(timestamp '2026-01-01' + n * interval '1 minute', ${'YYYY-MM-DD"T"HH24:MI:SS".000Z"'}) as at
      from generate_series(1, ${transfers}) as n`
    await sql`
      insert into booked_transfers (transfer_id, kind, place, account_id, store_id, network, hash, coin, asset, decimals,
        payer, payee, amount, at, mined_at, test, gone, signed, matched, challenge_id)
      select 'eth:' || hash || ':native', 'payment', place, 'acc_bench', 1, 'eth', hash, 'eth', 'eth', 18,
        '0xpayer', '0xpayee', amount, at, at, false, false, false, false, challenge_id from sold`
    await sql`
      insert into transfer_events (position, transfer_id, kind, view)
      select place, 'eth:' || hash || ':native', 'payment', 'seller:acc_bench' from sold`
    await sql`
      insert into book_postings (view, position, line, account, asset, amount, kind, event_type, at, stream, event_id)
      select 'seller:acc_bench', place, line, account, 'eth', sign * amount, 'sale', 'ChallengeSettled', at, 'challenge',
        md5(n::text)
      from sold cross join (values (0, 'assets:receipts', 1), (1, 'income:sales', -1)) as v (line, account, sign)`
    await sql`
      insert into settlements (transfer_id, account_id, status, paid, hash, asset, transaction_id, challenge_id)
      select 'eth:' || hash || ':native', 'acc_bench', 'settled', amount, hash, 'eth', 't' || n, challenge_id from sold`
    await sql`
      insert into transactions (transaction_id, account_id, number, challenge_id, status, hash, amount, amount_fiat,
        currency, cryptocurrency, payer, test, created_at, type)
      select 't' || n, 'acc_bench', n, challenge_id, 'C', hash, '0.04', '100', 'USD', 'eth', '0xpayer', false, at,
        'resource' from sold`
    await sql`vacuum analyze`
  } finally {
    await sql.end({ timeout: 1 })
  }
}
