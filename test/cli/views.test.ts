/** The books of a seller and of the platform through the command line, after two sales. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { daybook, type OpenPlace, openShop } from './daybook.ts'

type Row = { readonly account: string; readonly asset: string; readonly amount: string }
type Context = { place: OpenPlace; accountId: string }
const test = anyTest as TestFn<Context>

test.before(async (t) => {
  Object.assign(t.context, await openShop())
  await t.context.place.service().stop()
})

test.after.always((t) => t.context.place?.stop())

test.serial('what the seller has at the platform the platform owes, and each sale has its fee', async (t) => {
  const { place, accountId: account } = t.context
  const [own, platform] = [await books(place, `seller:${account}`), await books(place, 'platform')]
  t.true(own.balanced && platform.balanced)
  const [credit] = rowsOf(own, 'assets:credit')
  t.deepEqual(rowsOf(platform, `liabilities:credit:${account}`), [`-${credit}`])
  t.deepEqual(rowsOf(own, 'income:grants'), ['-5'])
  const [fees] = rowsOf(own, 'expenses:fees')
  t.is(Number(credit), 5 - Number(fees))
  t.deepEqual(rowsOf(platform, 'income:fees'), [`-${fees}`])
  t.deepEqual(
    rowsOf(own, 'assets:receipts').map((amount) => `-${amount}`),
    rowsOf(own, 'income:sales'),
  )
  const { stdout } = await daybook(place.env, 'books', '--view', `seller:${account}`)
  t.regex(stdout, /^The books of seller:acc_\w+\. As of position \d+ \(\d balances\)\n\nAccount/)
  t.true(stdout.endsWith('Every asset sums to zero.\n'))
})

test.serial('a period opens with what was there, and what was earned before is retained', async (t) => {
  const { place, accountId: account } = t.context
  const view = `seller:${account}`
  const later = await books(place, view, '--from', '2999-01-01', '--to', '2999-02-01')
  t.true(later.isLater && later.balanced)
  t.deepEqual(rowsOf(later, 'income:sales'), [])
  t.deepEqual(later.opening, later.balances)
  t.deepEqual(
    rowsOf(later, 'equity:retained-earnings').length,
    new Set((await books(place, view)).balances.filter(isEarned).map(({ asset }) => asset)).size,
  )
  const all = await books(place, view, '--from', '2000-01-01')
  t.deepEqual([all.opening, all.balances], [[], (await books(place, view)).balances])
})

test.serial('an export of somebody’s books is tied to the log, and a changed line is found', async (t) => {
  const { place, accountId: account } = t.context
  t.is((await daybook(place.env, 'audit', 'seal')).code, 0)
  const file = join(place.dir, 'seller.journal')
  const wish = ['export', 'hledger', '--view', `seller:${account}`, '--from', '2000-01-01']
  const { stdout, code } = await daybook(place.env, ...wish)
  t.is(code, 0)
  t.regex(stdout, /^; Daybook's journal, .* the books are those of seller:acc_\w+\.\n/)
  await writeFile(file, stdout)
  t.like(await daybook(place.env, 'audit', 'verify-export', file), { code: 0 })
  await writeFile(file, stdout.replace('income:sales', 'income:other'))
  t.like(await daybook(place.env, 'audit', 'verify-export', file), { code: 1 })
})

test.serial('I-SUM-01 a posting says whose it is, what it was worth, and who said so, in every format', async (t) => {
  const { place, accountId: account } = t.context
  const written = async (format: string) =>
    (await daybook(place.env, 'export', format, '--view', `seller:${account}`)).stdout
  const head = (await written('csv')).split('\n')[0] ?? ''
  t.true(head.endsWith(',payer,order,document,counterparty,value_usd,value,value_currency,rate_source'), head)
  const [sale] = (await written('jsonl'))
    .split('\n')
    .filter((line) => line.includes('"kind":"sale"'))
    .map((line) => JSON.parse(line))
  t.regex(sale.document, /^res_\w+\.ch_\w+\.eth$/)
  t.like(sale, { rate_source: 'fixed', counterparty: sale.payer })
  t.like(sale.postings[0], { account: 'assets:receipts', value_usd: '100', value: '100', value_currency: 'USD' })
  t.regex(
    await written('hledger'),
    /rate_source:fixed\n {4}assets:receipts {2}\S+ "eth" {2}; value_usd:100, value:100, value_currency:USD\n/,
  )
  t.regex(await written('beancount'), / ETH\n {4}value_usd: "100"\n {4}value: "100"\n {4}value_currency: "USD"\n/)
  const fees = (await written('hledger')).match(/kind:fee, document:platform-fee\.ch_\S+\.eth, counterparty:platform/g)
  t.is(fees?.length, 2)
})

test.serial('books that a former release wrote, without what was added since, are of this log', async (t) => {
  const { place, accountId: account } = t.context
  const file = join(place.dir, 'former.csv')
  t.is((await daybook(place.env, 'export', 'csv', '--view', `seller:${account}`, '--out', file)).code, 0)
  const text = (await readFile(file, 'utf8')).replace(/(,[^,\n]*){7}$/gm, '')
  const head = JSON.parse(await readFile(`${file}.head.json`, 'utf8'))
  const sha256 = createHash('sha256').update(text).digest('hex')
  await writeFile(file, text)
  for (const [format, code] of [
    ['daybook-export/2', 0],
    ['daybook-export/3', 1],
  ] as const) {
    await writeFile(`${file}.head.json`, JSON.stringify({ ...head, format, sha256 }))
    t.like(await daybook(place.env, 'audit', 'verify-export', file), { code }, format)
  }
})

test.serial('--zone makes days and times those of a zone, also when an export is made again', async (t) => {
  const { place, accountId: account } = t.context
  const view = ['--view', `seller:${account}`, '--zone', 'Pacific/Kiritimati']
  const { rows } = await timesIn(place, ['export', 'csv', ...view])
  for (const time of rows) t.regex(time, /\+14:00$/)
  const utc = (await timesIn(place, ['export', 'csv', ...view.slice(0, 2)])).rows
  t.deepEqual(
    rows.map((time) => new Date(time).toISOString()),
    utc,
  )
  for (const format of ['hledger', 'beancount'] as const) {
    const file = join(place.dir, `zoned.${format}`)
    t.is((await daybook(place.env, 'export', format, ...view, '--out', file)).code, 0)
    const text = await readFile(file, 'utf8')
    t.true(text.includes('; Days and times are those of Pacific/Kiritimati.\n'))
    t.true(text.includes(`\n${rows[0]?.slice(0, 10)} `), 'a day of that zone')
    t.true(text.includes(String(rows[0])), 'and its time')
    t.like(await daybook(place.env, 'audit', 'verify-export', file), { code: 0 })
    await writeFile(file, text.replace('"zone":"Pacific/Kiritimati"', '"zone":"Europe/Berlin"'))
    t.like(await daybook(place.env, 'audit', 'verify-export', file), { code: 1 })
  }
  const file = join(place.dir, 'zoned.csv')
  t.is((await daybook(place.env, 'export', 'csv', ...view, '--out', file)).code, 0)
  t.like(await daybook(place.env, 'audit', 'verify-export', file), { code: 0 })
  const period = await books(
    place,
    `seller:${account}`,
    '--from',
    '2026-03-29',
    '--to',
    '2026-10-25T12:00Z',
    '--zone',
    'Europe/Berlin',
  )
  t.like(period, {
    from: '2026-03-29T00:00:00.000+01:00',
    asOf: '2026-10-25T13:00:00.000+01:00',
    zone: 'Europe/Berlin',
  })
  const lines = await daybook(place.env, 'books', 'statement', `seller:${account}:wallet`, '--zone', 'Asia/Kolkata')
  t.is(lines.stdout.match(/\+05:30 {2}ChallengeSettled/g)?.length, 2)
})

test.serial('what is still to come is said to be, with a view and without, by a time and by a place', async (t) => {
  const { place, accountId: account } = t.context
  const said = /which is still to come: this is what is known now/
  for (const asOf of ['2999-01-01', '9000000000000'])
    for (const view of [[], ['--view', `seller:${account}`]]) {
      t.regex((await daybook(place.env, 'books', ...view, '--as-of', asOf)).stdout, said)
      t.true(JSON.parse((await daybook(place.env, 'books', ...view, '--as-of', asOf, '--json')).stdout).isLater)
    }
  for (const asOf of ['2026-01-01', '1']) t.notRegex((await daybook(place.env, 'books', '--as-of', asOf)).stdout, said)
})

test.serial('books of nobody, and options that do not go together, are refused by name', async (t) => {
  const { place } = t.context
  const refused = async (code: number, message: RegExp, ...args: string[]) => {
    const ended = await daybook(place.env, ...args)
    t.is(ended.code, code, args.join(' '))
    t.regex(ended.stderr, message)
  }
  await refused(1, /nothing was ever booked for seller:acc_nobody/, 'books', '--view', 'seller:acc_nobody')
  await refused(1, /nothing was ever booked for user:usr_nobody/, 'export', 'csv', '--view', 'user:usr_nobody')
  await refused(2, /It is none of platform, seller:acc_…/, 'books', '--view', 'acc_nobody')
  for (const zone of ['Mars/Olympus', '+01:00'])
    await refused(2, /It is no time zone of IANA, such as Europe\/Berlin/, 'books', '--zone', zone)
  await refused(2, /--from, --to and --by need --view/, 'books', '--from', '2026-01-01')
  await refused(
    2,
    /--as-of is one moment/,
    'books',
    '--view',
    'platform',
    '--as-of',
    '2026-01-01',
    '--to',
    '2026-01-01',
  )
  await refused(2, /--to is before --from/, 'books', '--view', 'platform', '--from', '2026-02-01', '--to', '2026-01-01')
})

type Shown = {
  readonly balances: readonly Row[]
  readonly opening?: readonly Row[]
  readonly balanced: boolean
  readonly isLater: boolean
  readonly from: string | null
  readonly asOf: string | null
  readonly zone: string
}

const books = async ({ env }: OpenPlace, view: string, ...options: string[]): Promise<Shown> => {
  const { stdout, stderr, code } = await daybook(env, 'books', '--view', view, ...options, '--json')
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const timesIn = async ({ env }: OpenPlace, args: readonly string[]) => {
  const [head = '', ...lines] = (await daybook(env, ...args)).stdout.trim().split('\n')
  const at = head.split(',').indexOf('time')
  return { rows: lines.map((line) => line.split(',')[at] ?? '') }
}

const rowsOf = ({ balances }: Shown, account: string): readonly string[] =>
  balances.filter((row) => row.account === account).map(({ amount }) => amount)

const isEarned = ({ account }: Row): boolean => /^(income|expenses):/.test(account)
