import test, { type ExecutionContext } from 'ava'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import { startOwnTime } from '../support/own-time.ts'
import { startReceiver } from './receiver.ts'

test('a GET names the product, sends no body and keeps the answer up to its bound', async (t) => {
  const { outbound, receiver, url } = await receiving(t, '{"price":1}')
  t.deepEqual(await outbound.get(`${url}/p?a=1`), { status: 200, reason: undefined, body: '{"price":1}' })
  const [seen] = receiver.received
  t.is(seen?.url, '/p?a=1')
  t.is(seen?.body.length, 0)
  t.like(seen?.headers, { 'user-agent': 'Daybook-Test/1', accept: 'application/json', 'content-length': undefined })
})

test('X-SSRF-01 a GET obeys the rules of every call: no private host, no redirect, no endless answer', async (t) => {
  const { outbound, receiver, url } = await receiving(t, 'y'.repeat(5_000_000), 302)
  const answer = await outbound.get(url)
  t.is(answer.status, 302)
  t.is(answer.body.length, 65_536)
  for (const bad of ['http://127.0.0.1:1/', 'https://localhost/', 'https://169.254.169.254/', 'nonsense', ''])
    t.deepEqual(await outbound.get(bad), { status: undefined, reason: 'url-refused', body: '' }, bad)
  t.is(receiver.received.length, 1)
})

test('a GET tells for how long its answer may be kept', async (t) => {
  const kept: readonly (readonly [string, number | undefined])[] = [
    ['max-age=300', 300],
    ['public, max-age="60"', 60],
    ['Max-Age=5, immutable', 5],
    ['no-store', 0],
    ['max-age=300, no-cache', 0],
    ['s-maxage=9', undefined],
    ['max-age=-1', undefined],
  ]
  for (const [control, maxAgeS] of kept) {
    const { outbound, url } = await receiving(t, '{}', 200, { 'cache-control': control })
    t.is((await outbound.get(url)).maxAgeS, maxAgeS, control)
    t.false('maxAgeS' in (await outbound.post(url, '{}', {})), 'a delivery keeps what it kept before')
  }
})

test('a GET waits no longer than it was told to', async (t) => {
  const receiver = await startReceiver(() => {})
  t.teardown(receiver.stop)
  const outbound = createOutbound({ allow: parseAllowList(`127.0.0.1:${receiver.port}`), userAgent: 'Daybook-Test/1' })
  t.teardown(outbound.close)
  const ownTime = startOwnTime()
  const { status, reason } = await outbound.get(`http://127.0.0.1:${receiver.port}`, 9, 150)
  t.deepEqual([status, reason], [undefined, 'total-timeout'])
  t.true(ownTime() < 3_000)
})

const receiving = async (t: ExecutionContext, body: string, status = 200, headers: Record<string, string> = {}) => {
  const receiver = await startReceiver((_, response) =>
    response.writeHead(status, { location: '/elsewhere', ...headers }).end(body),
  )
  t.teardown(receiver.stop)
  const outbound = createOutbound({ allow: parseAllowList(`127.0.0.1:${receiver.port}`), userAgent: 'Daybook-Test/1' })
  t.teardown(outbound.close)
  return { outbound, receiver, url: `http://127.0.0.1:${receiver.port}` }
}
