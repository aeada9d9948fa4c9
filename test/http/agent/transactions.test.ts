import test from 'ava'
import type { Sql } from '../../../adapters/postgres/connect.ts'
import { RECORD_KEYS } from '../../../domain/selling/transactions/transaction-record.ts'
import { CSV_KEYS } from '../../../projections/selling/transactions/transactions-csv.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter } from '../../support/deep-test.ts'
import { runs } from '../../support/depth.ts'
import { connectBeside } from '../../support/kept-database.ts'
import {
  assertReplayEqual,
  saidOf,
  sell,
  shop,
  type TransactionJson,
  transactionOf,
  transactionsOf,
  webhookLog,
} from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'

/** What a seller reads of his payments, as JSON and as CSV. */

const MANY = runs({ quick: 4_000, deep: 20_000 })
/** More than what lies between a service and its reader may hold. */
const LONG = 'x'.repeat(10_000_000 / MANY)
/** What a spreadsheet would run, and what would break a line of CSV. */
const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1']
const ODD = ['a "quoted", text', 'two\nlines', 'two\r\nlines', ' spaces ', ',', '"', 'ünï 🎉', '\\.']

let app: TestApp
let sql: Sql
test.before(async () => {
  app = await startApp()
  sql = connectBeside(app.databaseUrl)
})
test.after.always(async () => {
  await sql?.end({ timeout: 1 })
  await app?.stop()
})

test('J-TXN-01 N-36 three payments are paged by limit and offset, newest first', async (t) => {
  const s = await shop(app)
  const sold = []
  for (let n = 0; n < 3; n++) sold.push((await sell(app, s)).offer.challengeId)
  const page = async (query: string) => (await ok(app.call('GET', `/v1/transactions${query}`, { key: s.key }))).json
  const all = await page('')
  t.deepEqual(all.pagination, { total: 3, limit: 50, offset: 0 })
  const references = all.transactions.map((record: TransactionJson) =>
    record.external_reference?.slice(s.resId.length + 1),
  )
  t.deepEqual(references, sold.toReversed())
  const last = await page('?limit=2&offset=2')
  t.deepEqual(last.pagination, { total: 3, limit: 2, offset: 2 })
  t.deepEqual(last.transactions, all.transactions.slice(2))
  t.deepEqual((await page('?limit=2')).transactions, all.transactions.slice(0, 2))
  t.deepEqual((await page('?offset=9')).transactions, [])
  for (const query of [
    '?limit=501',
    '?limit=-1',
    '?limit=x',
    '?offset=-1',
    '?limit=1e2',
    '?limit=1&limit=2',
    '?offset=9999999999',
  ])
    t.is((await app.call('GET', `/v1/transactions${query}`, { key: s.key })).status, 400, query)
})

