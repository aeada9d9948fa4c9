import test, { type ExecutionContext } from 'ava'
import { eventStoreDb } from '../../../adapters/store/client/eventstoredb.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { type CuttingServer, cuttingServer } from '../../store/cutting-server.ts'
import { all } from '../../store/events.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { sell, shop } from '../../support/sale.ts'
import { freshEmail, signUp } from '../../support/seller.ts'

/** The product on a server whose operator cuts and deletes streams under it. */

const started = async (t: ExecutionContext) => {
  const server = await cuttingServer(t)
  const app = await startApp({ env: { EVENTSTORE_URL: server.url } })
  t.teardown(() => app.stop())
  return { server, app }
}

/** The streams that hold an event of a type, in the order of the log. */
const streamsWith = async ({ url }: CuttingServer, type: string): Promise<readonly string[]> => {
  const store = eventStoreDb(url)
  try {
    return (await all(store.readAll(-1n))).filter((event) => event.type === type).map(({ stream }) => stream)
  } finally {
    await store.close()
  }
}

const named = async (app: TestApp) => {
  const { status, json } = await app.call('GET', '/readyz')
  return { status, streams: json.checks.streams }
}

const refused = { success: false, error: 'svc_stream_cut', error_code: 'svc_stream_cut' }

test('streams that were deleted while the service was down are not begun again, and are named: no second account', async (t) => {
  const { server, app } = await started(t)
  const { email } = await signUp(app)
  const [emailStream = ''] = await streamsWith(server, 'EmailRequested')
  const seller = await shop(app)
  await sell(app, seller)
  const [transfer = '', ...others] = await streamsWith(server, 'TransferClaimed')
  t.deepEqual(others, [])
  await app.restart(async () => {
    await server.softDelete(emailStream)
    await server.softDelete(transfer)
  })

  const again = await app.call('POST', '/v1/signup', { body: { email, password: 'correct horse' } })
  t.is(again.status, 503)
  t.like(again.json, refused)
  t.false(again.text.includes(emailStream))
  t.is((await streamsWith(server, 'EmailRequested')).filter((stream) => stream === emailStream).length, 1)

  const cut = [emailStream, transfer].sort().map((stream) => ({ stream, reason: 'deleted' }))
  t.deepEqual(await named(app), { status: 200, streams: { status: 'cut', count: 2, cut } })
  const metrics = await (await fetch(app.served().metricsUrl)).text()
  t.true(metrics.includes(`daybook_stream_cut{stream="${transfer}",reason="deleted"} 1`))
  t.true(metrics.includes('daybook_appends_stopped 0'))
  await signUp(app)

  // What the first start has found the second one knows, though it looks no further back than that.
  await app.restart()
  t.deepEqual((await named(app)).streams, { status: 'cut', count: 2, cut })
  t.is((await app.call('POST', '/v1/signup', { body: { email, password: 'correct horse' } })).status, 503)
})

test('a stream that is cut while the service runs is blocked at once, and what lands elsewhere ends all writing', async (t) => {
  const { server, app } = await started(t)
  const email = freshEmail()
  await signUp(app, email)
  const [stream = ''] = await streamsWith(server, 'EmailRequested')
  await server.setMetadata(stream, { $maxCount: 1_000 })
  await eventually('the news', async () => (await named(app)).streams.count === 1)
  t.is((await app.call('POST', '/v1/signup', { body: { email, password: 'correct horse' } })).status, 503)
  await server.setMetadata(stream, {})
  await eventually('the healing', async () => (await named(app)).streams.count === 0)
  t.is((await app.call('POST', '/v1/signup', { body: { email, password: 'another horse' } })).status, 200)

  server.lieOnce()
  const lied = await app.call('POST', '/v1/signup', { body: { email: freshEmail(), password: 'correct horse' } })
  t.is(lied.status, 503)
  t.is((await app.call('POST', '/v1/signup', { body: { email: freshEmail(), password: 'correct horse' } })).status, 503)
  t.is((await app.call('GET', '/readyz')).status, 503)
})
