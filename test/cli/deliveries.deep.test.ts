/** Webhooks to merchants on the command line: what was sent, and sending it again. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import anyTest, { type TestFn } from 'ava'
import { eventually } from '../../src/demo/stage.ts'
import { consoleRecords } from '../support/console-records.ts'
import { postFor, type Shop, sell, shop, transactionsOf } from '../support/sale.ts'
import { SIMULATE, testSale } from '../support/sandbox.ts'
import { daybook, type Place, start, startPlace } from './daybook.ts'
import { list, resend, type Told } from './delivery-commands.ts'

type Context = { place: Place; seller: Shop; accountId: string; numbers: readonly string[] }
const test = anyTest as TestFn<Context>

const SALES = 3
/** The event id of a webhook that names a person, for the test that erases it. */
let named = ''

test.before(async (t) => {
  const place = await startPlace()
  t.context.place = place
  const seller = await shop(place.app)
  place.app.receiver.answer.status = 500
  for (let sale = 0; sale < SALES; sale++) {
    if (sale === SALES - 1) place.app.receiver.answer.status = 200
    const { offer } = await sell(place.app, seller)
    await postFor(place.app, offer.challengeId)
  }
  await sell(place.app, await shop(place.app, { webhook: false }))
  await eventually('five deliveries with an outcome', async () => {
    const rows = await list(place)
    return rows.length === SALES + 1 && rows.every(({ status }) => status !== 'pending')
  })
  const [newest] = await list(place, '--status', 'accepted')
  const numbers = (await transactionsOf(place.app, seller.key)).map(({ id }) => id ?? '').reverse()
  Object.assign(t.context, { seller, numbers, accountId: newest?.account_id })
})

test.after.always((t) => t.context.place?.stop())

test.serial('webhooks are listed, newest first, by whatever is given of them', async (t) => {
  const { place, accountId, numbers } = t.context
  const all = await list(place)
  t.is(all.map(({ status }) => status).join(), 'skipped,accepted,failed,failed')
  t.like(all[2], {
    account_id: accountId,
    transaction_id: numbers[1],
    kind: 'first',
    slot: 'account',
    http_status: 500,
  })
  const first = all.at(-1)
  const narrowed = await list(
    ...([
      place,
      '--status',
      'failed',
      '--account',
      accountId,
      '--slot',
      'account',
      '--url',
      'http://127.0.0.1',
    ] as const),
    '--to',
    first?.scheduled_at ?? '',
    '--transaction',
    numbers[0] ?? '',
  )
  t.deepEqual(narrowed, [first])
  for (const none of [
    ['--url', 'https://', '--limit', '1'],
    ['--to', '2026-01-01', '--slot', 'agent'],
  ])
    t.deepEqual(await list(place, ...none), [])
})

test.serial('a webhook shows the very bytes that were sent, what came back, and every attempt', async (t) => {
  const { place, numbers } = t.context
  const [row] = await list(place, '--transaction', numbers[0] ?? '')
  const { code, stdout } = await daybook(place.env, 'deliveries', 'show', row?.event_id ?? '', '--json')
  t.is(code, 0)
  const shown = JSON.parse(stdout)
  const post = place.app.receiver.posts[0]
  t.is(shown.sent.body, post?.body)
  t.is(shown.sent.body_sha256, sha256(post?.body ?? ''))
  t.is(shown.sent.body_is, 'same')
  for (const [name, value] of Object.entries(shown.sent.headers as Record<string, string>))
    t.is(value.replace(/v1=.*/, ''), (post?.headers[name.toLowerCase()] ?? '').replace(/v1=.*/, ''), name)
  t.like(shown.received, { status: 500, body: 'thanks' })
  t.is(shown.attempts.length, 1)
  t.false(stdout.includes(t.context.seller.secret))
  const text = await daybook(place.env, 'deliveries', 'show', row?.event_id ?? '')
  t.regex(
    text.stdout,
    /POST http.*\nContent-Type: application\/json\n.*\nX-Webhook-Event-Id: .*\nX-Webhook-Signature: t=\d+,/,
  )
  t.regex(text.stdout, /these are the very bytes/)
  t.is((await daybook(place.env, 'deliveries', 'show', 'f'.repeat(32))).code, 1)
})

test.serial('a dry run tells what would be sent and sends nothing; a run needs something to go by', async (t) => {
  const { place, numbers } = t.context
  const before = place.app.receiver.posts.length
  const { code, told } = await resend(place, '--status', 'failed')
  t.is(code, 0)
  t.true(told.dry_run)
  t.deepEqual(numbersOf(told), numbers.slice(0, 2))
  t.regex(told.run, /^resend-\d{4}-\d\d-\d\d-[0-9a-f]{8}$/)
  const skipped = await resend(place, '--status', 'skipped')
  t.deepEqual([skipped.told.payments, skipped.told.left_out[0]?.because], [[], 'no-url'])
  t.is((await daybook(place.env, 'deliveries', 'resend')).code, 2)
  t.is(place.app.receiver.posts.length, before)
})

