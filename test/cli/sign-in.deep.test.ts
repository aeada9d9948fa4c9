/** People and apps by the command line: beside the running service, and once it is stopped. */
import anyTest, { type TestFn } from 'ava'
import { eventually } from '../../src/demo/stage.ts'
import { payIntent } from '../support/balances.ts'
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts'
import { openOperator } from '../support/operator.ts'
import { daybook, type Place, startPlace } from './daybook.ts'

type Context = { place: Place; dns: Awaited<ReturnType<typeof startDnsServer>>; zone: Map<string, DnsAnswer> }
const test = anyTest as TestFn<Context>

test.before(async (t) => {
  const dns = await startDnsServer()
  Object.assign(t.context, { dns, zone: dns.zone, place: await startPlace({ DNS_SERVERS: dns.address }) })
})

test.after.always(async (t) => {
  await Promise.all([t.context.place?.stop(), t.context.dns?.stop()])
})

/** What a command says as JSON; it must end with 0. */
const told = async ({ place: { env } }: Context, ...args: string[]) => {
  const { code, stdout, stderr } = await daybook(env, ...args, '--json')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

let shop = ''
let ada = ''
let receiptId = ''

test.serial('apps and users are made beside the running service, and their secrets are told once', async (t) => {
  const [app, open, user] = await Promise.all([
    told(
      t.context,
      'apps',
      'create',
      '--name',
      'Shop',
      '--confidential',
      '--backchannel',
      t.context.place.app.receiver.url,
      '--redirect',
      'https://login.shop.example/cb',
      'https://other.example/cb',
    ),
    told(t.context, 'apps', 'create', '--name', 'Tool', '--redirect', 'http://127.0.0.1:5000/cb'),
    told(t.context, 'users', 'create', '--email', 'ada@people.test', '--password', 'correct horse', '--verified'),
  ])
  t.deepEqual(Object.keys(app), ['client_id', 'client_secret', 'credit_push_key', 'webhook_secret'])
  t.regex(app.client_secret, /^cs_[0-9a-f]{64}$/)
  t.deepEqual(Object.keys(open), ['client_id'])
  t.regex(user.sub, /^usr_/)
  shop = app.client_id
  ada = user.sub
  const [all, people, shown] = await Promise.all([
    told(t.context, 'apps', 'list'),
    told(t.context, 'users', 'list'),
    daybook(t.context.place.env, 'apps', 'show', shop),
  ])
  t.deepEqual(all.map(({ client_id }: { client_id: string }) => client_id).sort(), [shop, open.client_id].sort())
  t.deepEqual(people, [{ sub: ada, status: 'verified', email: 'ada@people.test' }])
  for (const secret of [app.client_secret, app.credit_push_key, app.webhook_secret])
    t.false(`${shown.stdout}${JSON.stringify(all)}`.includes(secret))
})

test.serial('A-CLI-03 an app in development has a secret, and is alive on one’s own machine at once', async (t) => {
  const uri = 'http://localhost:3000/cb'
  const create = ['apps', 'create', '--name', 'Mine', '--confidential', '--redirect', uri] as const
  t.not((await daybook(t.context.place.env, ...create)).code, 0)
  const { client_id: id, client_secret: secret } = await told(t.context, ...create, '--development')
  t.regex(secret, /^cs_/)
  t.like(await told(t.context, 'apps', 'show', id), { development: true, redirect_uris: [{ uri, live: true }] })
  t.is((await told(t.context, 'apps', 'disable', id, '--yes')).disabled, id)
})

test.serial(
  'A-CLI-02 redirect URIs come alive when the TXT record of their domain, or of a parent, is found',
  async (t) => {
    const [{ record }] = await told(t.context, 'apps', 'domains', shop, 'add', 'shop.example')
    t.is(record.name, '_svc-signin.shop.example')
    const alive = async () => (await told(t.context, 'apps', 'show', shop)).redirect_uris
    const early = await daybook(t.context.place.env, 'apps', 'domains', shop, 'verify', 'shop.example')
    t.is(early.code, 1)
    t.context.zone.set(record.name, ['v=spf1 -all', record.value])
    const [verified] = await told(t.context, 'apps', 'domains', shop, 'verify', 'shop.example')
    t.is(verified.status, 'verified')
    t.deepEqual(await alive(), [
      { uri: 'https://login.shop.example/cb', live: true },
      { uri: 'https://other.example/cb', live: false },
    ])
  },
)

test.serial('a grant is named, so that giving it again gives nothing more, and other terms are refused', async (t) => {
  const give = (usd: string) => told(t.context, 'users', 'credit', '--sub', ada, '--usd', usd, '--id', 'first')
  const grant = await give('12.50')
  t.regex(grant.ledger_ref, /^oidcgrant-[a-z2-7]{20}$/)
  t.deepEqual(await give('12.50'), { ...grant, duplicate: true })
  await t.throwsAsync(give('13'), { message: /idempotency/ })
  const tail = await daybook(t.context.place.env, 'events', 'tail', '--type', 'CreditGrantSent', '--json')
  const events = tail.stdout.trim().split('\n')
  t.is(events.length, 1)
  t.like(JSON.parse(events[0] ?? ''), {
    data: { total: '12500000', legs: [{ to: `user:${ada}`, amount: '12500000' }] },
  })
})

test.serial('A-RCP-06 I-RCP-01 a receipt whose sending was killed goes out after it, as the same one', async (t) => {
  const { place } = t.context
  const { receiver } = place.app
  const receipts = () => receiver.posts.map(({ body }) => new URLSearchParams(body).get('payload'))
  receiver.answer.after = new Promise(() => {})
  const op = await openOperator({ ...place, served: () => ({ origin: place.service().url }) as never })
  const { intentId } = await payIntent(op.flow, { sub: ada, clientId: shop, amount: 4_800_000n })
  await eventually('the first attempt', () => receipts().length === 1)
  await op.stop()
  const { child, gone } = place.service()
  child.kill('SIGKILL')
  await gone
  receiver.answer.after = undefined
  await place.startAgain()
  const sent = await eventually('it was accepted', async () => {
    const [first] = await told(t.context, 'notifications', 'list', '--client', shop, '--status', 'accepted')
    return first
  })
  t.like(JSON.parse(receipts()[0] ?? ''), { event_id: sent.event_id, intent_id: intentId, amount: 4.8 })
  t.deepEqual(receipts(), [receipts()[0], receipts()[0]])
  receiptId = sent.event_id
})

test.serial(
  'A-RCP-06 the log of deliveries tells every attempt, and what it holds is replayed only when that is meant',
  async (t) => {
    const { place } = t.context
    const sent = () => place.app.receiver.posts.length
    const before = sent()
    const shown = await told(t.context, 'notifications', 'show', receiptId)
    t.like(shown, { client_id: shop, kind: 'receipt', status: 'accepted', attempts: 1, next_at: null })
    t.like(shown.log[0], { attempt: 1, url: place.app.receiver.url, status: 200, reason: null, body: 'thanks' })
    const dry = await told(t.context, 'notifications', 'replay', '--client', shop, '--from', '2026-01-01')
    t.deepEqual(dry, { replayed: false, event_ids: [receiptId] })
    t.is(sent(), before)
    const failed = await told(t.context, 'notifications', 'replay', '--client', shop, '--status', 'failed', '--yes')
    t.deepEqual(failed.event_ids, [])
    t.true((await told(t.context, 'notifications', 'replay', receiptId, '--yes')).replayed)
    await eventually('it comes again', () => sent() === before + 1)
  },
)

test.serial('everything can be changed without a service, and what was made then is listed at once', async (t) => {
  await t.context.place.service().stop()
  const rotated = await told(t.context, 'apps', 'rotate', shop, '--credit-push-key')
  t.regex(rotated.credit_push_key, /^cpk_/)
  t.true(Date.parse(rotated.previous_until) > Date.now() + 9 * 60_000)
  const unsigned = await told(t.context, 'apps', 'rotate', shop, '--no-webhook-secret')
  t.is(unsigned.webhook_secret, null)
  const uris = await told(
    t.context,
    'apps',
    'redirects',
    shop,
    '--set',
    'https://shop.example/cb',
    '--post-logout',
    'https://shop.example/bye',
  )
  t.deepEqual(uris.redirect_uris, ['https://shop.example/cb'])
  const { client_id: late } = await told(
    t.context,
    'apps',
    'create',
    '--name',
    'Late',
    '--redirect',
    'https://a.example',
  )
  t.true((await told(t.context, 'apps', 'list')).some(({ client_id }: { client_id: string }) => client_id === late))
  t.is((await told(t.context, 'apps', 'backchannel', shop, '--none')).backchannel, null)
  t.is((await told(t.context, 'apps', 'disable', late, '--yes')).disabled, late)
})
