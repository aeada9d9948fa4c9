/** One request followed to its webhook: by its trace, by its events, and by what the metrics count. */
import anyTest, { type TestFn } from 'ava'
import { showCorrelated } from '../../src/commands/log/life.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { type CollectedSpan, startCollector } from '../support/collector.ts'
import { inProcess } from '../support/commands.ts'
import { postFor, sell, shop, verify } from '../support/sale.ts'
import { offerOf, ok } from '../support/seller.ts'

type Collector = Awaited<ReturnType<typeof startCollector>>
const test = anyTest as TestFn<{ app: TestApp; collector: Collector }>

const TOKEN = 'a-token-of-the-metrics'

test.before(async (t) => {
  const collector = await startCollector()
  const app = await startApp({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=ours%20alone',
      METRICS_TOKEN: TOKEN,
    },
  })
  Object.assign(t.context, { app, collector })
})
test.after.always(async (t) => {
  await t.context.app?.stop()
  await t.context.collector?.stop()
})

test.serial('N-143 N-144 one trace leads from a request through its events and policies to its webhook', async (t) => {
  const { app, collector } = t.context
  const seller = await shop(app)
  const offer = await offerOf(app, seller.key, seller.resId)
  const hash = await app.anvil.send(offer.payTo, BigInt(offer.amountAtomic))
  await app.anvil.mine(offer.requiredConfirmations)
  const [traceId, callersSpan] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  const body = { challengeId: offer.challengeId, hash }
  const headers = { traceparent: `00-${traceId}-${callersSpan}-01` }
  const answer = await ok(app.call('POST', '/v1/verify', { body, headers }))
  t.true(answer.json.settled)
  const correlationId = answer.headers.get('x-request-id') ?? ''
  t.is(correlationId, `${traceId}-${callersSpan}`)
  const post = await postFor(app, offer.challengeId)
  t.is(post.headers['x-correlation-id'], correlationId)

  const call = await eventually('the span of the webhook', async () =>
    collector.spans.find((span) => span.traceId === traceId && span.name === 'call of send-delivery'),
  )
  t.is(post.headers.traceparent, `00-${traceId}-${call.spanId}-01`)
  const chain = await eventually('its whole chain', async () => {
    const found = chainOf(collector.spans, call)
    return found.at(-1)?.parentSpanId === callersSpan && found
  })
  t.deepEqual(
    chain.map(({ name }) => name),
    [
      'call of send-delivery',
      'effect send-delivery',
      'append DeliveryScheduled',
      'policy notify-merchant',
      'append TransactionCompleted',
      'policy record-transaction',
      'append ChallengeSettled',
      'POST',
    ],
  )
  t.true(chain.every((span) => span.traceId === traceId && span.status.code !== 2))
  t.like(chain.at(-1)?.attributes, {
    'http.route': '/v1/verify',
    'http.response.status_code': 200,
    'daybook.correlation_id': correlationId,
  })
  t.is(call.attributes['http.response.status_code'], 200)
  t.is(call.resource['service.name'], 'daybook')
  t.is(collector.headers.at(-1)?.['x-tenant'], 'ours alone')
})

test.serial('N-144 daybook events of <id> shows what came of a request', async (t) => {
  const { app } = t.context
  const seller = await shop(app)
  const offer = await offerOf(app, seller.key, seller.resId)
  const hash = await app.anvil.send(offer.payTo, BigInt(offer.amountAtomic))
  await app.anvil.mine(offer.requiredConfirmations)
  const answer = await ok(app.call('POST', '/v1/verify', { body: { challengeId: offer.challengeId, hash } }))
  const correlationId = answer.headers.get('x-request-id') ?? ''
  t.is((await postFor(app, offer.challengeId)).headers['x-correlation-id'], correlationId)
  const types = () =>
    inProcess(app.env, (books, out) => showCorrelated(books, out, correlationId)).then(({ told }) =>
      (told as { steps: { type: string }[] }).steps.map(({ type }) => type),
    )
  await eventually('the end of the delivery', async () => (await types()).includes('DeliveryAccepted'))
  for (const type of ['ChallengeSettled', 'TransactionCompleted', 'DeliveryScheduled'])
    t.true((await types()).includes(type), type)
  await t.throwsAsync(
    inProcess(app.env, (books, out) => showCorrelated(books, out, 'req_nobody')),
    { message: /no event with the correlation id req_nobody/ },
  )
})
test.serial('N-143 N-144 a payment that the watch finds has a trace and a correlation id of its own', async (t) => {
  const { app, collector } = t.context
  const seller = await shop(app)
  const offer = await offerOf(app, seller.key, seller.resId)
  await app.anvil.send(offer.payTo, BigInt(offer.amountAtomic))
  await app.anvil.mine(offer.requiredConfirmations)
  const { headers } = await postFor(app, offer.challengeId)
  const call = await eventually('the span of the webhook', async () =>
    collector.spans.find((span) => headers.traceparent === `00-${span.traceId}-${span.spanId}-01`),
  )
  const first = await eventually('where it begins', async () => {
    const last = chainOf(collector.spans, call).at(-1)
    return last?.parentSpanId ? undefined : last
  })
  t.regex(first.name, /^append (TransfersSeen|BlocksScanned)$/)
  t.is(headers['x-correlation-id'], String(first.attributes['daybook.event_id']))
})