test.serial(
  'a run sends webhooks of live payments alone, and those of test payments when they are asked for',
  async (t) => {
    const { place, numbers } = t.context
    const { answer } = place.app.receiver
    answer.status = 500
    const { challengeId } = await testSale(place.app, {}, { webhook: true })
    t.is((await place.app.call('POST', SIMULATE, { body: { challengeId } })).status, 200)
    const failed = await eventually('the webhook', async () => {
      const rows = (await list(place, '--status', 'failed')).filter(({ transaction_id: id }) => !numbers.includes(id))
      return rows.length === 1 && rows[0]
    })
    answer.status = 200
    t.deepEqual(numbersOf((await resend(place, '--status', 'failed')).told), numbers.slice(0, 2))
    t.deepEqual(numbersOf((await resend(place, '--status', 'failed', '--test')).told), [failed.transaction_id])
    t.is((await daybook(place.env, 'deliveries', 'resend', '--test')).code, 2, 'that alone is no choice')
    t.deepEqual(numbersOf((await resend(place, failed.event_id)).told), [failed.transaction_id], 'it was named itself')
    const sent = await resend(place, '--status', 'failed', '--test', '--yes')
    t.deepEqual([numbersOf(sent.told), statuses(sent.told)], [[failed.transaction_id], ['accepted']])
  },
)

test.serial(
  'beside a service the service sends, each payment once, and the same run again sends nothing',
  async (t) => {
    const { place, numbers } = t.context
    const { posts } = place.app.receiver
    const before = posts.length
    const { code, told } = await resend(place, '--status', 'failed', '--yes')
    t.is(code, 0)
    t.deepEqual(statuses(told), ['accepted', 'accepted'])
    t.deepEqual(posts.slice(before).map(numberOf), numbers.slice(0, 2))
    t.deepEqual(
      posts.slice(before).map(eventIdOf),
      told.payments.map(({ event_id }) => event_id),
    )
    const again = await resend(place, '--status', 'failed', '--yes')
    t.deepEqual([again.told.payments, because(again.told)], [[], ['sent-before', 'sent-before']])
    const other = await resend(place, '--status', 'failed', '--run', 'other')
    t.deepEqual([other.told.payments, because(other.told)], [[], ['accepted-since', 'accepted-since']])
    t.deepEqual(
      (await list(place, '--run', told.run)).map(({ kind }) => kind),
      ['resend', 'resend'],
    )
  },
)

