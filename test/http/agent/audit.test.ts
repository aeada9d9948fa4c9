import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { fromBase64 } from '../../../adapters/audit/hash.ts'
import { isConsistent } from '../../../adapters/audit/paths.ts'
import { faultOf } from '../../../adapters/audit/proof.ts'
import { postingsOf } from '../../../domain/reading/journal.ts'
import { verifyExport } from '../../../src/commands/audit/verify-export.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { newDirectory } from '../../store/open.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { byLog } from '../../support/by-log.ts'
import { inProcess } from '../../support/commands.ts'
import { deepTest } from '../../support/deep-test.ts'
import { logOf, type Shop, sell, shop, transactionsOf } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { addStore, ownerOf } from '../../support/stores.ts'
import { refused, strictly } from '../strict.ts'

/** What an auditor reads over HTTP: each call against the log itself, and nobody else's events. */

const MISSING = { status: 404, code: 'svc_not_found' }
const INVALID = { status: 400, code: 'svc_invalid_request' }
const FORBIDDEN = { status: 403, code: 'svc_forbidden' }

let app: TestApp
let s: Shop
let accountId: string
/** Of the same seller: in a second store, with the keys of auditors of all and of this store alone. */
let store: { key: string; resId: string; transaction: string }
let keys: { auditor: string; ofStore: string; clerk: string }
let transaction: string
let stranger: Shop
test.before(async () => {
  app = await startApp({ env: { SEAL_EVERY_SECONDS: '1' } })
  s = await shop(app)
  ;({ accountId } = await ownerOf(app, s))
  const grant = { amount: '90000000', reason: 'top-up', ref: 'x', source: 'tester', position: '1' } as const
  await byLog(app, ({ creditAccount }) => creditAccount.grant(accountId, grant))
  await sell(app, s)
  transaction = (await newest(s.key)) ?? ''
  const { storeId, key } = await addStore(app, s.key)
  const { res_id: resId } = (await ok(app.call('POST', '/v1/resources', { key, body: { amount: 7 } }))).json
  await sell(app, { key, resId })
  store = { key, resId, transaction: (await newest(key)) ?? '' }
  const seat = async (body: object) => (await ok(app.call('POST', '/v1/subagents', { key: s.key, body }))).json.api_key
  keys = {
    auditor: await seat({ role: 'auditor' }),
    ofStore: await seat({ role: 'auditor', store_scope: [storeId] }),
    clerk: await seat({ role: 'clerk' }),
  }
  stranger = await shop(app)
})
test.after.always(() => app?.stop())

const newest = (key: string) => eventually('a transaction', async () => (await transactionsOf(app, key))[0]?.id)

const get = async (path: string, key = keys.auditor) => (await ok(app.call('GET', `/v1/audit${path}`, { key }))).json

type Event = { position: string; at: string; type: string; stream: string; event_id: string; correlation_id: string }

const pages = async (query: string): Promise<Event[]> => {
  const events: Event[] = []
  for (let before: string | null = ''; before !== null; ) {
    const page = await get(`/events?limit=7&${query}${before && `&before=${before}`}`)
    events.push(...page.events)
    before = page.next
  }
  return events
}