test('J-TXN-03 M-REC-01 J-RES-14 N-73 one transaction is the record of the list, all 16 keys as text', async (t) => {
  const s = await shop(app)
  const { offer, hash } = await sell(app, s)
  const record = await transactionOf(app, s.key, offer.challengeId, 'C')
  const { json } = await ok(app.call('GET', `/v1/transactions?transaction_id=${record.id}`, { key: s.key }))
  t.deepEqual(json, { transaction: record })
  for (const key of RECORD_KEYS) t.is(typeof record[key], 'string', key)
  t.is(record.external_reference, `${s.resId}.${offer.challengeId}`)
  t.like(record, {
    status: 'C',
    hash,
    amount: offer.amount,
    amount_fiat: '100',
    currency: 'USD',
    cryptocurrency: 'eth',
  })
  t.regex(record.id ?? '', /^\d{15,16}$/)
  for (const time of ['creation_time', 'confirmed_time'])
    t.regex(record[time] ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  t.true((record.creation_time ?? '') <= (record.confirmed_time ?? ''))
})

test('J-TXN-04 W-LOG-02 the webhook log of a transaction is its one delivery', async (t) => {
  const s = await shop(app)
  const { offer } = await sell(app, s)
  const { id } = await transactionOf(app, s.key, offer.challengeId)
  const [row, ...rest] = await webhookLog(app, s.key, id as string)
  t.is(rest.length, 0)
  t.like(row, { state: 'accepted', http_status: 200, response_body: 'thanks', url: app.receiver.url, test: false })
})

test('X-TEN-01 the transactions of another seller are not there, in any form', async (t) => {
  const [mine, other] = await Promise.all([shop(app), shop(app)])
  const { offer } = await sell(app, mine)
  const { id } = await transactionOf(app, mine.key, offer.challengeId)
  for (const query of [
    `transaction_id=${id}`,
    `transaction_id=${id}&webhook_log=1`,
    'transaction_id=1',
    'transaction_id=x',
  ])
    t.is((await app.call('GET', `/v1/transactions?${query}`, { key: other.key })).status, 404, query)
  t.deepEqual(await transactionsOf(app, other.key), [])
  t.deepEqual(parseCsv(await csvOf(other.key)), [[...CSV_KEYS]])
  for (const path of ['/v1/transactions', `/v1/transactions?transaction_id=${id}`, '/v1/transactions?download=1'])
    t.is((await app.call('GET', path)).status, 401, path)
})

test('J-TXN-05 N-36 the CSV is the JSON records field by field, oldest first, under the 16 keys and what the books need', async (t) => {
  const [s, other] = await Promise.all([shop(app), shop(app)])
  await sell(app, other)
  for (let n = 0; n < 3; n++) await sell(app, s)
  const { headers, text } = await ok(app.call('GET', '/v1/transactions?download=1', { key: s.key }))
  t.regex(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/)
  t.regex(headers.get('content-disposition') ?? '', /^attachment/)
  const [head, ...lines] = parseCsv(text)
  t.deepEqual(head, [...CSV_KEYS])
  t.deepEqual(CSV_KEYS.slice(RECORD_KEYS.length), [
    'is_test',
    'store_id',
    'fee',
    'fee_gas',
    'refunded_amount',
    'settled_amount',
    'settlement_time',
    'received_amount',
    'edited_by_hand',
    'edited_time',
  ])
  const records = (await transactionsOf(app, s.key)).toReversed()
  t.is(lines.length, 3)
  t.deepEqual(
    lines,
    records.map((record) =>
      RECORD_KEYS.map((key) => record[key]).concat('0', '1', '0.2', '', '', '100', ...cameOf(record), '', ''),
    ),
  )
})

/** When it was settled, and what came. */
const cameOf = ({ confirmed_time, received_amount }: TransactionJson) => [confirmed_time, received_amount]

test.serial('J-TXN-05 text that a spreadsheet would run is inert, and odd text comes through whole', async (t) => {
  const s = await shop(app)
  await withRows(s, [...FORMULAS, ...ODD], async () => {
    const titles = parseCsv(await csvOf(s.key))
      .slice(1)
      .map((line) => line[RECORD_KEYS.indexOf('title')])
    t.deepEqual(titles, [...FORMULAS.map((text) => `'${text}`), ...ODD])
  })
})

test.serial(`J-TXN-05 a CSV of ${MANY} rows comes as a stream, whole`, async (t) => {
  const s = await shop(app)
  const titles = Array.from({ length: MANY }, (_, n) => `title ${n}`)
  await withRows(s, titles, async () => {
    const response = await fetch(`${app.served().origin}/v1/transactions?download=1`, {
      headers: { 'x-api-key': s.key },
    })
    t.is(response.headers.get('content-length'), null)
    t.is(response.headers.get('transfer-encoding'), 'chunked')
    const lines = parseCsv(await response.text())
    t.is(lines.length, MANY + 1)
    t.is(lines.at(-1)?.[RECORD_KEYS.indexOf('title')], titles.at(-1))
  })
})

test.serial('J-TXN-05 a reader who goes away in the middle of a CSV leaves the service well', async (t) => {
  const s = await shop(app)
  await withRows(
    s,
    Array.from({ length: MANY }, () => LONG),
    async () => {
      for (let n = 0; n < runs({ quick: 4, deep: 15 }); n++) {
        const stop = new AbortController()
        const { body } = await fetch(`${app.served().origin}/v1/transactions?download=1`, {
          headers: { 'x-api-key': s.key },
          signal: stop.signal,
        })
        await body?.getReader().read()
        stop.abort()
      }
      t.is((await ok(app.call('GET', '/v1/transactions?limit=1', { key: s.key }))).json.pagination.total, MANY)
    },
  )
})

test.serial('J-TXN-05 slow readers of one account get two downloads at once, and hold up nobody else', async (t) => {
  const [s, other] = await Promise.all([shop(app), shop(app)])
  const titles = Array.from({ length: MANY }, () => LONG)
  await withRows(s, titles, async () => {
    const download = (key: string) =>
      fetch(`${app.served().origin}/v1/transactions?download=1`, { headers: { 'x-api-key': key } })
    const slow = [await download(s.key), await download(s.key)]
    const third = await download(s.key)
    t.deepEqual([third.status, third.headers.get('retry-after')], [429, '1'])
    t.is((await download(other.key)).status, 200)
    t.is((await app.call('GET', '/v1/transactions?limit=1', { key: s.key })).json.pagination.total, MANY)
    for (const { body } of slow) await body?.cancel()
    await eventually('the next download', async () => (await download(s.key)).status === 200)
  })
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const csvOf = async (key: string) => (await ok(app.call('GET', '/v1/transactions?download=1', { key }))).text

/**
 * Puts rows into the read model itself, since no seller can bring such titles about today; they are gone afterwards.
 */
const withRows = async ({ resId }: { resId: string }, titles: readonly string[], act: () => Promise<unknown>) => {
  const [created] = await saidOf(app, 'ResourceCreated', resId)
  const rows = titles.map((title, n) => ({
    transaction_id: `${resId}${String(n).padStart(8, '0')}`,
    account_id: created?.accountId ?? '',
    res_id: resId,
    challenge_id: 'ch',
    external_reference: resId,
    type: 'resource',
    title,
    cryptocurrency: 'eth',
    amount: '1',
    amount_fiat: '1',
    currency: 'USD',
    status: 'C',
    hash: '0x',
    payer: '0x',
    test: false,
    created_at: '2026-01-01T00:00:00.000Z',
    confirmed_at: null,
    number: n + 1,
  }))
  try {
    for (let n = 0; n < rows.length; n += 1_000)
      await sql`insert into daybook.transactions ${sql(rows.slice(n, n + 1_000))}`
    await act()
  } finally {
    await sql`delete from daybook.transactions where res_id = ${resId}`
  }
}

/** RFC 4180, strictly; a bare line feed ends a line too. */
const parseCsv = (text: string): string[][] => {
  const lines: string[][] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|$)/y
  let line: string[] = []
  while (field.lastIndex < text.length) {
    const at = field.lastIndex
    const match = field.exec(text)
    if (!match) throw new Error(`not CSV at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`)
    line.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === ',') continue
    lines.push(line)
    line = []
    if (match[3] === '') break
  }
  const width = lines[0]?.length
  for (const each of lines) if (each.length !== width) throw new Error(`a line of ${each.length} fields, not ${width}`)
  return lines
}
