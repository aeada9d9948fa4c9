import test, { type ExecutionContext } from 'ava'
import { createRequestLog } from '../../adapters/postgres/requests/request-log.ts'
import type { LoggedRequest } from '../../adapters/postgres/requests/request-rows.ts'
import { prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { testDatabase } from '../support/postgres.ts'

/** The request log without a service: what it keeps, what it drops, and that nobody waits for it. */

const NEVER_MS = 3_600_000
const DAY_MS = 86_400_000
const START = Date.parse('2026-03-02T10:00:00.000Z')

/** A log that writes when it is told to. */
const opened = async (t: ExecutionContext) => {
  const { sql } = await testDatabase(t)
  const warnings: string[] = []
  const log = await createRequestLog(sql, (message) => warnings.push(message), { writeEveryMs: NEVER_MS })
  t.teardown(() => log.close())
  const ids = async (accountId: string, filter = {}, limit = 10_000) =>
    (await log.requests(accountId, filter, limit)).map(({ requestId }) => requestId)
  return { sql, log, warnings, ids }
}

const request = (accountId: string, n: number, more: Partial<LoggedRequest> = {}): LoggedRequest => ({
  caller: { accountId, kind: 'owner', id: 'k', hint: 'sk_live_…k' },
  at: START + n,
  method: 'GET',
  path: '/v1/me',
  status: 200,
  requestId: `r${n}`,
  ms: 1,
  ...more,
})

test('N-100 of an account the newest 5,000 requests are kept, and those of others are not touched', async (t) => {
  const { log, ids } = await opened(t)
  log.note(request('other', 0))
  for (let n = 0; n < 5_100; n++) {
    log.note(request('acc', n))
    if (n % 300 === 299) await log.written()
  }
  await log.written()
  const kept = await ids('acc')
  t.is(kept.length, 5_000)
  t.deepEqual([kept[0], kept.at(-1)], ['r5099', 'r100'])
  t.deepEqual(await ids('other'), ['r0'])
  t.deepEqual(log.dropped(), { full: 0, share: 0, failed: 0 })
})

test('N-100 pages follow one another without a gap, also while requests come, and filters narrow them', async (t) => {
  const { log, ids } = await opened(t)
  for (let n = 0; n < 20; n++) log.note(request('acc', n, { status: n % 2 ? 404 : 200, path: `/v1/${n % 4}/x` }))
  await log.written()
  const first = await log.requests('acc', {}, 8)
  log.note(request('acc', 99))
  await log.written()
  const second = await log.requests('acc', { before: first.at(-1)?.n }, 100)
  t.deepEqual(
    [...first, ...second].map(({ requestId }) => requestId),
    Array.from({ length: 20 }, (_, n) => `r${19 - n}`),
  )
  t.is((await ids('acc', { statusClass: 4 })).length, 10)
  t.is((await ids('acc', { pathPrefix: '/v1/3' })).length, 5)
  t.is((await ids('acc', { pathPrefix: '/v1/%' })).length, 0, 'nothing in it is a pattern')
  const [from, to] = [START + 3, START + 5].map((ms) => new Date(ms).toISOString())
  t.deepEqual(await ids('acc', { from, to }), ['r5', 'r4', 'r3'])
  t.deepEqual(await ids('acc', { requestId: 'r7', hint: 'sk_live_…k' }), ['r7'])
  t.deepEqual(await ids('acc', { hint: 'sa_…k' }), [])
})

test('N-100 a flood of one account fills its share, not the queue, and what is dropped is counted', async (t) => {
  const { log, ids } = await opened(t)
  for (let n = 0; n < 20_000; n++) log.note(request('flood', n))
  log.note(request('quiet', 1))
  await log.written()
  t.deepEqual([(await ids('flood')).length, await ids('quiet')], [500, ['r1']])
  t.deepEqual(log.dropped(), { full: 0, share: 19_500, failed: 0 })
  log.note(request('flood', 1))
  await log.written()
  t.is((await ids('flood')).length, 501, 'the share is free again')
  for (let n = 0; n < 10_001; n++) log.note(request(`acc_${n % 1_000}`, n))
  t.is(log.dropped().full, 1, 'the queue is bounded over all accounts')
})

test('N-100 what cannot be written is dropped and counted, and what comes after it is written', async (t) => {
  const { sql, log, warnings, ids } = await opened(t)
  await sql`alter table daybook_run.requests rename to gone`
  log.note(request('acc', 1))
  await log.written()
  t.deepEqual([log.dropped().failed, warnings], [1, ['the request log could not be written']])
  await sql`alter table daybook_run.gone rename to requests`
  log.note(request('acc', 2))
  await log.written()
  t.deepEqual(await ids('acc'), ['r2'])
})

test('N-100 requests are forgotten after 30 days, and those of an account with it', async (t) => {
  const { sql, log, ids } = await opened(t)
  await prepareSchema(sql, SERVING)
  await sql`create table ${sql(SERVING)}.accounts (account_id text, closed boolean)`
  await sql`set search_path to ${sql(SERVING)}`
  await sql`insert into accounts values ('closed', true), ('acc', false)`
  for (const account of ['acc', 'closed', 'left']) log.note(request(account, 0))
  log.note(request('acc', DAY_MS))
  await log.written()
  log.note(request('left', 1))
  await log.forgetAll('left')
  await log.written()
  await log.sweep(new Date(START + 30 * DAY_MS))
  t.deepEqual([await ids('acc'), await ids('closed'), await ids('left')], [[`r${DAY_MS}`, 'r0'], [], []])
  await log.sweep(new Date(START + 30 * DAY_MS + 1))
  t.deepEqual(await ids('acc'), [`r${DAY_MS}`])
})