test('the timeline has every event of the account once, the newest first, and is searched by all that names one', async (t) => {
  const strict = strictly(t, app)
  t.is((await strict('GET', '/v1/audit', { key: keys.auditor })).json.account_id, accountId)
  t.is((await strict('GET', '/v1/audit/events?limit=5', { key: keys.auditor })).json.events.length, 5)
  const all = await pages('')
  const own = (await logOf(app)).filter(({ stream, data }) => JSON.stringify([stream, data]).includes(accountId))
  const ids = new Set(all.map(({ event_id }) => event_id))
  t.deepEqual(
    own.filter(({ id, type }) => !ids.has(id) && type !== 'LetterSent').map(({ type }) => type),
    [],
  )
  t.is(ids.size, all.length)
  const positions = all.map(({ position }) => BigInt(position))
  t.deepEqual(
    positions,
    positions.toSorted((a, b) => (a > b ? -1 : 1)),
  )

  const settled = all.filter(({ type }) => type === 'ChallengeSettled')
  t.is(settled.length, 2)
  const [one] = settled
  for (const query of ['type=ChallengeSettled', 'q=challengesettled', 'q=SETTLED&type=ChallengeSettled'])
    t.deepEqual(await pages(query), settled, query)
  for (const query of [`q=${one?.event_id}&type=ChallengeSettled`, `stream=${one?.stream}&type=ChallengeSettled`])
    t.deepEqual(await pages(query), [one], query)
  t.true((await pages(`correlation_id=${one?.correlation_id}`)).some(({ event_id }) => event_id === one?.event_id))
  t.true((await pages(`transaction_id=${transaction}`)).some(({ type }) => type === 'TransactionCompleted'))
  t.deepEqual(await pages(`from=${all.at(-1)?.at}&to=${all[0]?.at}`), all)
  for (const query of ['to=2020-01-01', 'from=9999-12-31', 'q=no-such-thing', 'q=%25', 'before=0'])
    t.deepEqual(await pages(query), [], query)
})

test('an event is shown by its very line, with what is sealed in it still sealed', async (t) => {
  const [created] = await pages('type=AccountSignedUp')
  const { json } = await strictly(t, app)('GET', `/v1/audit/events/${created?.position}`, { key: keys.auditor })
  const event = (await logOf(app)).find(({ id }) => id === created?.event_id)
  const { data, metadata, order } = JSON.parse(json.line)
  t.deepEqual(data, event?.data)
  t.deepEqual([metadata.cause, order], [event?.cause, created?.position])
  t.regex(data.email, /^v1\./)
  t.false(json.line.includes(s.email))
})

test('a life goes from the challenge to what was delivered, and each step says what brought it about', async (t) => {
  await eventually('the delivery', async () =>
    (await get(`/transactions/${transaction}`)).steps.some(({ type }: Event) => type === 'DeliveryAccepted'),
  )
  const { json } = await strictly(t, app)('GET', `/v1/audit/transactions/${transaction}`, { key: keys.auditor })
  t.like(json, { transaction_id: transaction, status: 'completed', complete: true, test: false })
  const steps = json.steps as (Event & { because: number | null; own: boolean; phase: string })[]
  // What the chain says of the payment, and what the transaction shows of it, may be written before it or after it.
  const phases = [...new Set(steps.map(({ phase }) => phase))].filter((each) => !/^(chain|transaction)$/.test(each))
  t.deepEqual(phases.slice(0, 3), ['challenge', 'payment', 'settlement'])
  const because = (type: string) => steps[(steps.find((step) => step.type === type)?.because ?? 0) - 1]?.type
  t.is(because('TransactionCompleted'), 'ChallengeSettled')
  t.is(because('DeliveryAccepted'), 'DeliveryScheduled')
  // A block that was read meanwhile is nobody's.
  t.true(steps.every(({ own, phase }) => own || phase === 'chain'))
})

deepTest('the books are what the postings of the log come to, at every time, and a statement adds up', async (t) => {
  const strict = strictly(t, app)
  const { json: books } = await strict('GET', '/v1/audit/books', { key: keys.auditor })
  const sums = new Map<string, bigint>()
  for (const posting of (await logOf(app)).flatMap(postingsOf))
    if (posting.account.startsWith(`seller:${accountId}:`))
      sums.set(posting.account, (sums.get(posting.account) ?? 0n) + BigInt(posting.amount))
  type Row = { account: string; asset: string; amount: string; value: string }
  t.deepEqual(new Map(books.accounts.map((row: Row) => [row.account, BigInt(row.amount)])), sums)
  t.deepEqual((await get('/books?as_of=2020-01-01')).accounts, [])
  const { json: series } = await strict('GET', '/v1/audit/books/series?points=3', { key: keys.auditor })
  t.is(series.times.length, 3)
  for (const { account, asset, value } of books.accounts as Row[]) {
    t.is(series.series.find((line: Row) => line.account === account && line.asset === asset)?.values.at(-1), value)
    const path = `/v1/audit/books/statement?account=${account}&asset=${asset}&limit=500`
    const { json } = await strict('GET', path, { key: keys.auditor })
    t.deepEqual([json.opening, json.closing, json.lines.at(-1).balance, json.next], ['0', value, value, null])
  }
})

