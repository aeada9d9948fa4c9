/** Transactions, journal and chain held against each other on the command line, with the service and without it. */
import anyTest, { type TestFn } from 'ava'
import { consoleOk } from '../support/console.ts'
import { sell, shop, transactionOf } from '../support/sale.ts'
import { daybook, type Env, type OpenPlace, openShop } from './daybook.ts'

type Context = { place: OpenPlace; accountId: string }
const test = anyTest as TestFn<Context>

test.before(async (t) => {
  Object.assign(t.context, await openShop())
})

test.after.always((t) => t.context.place?.stop())

test.serial('N-80 two sales agree beside the running service, line by line and in the sums', async (t) => {
  const { place, accountId } = t.context
  const { code, stdout, stderr } = await daybook(place.env, 'reconcile')
  t.deepEqual([code, stderr], [0, ''])
  t.regex(stdout, /^Time +Kind +Status +Asset +Transactions +Journal +Chain +Transaction/)
  t.is(stdout.match(/ payment +agrees +eth /g)?.length, 2)
  t.regex(stdout, /\nAsset +Status +Lines +Transactions +Journal +Chain\neth +agrees +2 +(0\.08\d*) +\1 +\1\n/)
  t.true(stdout.endsWith('\nAll agree: 2 lines.\n'))
  const quiet = await daybook(place.env, 'reconcile', '--differences', '--account', `seller:${accountId}`)
  t.regex(quiet.stdout, /^Asset +Status/)
  t.is(quiet.code, 0)
})

test.serial('N-80 no chain is asked where none is wanted, and a period has what falls into it', async (t) => {
  const { place, accountId } = t.context
  const apart = await told(place, '--no-chain', '--account', accountId)
  t.deepEqual([apart.code, apart.lines.map(({ status }) => status)], [0, ['chain not asked', 'chain not asked']])
  t.like(apart.summary, { allAgree: true, lines: 2, unasked: 2 })
  const read = await daybook(place.env, 'reconcile', '--no-chain', '--account', accountId)
  t.true(read.stdout.endsWith('\nAll agree; no chain was asked: 2 lines.\n'))
  t.like(await told(place, '--to', '2020-01-01'), { code: 0, lines: [], summary: { allAgree: true, lines: 0 } })
  t.is((await told(place, '--from', '2020-01-01', '--by', 'mined')).lines.length, 2)
})

test.serial(
  'N-80 what was edited by hand ends the command with 1, and is the only line of the differences',
  async (t) => {
    const { place, accountId } = t.context
    const other = await shop(place.app)
    const { offer, hash } = await sell(place.app, other)
    const { id = '' } = await transactionOf(place.app, other.key, offer.challengeId, 'C')
    const values = JSON.stringify({ hash: '0xhand' })
    await consoleOk(place.app as never, other.key, 'update-transaction', { transaction_id: id, values })
    const { code, lines, summary } = await told(place, '--differences')
    t.is(code, 1)
    t.is(lines.length, 1)
    t.like(lines[0], { status: 'edited by hand', transactionId: id, hash, edited: ['hash'] })
    t.like(summary, { allAgree: false, lines: 3, differences: 1, byHand: 1 })
    const { stdout } = await daybook(place.env, 'reconcile', '--differences')
    t.regex(stdout, /edited by hand \(transactions\)/)
    t.true(
      stdout.endsWith(
        'NOT ALL AGREE: of 3 lines 1 differs.\n1 line with something that was written or matched by hand.\n',
      ),
    )
    const apart = await daybook(place.env, 'reconcile', '--differences', '--no-chain')
    t.regex(apart.stdout, /NOT ALL AGREE: of 3 lines 1 differs\.\n/)
    t.is((await told(place, '--account', accountId)).code, 0)
  },
)

test.serial('N-80 a chain that does not answer is said, and is no agreement', async (t) => {
  const { place, accountId } = t.context
  const env = { ...place.env, CHAIN_ETH_RPC: 'http://127.0.0.1:1' }
  const { code, lines, summary } = await told({ ...place, env }, '--account', accountId)
  t.deepEqual([code, lines.map(({ status }) => status)], [1, ['chain does not answer', 'chain does not answer']])
  t.like(summary, { allAgree: false, unanswered: 2, differences: 0 })
})

test.serial('N-80 nothing of nobody, and options that do not go together, are refused by name', async (t) => {
  const { place } = t.context
  const refused = async (code: number, message: RegExp, env: Env, ...args: string[]) => {
    const ended = await daybook(env, 'reconcile', ...args)
    t.is(ended.code, code, args.join(' '))
    t.regex(ended.stderr, message)
  }
  const { env } = place
  await refused(1, /nothing was ever booked or sold for acc_nobody/, env, '--account', 'acc_nobody')
  await refused(2, /It is not an account id/, env, '--account', 'usr_nobody')
  await refused(2, /--to is before --from/, env, '--from', '2026-02-01', '--to', '2026-01-01')
  await refused(2, /Allowed choices are settled, mined/, env, '--by', 'paid')
  const { CHAIN_ETH_RPC: _, CHAIN_ETH_ID: __, ...chainless } = env
  await refused(2, /no chain is connected: set CHAIN_<NAME>_RPC/, chainless)
})

test.serial('N-80 the service need not run, and a sale that its chain has lost is named', async (t) => {
  const { place, accountId } = t.context
  await place.service().stop()
  t.is((await told(place, '--account', accountId)).code, 0)
  await place.app.anvil.reorg(20)
  const { code, lines } = await told(place, '--account', accountId)
  t.is(code, 1)
  // The first block stays, and with it the first sale.
  t.deepEqual(
    lines.map(({ status, amounts }) => [status, amounts.chain?.amount]),
    [
      ['agrees', lines[0]?.amounts.journal?.amount],
      ['not on the chain', undefined],
    ],
  )
  t.truthy(lines[1]?.amounts.journal)
})

type Line = {
  readonly status: string
  readonly transactionId: string | null
  readonly hash: string | null
  readonly edited: readonly string[]
  readonly amounts: Readonly<Record<string, { readonly amount: string } | null>>
}

/** What the command tells programs: a line of JSON for each line, and the sums last. */
const told = async ({ env }: { readonly env: Env }, ...options: string[]) => {
  const { code, stdout, stderr } = await daybook(env, 'reconcile', ...options, '--json')
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  if (!all.at(-1)?.summary) throw new Error(stdout + stderr)
  return { code, lines: all.slice(0, -1) as Line[], summary: all.at(-1).summary }
}
