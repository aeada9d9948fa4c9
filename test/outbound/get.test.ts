import test, { type ExecutionContext } from 'ava'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
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

const receiving = async (t: ExecutionContext, body: string, status = 200) => {
  const receiver = await startReceiver((_, response) =>
    response.writeHead(status, { location: '/elsewhere' }).end(body),
  )
  t.teardown(receiver.stop)
  const outbound = createOutbound({ allow: parseAllowList(`127.0.0.1:${receiver.port}`), userAgent: 'Daybook-Test/1' })
  t.teardown(outbound.close)
  return { outbound, receiver, url: `http://127.0.0.1:${receiver.port}` }
}