deepTest('an event is proved under the newest head, and every head goes on from the one before', async (t) => {
  const strict = strictly(t, app)
  const [{ position } = { position: '' }] = await pages('type=ChallengeSettled')
  const proof = await eventually('a seal', async () => {
    const { status, json } = await app.call('GET', `/v1/audit/proof?position=${position}`, { key: keys.auditor })
    return status === 200 && json
  })
  // Something has to happen for the log to be sealed again.
  await ok(app.call('POST', '/v1/resources', { key: stranger.key, body: { amount: 1 } }))
  await eventually('another seal', async () => (await get('/seals')).heads.length > 1)
  const { json: seals } = await strict('GET', '/v1/audit/seals?limit=500', { key: keys.auditor })
  t.is(seals.keys.length, 1)
  t.is(faultOf(proof, seals.keys[0].publicKey), undefined)
  t.is(proof.line, (await get(`/events/${position}`)).line)
  const conform = await strict('GET', `/v1/audit/proof?position=${position}`, { key: keys.auditor })
  t.is(faultOf(conform.json, seals.keys[0].publicKey), undefined)
  const heads = seals.heads as { size: number; root: string }[]
  for (const [n, older] of heads.slice(1).entries()) {
    const newer = heads[n] ?? older
    const { json } = await strict('GET', `/v1/audit/consistency?from=${older.size}&to=${newer.size}`, {
      key: keys.auditor,
    })
    const of = ({ size, root }: typeof older) => ({ size, root: fromBase64(root) ?? '' })
    t.true(isConsistent(of(older), of(newer), json.path.map(fromBase64)), `${older.size} ${newer.size}`)
  }
  const { json: page } = await strict('GET', `/v1/audit/seals?limit=1&before=${heads[0]?.size}`, { key: keys.auditor })
  t.is(page.heads[0].size, heads[1]?.size)
})

deepTest('the journal comes in four formats with every posting in it', async (t) => {
  for (const format of ['csv', 'hledger', 'beancount', 'jsonl']) {
    const { status, text, headers } = await app.call('GET', `/v1/audit/export?format=${format}`, { key: keys.auditor })
    t.is(status, 200)
    t.regex(headers.get('content-disposition') ?? '', /^attachment; filename="journal\.\w+"$/)
    t.is(text.match(/ChallengeSettled/g)?.length, format === 'csv' ? 4 : 2, format)
  }
  const early = await app.call('GET', '/v1/audit/export?format=csv&to=2020-01-01', { key: keys.auditor })
  t.is(early.text.trim().split('\n').length, 1)
})

deepTest(
  'a journal is tied to a head of the log, in its comments or beside it, and is held against the log',
  async (t) => {
    const dir = newDirectory(t)
    const verify = (file: string) =>
      inProcess(app.env, (books, out) => verifyExport(books, out, file, () => Buffer.alloc(32)))
    // A log that was never sealed has no head yet.
    await eventually('a seal', async () => (await get('/export/head?format=csv&from=2020-01-01')).head)
    for (const format of ['hledger', 'beancount', 'csv', 'jsonl']) {
      const [file, query] = [join(dir, format), `format=${format}&from=2020-01-01`]
      const { text } = await app.call('GET', `/v1/audit/export?${query}`, { key: keys.auditor })
      await writeFile(file, text)
      if (format === 'csv' || format === 'jsonl') {
        const head = await get(`/export/head?${query}`)
        t.like(head, { format: 'daybook-export/3', export: format, lines: text.split('\n').length - 1 })
        await writeFile(`${file}.head.json`, JSON.stringify(head))
      }
      const { answer, told } = await verify(file)
      t.true(answer, JSON.stringify(told))
      t.like(told, { export: format, holds: true })
      await writeFile(file, text.replace(/ChallengeSettled/, 'ChallengeSettles'))
      t.false((await verify(file)).answer)
    }
  },
)