test.serial(
  'N-143 a request keeps the name that it has over that of its trace, and joins none that is not recorded',
  async (t) => {
    const { app } = t.context
    const traceparent = (flags: string) => `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`
    const named = async (headers: Record<string, string>) =>
      (await app.call('GET', '/healthz', { headers })).headers.get('x-request-id')
    t.is(await named({ traceparent: traceparent('01') }), '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331')
    t.is(await named({ traceparent: traceparent('01'), 'x-request-id': 'order-17' }), 'order-17')
    for (const odd of [traceparent('00'), 'broken', traceparent('01').replace(/[a-f]/g, 'X')])
      t.regex((await named({ traceparent: odd })) ?? '', /^req_/)
  },
)

test.serial(
  'N-140 the metrics of the business are counted by the log, and only who has the token reads them',
  async (t) => {
    const { app } = t.context
    const { metricsUrl } = app.served()
    for (const authorization of [undefined, 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`])
      t.is((await fetch(metricsUrl, { headers: authorization === undefined ? {} : { authorization } })).status, 401)
    const value = async (line: string) => {
      const answer = await fetch(metricsUrl, { headers: { authorization: `Bearer ${TOKEN}` } })
      const found = (await answer.text()).split('\n').find((each) => each.startsWith(`${line} `))
      return found === undefined ? undefined : Number(found.split(' ').at(-1))
    }
    const seller = await shop(app)
    const settled = 'daybook_settlements_total{rail="transfer",asset="eth",mode="live"}'
    const before = (await value(settled)) ?? 0
    const accepted = (await value('daybook_webhooks_total{result="accepted"}')) ?? 0
    const { offer } = await sell(app, seller)
    await postFor(app, offer.challengeId)
    await eventually('the count', async () => (await value(settled)) === before + 1)
    await eventually(
      'the webhook',
      async () => (await value('daybook_webhooks_total{result="accepted"}')) === accepted + 1,
    )
    t.true(((await value('daybook_block_to_settled_seconds_count{network="eth"}')) ?? 0) >= 1)
    t.true(((await value('daybook_challenges_opened_total{mode="live"}')) ?? 0) >= 1)
    t.true(((await value('daybook_fees_usd_total{reason="platform-fee"}')) ?? 0) > 0)
    t.is(await value('daybook_unmatched_payments_total{reason="unmatched"}'), 0)
    await verify(app, 'chl_nobody.eth', `0x${'0'.repeat(64)}`)
    t.true(((await value('daybook_refusals_total{code="challenge-not-found"}')) ?? 0) >= 1)
    await app.call('POST', '/sign-in', { body: 'email=nobody%40example.com&password=wrong', headers: FORM })
    t.is(await value('daybook_sign_ins_total{place="person",result="refused"}'), 1)
    t.is(await value('daybook_parts_fit{part="log"}'), 1)
    t.is(await value('daybook_ready'), 1)
    t.is(await value('daybook_seal_late'), 0)
    t.true(((await value('daybook_disk_free_bytes')) ?? 0) > 0)
    t.true(((await value('daybook_disk_size_bytes')) ?? 0) > ((await value('daybook_disk_free_bytes')) ?? 0))
    t.is(await value('daybook_follower_stuck_seconds{follower="bill-settlement"}'), 0)
  },
)

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A span and those above it, as far as they have come. */
const chainOf = (spans: readonly CollectedSpan[], from: CollectedSpan): readonly CollectedSpan[] => {
  const above = spans.find(({ spanId, traceId }) => spanId === from.parentSpanId && traceId === from.traceId)
  return above ? [from, ...chainOf(spans, above)] : [from]
}
