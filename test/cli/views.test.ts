/** The books of a seller and of the platform through the command line, after two sales. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { daybook, type Place, startShop, stopService } from './daybook.ts'

type Row = { readonly account: string; readonly asset: string; readonly amount: string }
type Context = { place: Place; accountId: string }
const test = anyTest as TestFn<Context>

test.before(async (t) => {
  Object.assign(t.context, await startShop())
  await stopService(t.context.place.service())
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
}

const books = async ({ env }: Place, view: string, ...options: string[]): Promise<Shown> => {
  const { stdout, stderr, code } = await daybook(env, 'books', '--view', view, ...options, '--json')
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const rowsOf = ({ balances }: Shown, account: string): readonly string[] =>
  balances.filter((row) => row.account === account).map(({ amount }) => amount)

const isEarned = ({ account }: Row): boolean => /^(income|expenses):/.test(account)