test('what is another seller’s is not found, and what is not well said is refused', async (t) => {
  const theirs = (await get('/events?limit=1', stranger.key)).events[0].position
  const { accountId: other } = await ownerOf(app, stranger)
  const at = (path: string, refusal: typeof MISSING, key = keys.auditor) => ({
    method: 'GET',
    path: `/v1/audit${path}`,
    what: path,
    key,
    ...refusal,
  })
  await refused(t, app, [
    ...[`/events/${theirs}`, '/events/1', '/events/9223372036854775807'].map((path) => at(path, MISSING)),
    ...[`/proof?position=${theirs}`, '/proof?position=1'].map((path) => at(path, MISSING)),
    ...[`/transactions/${transaction}`, `/events/${(await pages(''))[0]?.position}`].map((path) =>
      at(path, MISSING, stranger.key),
    ),
    ...['/transactions/1', '/transactions/x', '/consistency?from=1&to=999999'].map((path) => at(path, MISSING)),
    at(`/books/statement?account=seller:${other}:credit&asset=USD`, MISSING),
    at('/books/statement?account=platform:fees&asset=USD', MISSING),
    ...['/events/x', '/events/9223372036854775808', '/events?limit=501', '/events?before=-1', '/events?from=soon'].map(
      (path) => at(path, INVALID),
    ),
    ...['/proof', '/proof?position=', '/consistency?from=0&to=1', '/consistency?from=2&to=1'].map((path) =>
      at(path, INVALID),
    ),
    ...['/books?as_of=x', '/books/series?points=61', '/books/series?from=2026-02-01&to=2026-01-01'].map((path) =>
      at(path, INVALID),
    ),
    ...['/books/statement?account=x', '/export', '/export?format=xls', '/seals?before=0'].map((path) =>
      at(path, INVALID),
    ),
  ])
})

test('only who may audit reads anything, and an auditor of some stores reads lives in them alone', async (t) => {
  const all = [
    '',
    '/events',
    '/events/1',
    '/books',
    '/books/series',
    '/seals',
    '/proof?position=1',
    '/export?format=csv',
  ]
  const no = (key: string, paths: readonly string[], refusal: typeof MISSING) =>
    paths.map((path) => ({ method: 'GET', path: `/v1/audit${path}`, what: path, key, ...refusal }))
  await refused(t, app, [
    ...no(keys.clerk, [...all, `/transactions/${transaction}`], FORBIDDEN),
    ...no(store.key, [...all, `/transactions/${store.transaction}`], FORBIDDEN),
    ...no(keys.ofStore, all.slice(1), FORBIDDEN),
    ...no(keys.ofStore, [`/transactions/${transaction}`], MISSING),
  ])
  t.is((await get('', keys.ofStore)).stores.length, 1)
  t.is((await get(`/transactions/${store.transaction}`, keys.ofStore)).status, 'completed')
})

test('the page says nothing of anybody, and lets nothing in from elsewhere', async (t) => {
  const { status, text, headers } = await app.call('GET', '/audit')
  t.is(status, 200)
  t.regex(headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';.*form-action 'none'/)
  t.is(headers.get('cache-control'), 'no-store')
  for (const [, path] of text.matchAll(/(?:src|href)="(\/assets[^"]+)"/g))
    t.is((await app.call('GET', path ?? '')).status, 200, path)
})