test.serial('the life of a transaction is told from its challenge to its webhooks', async (t) => {
  const { place, numbers, seller } = t.context
  await consoleRecords(place.app).update(seller.key, numbers[0] ?? '', { to_name: 'Ada Lovelace', vat: '19' })
  await eventually('a life with its edit', async () => (await lifeOf(t.context)).steps.some(is('TransactionEdited')))
  const life = await lifeOf(t.context)
  t.like(life, { transactionId: numbers[0], status: 'completed', refunded: false })
  const types = life.steps.map(({ type }) => type)
  for (const type of [
    'ChallengeOpened',
    'ChallengeSettled',
    'CreditDebited',
    'TransactionCreated',
    'TransactionCompleted',
  ])
    t.is(types.filter((each) => each === type).length, 1, type)
  t.is(types.filter((type) => type === 'DeliveryScheduled').length, 2)
  const cause = (type: string) => life.steps[(life.steps.find(is(type))?.because ?? 0) - 1]?.type
  t.deepEqual(['CreditDebited', 'TransactionCompleted'].map(cause), ['ChallengeSettled', 'ChallengeSettled'])
  t.deepEqual(['DeliveryScheduled', 'DeliveryFailed'].map(cause), ['TransactionCompleted', 'DeliveryScheduled'])
  t.like(life.steps.find(is('TransactionEdited'))?.facts, { changed: 'to_name, vat' })
  t.false(JSON.stringify(life).includes('Lovelace') || JSON.stringify(life).includes('v1.acc_'))
  const { stdout } = await daybook(place.env, 'events', 'show', '--transaction', numbers[0] ?? '')
  t.regex(stdout, /completed\n\d+ events in .*\n\n +# +At +After +By +Event\n/)
  t.regex(stdout, /record-transaction +↳#\d+ TransactionCompleted {2}tx 0x/)
  const none = await daybook(place.env, 'events', 'show', '--transaction', '123')
  t.deepEqual([none.code, none.stderr], [1, 'there is no transaction 123\n'])
})

test.serial(
  'without a service the command itself sends, at the rate, and a person named in the body stays sealed',
  async (t) => {
    const { place, accountId, numbers } = t.context
    await place.service().stop()
    const { posts } = place.app.receiver
    const before = posts.length
    const all = ['--account', accountId, '--status', 'accepted', '--run', 'by-hand'] as const
    place.app.receiver.answer.status = 503
    const one = await resend(place, ...all, '--limit', '1', '--yes')
    t.deepEqual([one.code, statuses(one.told)], [1, ['failed']])
    place.app.receiver.answer.status = 200
    const rest = await resend(place, ...all, '--rate', '2', '--yes')
    t.deepEqual([rest.code, statuses(rest.told), because(rest.told)], [0, ['accepted', 'accepted'], ['sent-before']])
    const made = posts.slice(before)
    t.deepEqual(made.map(numberOf).sort(), [...numbers].sort())
    t.true((made[2]?.at ?? 0) - (made[1]?.at ?? 0) >= 250, 'two a second')
    const post = made.find((each) => numberOf(each) === numbers[0]) as Post
    named = eventIdOf(post)
    t.regex(post.body, /Ada Lovelace/)
    const shown = await daybook(place.env, 'deliveries', 'show', named, '--json')
    t.like(JSON.parse(shown.stdout).sent, { body: post.body, body_is: 'same' })
    t.false((await daybook(place.env, 'events', 'tail', '--from', '0')).stdout.includes(sha256(post.body)))
  },
)

test.serial('a run that was killed goes on where it was, and Ctrl-C stops one between two webhooks', async (t) => {
  const { place, accountId, numbers } = t.context
  const { posts, answer } = place.app.receiver
  const all = ['--account', accountId, '--run', 'killed', '--yes'] as const
  const before = posts.length
  // The third is never answered, and the process dies over it.
  const child = start(place.env, ['deliveries', 'resend', ...all, '--rate', '5'])
  await eventually('two webhooks', async () => posts.length === before + 2)
  answer.after = new Promise(() => {})
  await eventually('a third webhook', async () => posts.length === before + 3)
  child.kill('SIGKILL')
  await once(child, 'exit')
  answer.after = undefined
  const { told } = await resend(place, ...all)
  t.deepEqual([statuses(told), because(told)], [['accepted'], ['sent-before', 'sent-before']])
  const ids = posts.slice(before).map(eventIdOf)
  t.is(ids.length, numbers.length + 1)
  t.is(new Set(ids).size, numbers.length, 'the one whose answer nobody heard bears the same event_id')

  const slow = ['--account', accountId, '--run', 'stopped', '--yes'] as const
  const stopped = start(place.env, ['deliveries', 'resend', ...slow, '--rate', '1', '--json'])
  let printed = ''
  stopped.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const at = posts.length
  await eventually('a webhook', async () => posts.length === at + 1)
  stopped.kill('SIGINT')
  t.is((await once(stopped, 'close'))[0], 1)
  t.is(JSON.parse(printed).not_begun, numbers.length - 1)
  const rest = await resend(place, ...slow, '--rate', '100')
  t.deepEqual([statuses(rest.told), because(rest.told)], [['accepted', 'accepted'], ['sent-before']])
  t.is(posts.length, at + numbers.length)
})

test.serial('what was erased since is not what was sent, and is told so', async (t) => {
  const { place, accountId } = t.context
  t.is((await daybook(place.env, 'erase', accountId, '--yes')).code, 0)
  const { stdout } = await daybook(place.env, 'deliveries', 'show', named, '--json')
  const { sent } = JSON.parse(stdout)
  t.regex(sent.body, /\(erased\)/)
  t.is(sent.body_is, 'erased')
})

type Post = Place['app']['receiver']['posts'][number]
type Life = { steps: { type: string; because: number | null; facts: Record<string, string> }[] }

const lifeOf = async ({ place, numbers }: Context): Promise<Life> =>
  JSON.parse((await daybook(place.env, 'events', 'show', '--transaction', numbers[0] ?? '', '--json')).stdout)

const is =
  (wanted: string) =>
  ({ type }: { type: string }) =>
    type === wanted
const numbersOf = ({ payments }: Told) => payments.map(({ transaction_id }) => transaction_id)
const statuses = ({ payments }: Told) => payments.map(({ status }) => status)
const because = ({ left_out }: Told) => left_out.map((each) => each.because)
const eventIdOf = ({ headers }: Post): string => headers['x-webhook-event-id'] ?? ''
const numberOf = ({ body }: Post): string => JSON.parse(body).transaction.id
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
