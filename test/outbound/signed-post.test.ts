import { createHmac } from 'node:crypto'
import { createServer } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { createOutbound, type OutboundSettings } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import { startReceiver } from './receiver.ts'
import { certificate } from './self-signed.ts'

const AT = new Date('2026-03-01T12:00:00.999Z')

test('W-SIG-01 X-SIGN-01 the signature is the HMAC-SHA256 of the second, a dot and the raw body as received', async (t) => {
  const { outbound, receiver, url } = await receiving(t, (_, response) => response.end('ok'))
  const body = JSON.stringify({ amount: '12.50', title: 'Grüße 🎉 \u2028' })
  const signature = outbound.sign('whsec_ü', AT, body)
  const result = await outbound.post(`${url}/hook?a=1#part`, body, { 'X-Webhook-Signature': signature })
  t.like(result, { status: 200, reason: undefined, bodyHead: 'ok' })
  t.true(Number.isInteger(result.durationMs) && result.durationMs >= 0)

  const [seen] = receiver.received
  t.is(seen?.url, '/hook?a=1')
  const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(seen?.headers['x-webhook-signature'])) ?? []
  t.is(seconds, '1772366400')
  t.is(
    mac,
    createHmac('sha256', 'whsec_ü')
      .update(`${seconds}.`)
      .update(seen?.body ?? '')
      .digest('hex'),
  )
})

test('W-DEL-03 a call carries its content type, the fixed product identifier and the headers given', async (t) => {
  const { outbound, receiver, url } = await receiving(t, (_, response) => response.end())
  await outbound.post(url, '{}', { 'X-Webhook-Event-Id': 'ab'.repeat(16), 'User-Agent': 'other' })
  await outbound.post(url, 'payload=x', { 'Content-Type': 'application/x-www-form-urlencoded' })
  t.like(receiver.received[0]?.headers, {
    'content-type': 'application/json',
    'user-agent': 'Daybook-Test/1',
    'x-webhook-event-id': 'ab'.repeat(16),
    'x-webhook-signature': undefined,
  })
  t.is(receiver.received[1]?.headers['content-type'], 'application/x-www-form-urlencoded')
})

test('calls one after the other keep their connection', async (t) => {
  const { outbound, receiver, url } = await receiving(t, (_, response) => response.end('ok'))
  for (let n = 0; n < 10; n += 1) t.is((await outbound.post(url, '{}', {})).status, 200)
  // One that was idle for a second is not used again; ten would mean that none is.
  t.true(receiver.connections() < 10)
})

for (const [what, answer, head] of [
  ['of 2000 characters is kept to 1000', 'x'.repeat(2000), 'x'.repeat(1000)],
  ['is cut by characters, not bytes', 'ü€'.repeat(1000), 'ü€'.repeat(500)],
  ['cut inside a surrogate pair stays well-formed', `${'x'.repeat(999)}🎉🎉`, `${'x'.repeat(999)}\uFFFD`],
  ['keeps a pair that ends at the limit', `${'x'.repeat(998)}🎉🎉`, `${'x'.repeat(998)}🎉`],
  ['with NUL characters can be stored', 'a\0b\0', 'a\uFFFDb\uFFFD'],
  ['that is not UTF-8 can be stored', Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82]), 'a\uFFFD\uFFFD(\uFFFD'],
  ['may be empty', '', ''],
  ['of 20 MB is not read to its end', 'y'.repeat(20_000_000), 'y'.repeat(1000)],
] as const) {
  test(`W-LOG-01 an answer ${what}`, async (t) => {
    const { outbound, url } = await receiving(t, (_, response) => response.writeHead(500).end(answer))
    t.like(await outbound.post(url, '{}', {}), { status: 500, reason: undefined, bodyHead: head })
  })
}

test('W-LOG-01 a character that arrives in two pieces is read as one', async (t) => {
  const { outbound, url } = await receiving(t, (_, response) => {
    response.write(Buffer.from([0x61, 0xe2, 0x82]))
    setTimeout(() => response.end(Buffer.from([0xac])), 50)
  })
  t.is((await outbound.post(url, '{}', {})).bodyHead, 'a€')
})

test('W-LOG-01 an answer that breaks off keeps its status and its start', async (t) => {
  const { outbound, url } = await receiving(t, (_, response) => {
    response.writeHead(201, { 'content-length': '100' })
    response.write('half', () => setTimeout(() => response.destroy(), 50))
  })
  t.like(await outbound.post(url, '{}', {}), { status: 201, reason: undefined, bodyHead: 'half' })
})

test('X-SSRF-01 a redirect is an answer and is not followed', async (t) => {
  const { outbound, receiver, url } = await receiving(t, (seen, response) => {
    response.writeHead(302, { location: seen.url === '/' ? '/elsewhere' : '/' }).end('moved')
  })
  t.like(await outbound.post(`${url}/`, '{}', {}), { status: 302, reason: undefined, bodyHead: 'moved' })
  t.is(receiver.received.length, 1)
})

test('X-SSRF-01 a URL that breaks the rules is not called, also when it was saved before', async (t) => {
  const { outbound, receiver } = await receiving(t, (_, response) => response.end())
  for (const url of [`http://127.0.0.1:${receiver.port + 1}/`, `https://localhost:${receiver.port}/`, 'nonsense', '']) {
    t.like(await outbound.post(url, '{}', {}), { status: undefined, reason: 'url-refused', bodyHead: '' }, url)
    t.truthy(outbound.refusal(url))
  }
  t.is(receiver.connections(), 0)
})

test('a refused connection is told as such', async (t) => {
  const gone = await startReceiver(() => {})
  gone.stop()
  const outbound = open(t, { allow: parseAllowList(`127.0.0.1:${gone.port}`) })
  const url = `http://127.0.0.1:${gone.port}/`
  t.like(await outbound.post(url, '{}', {}), { status: undefined, reason: 'connection-failed', bodyHead: '' })
})

test('a server that hangs up or speaks no HTTP is told as a failed connection', async (t) => {
  for (const reply of ['', 'SSH-2.0-OpenSSH_9.6\r\n']) {
    const server = createServer((socket) => socket.on('error', () => {}).end(reply))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const { port } = server.address() as { port: number }
    const outbound = open(t, { allow: parseAllowList(`127.0.0.1:${port}`) })
    t.like(await outbound.post(`http://127.0.0.1:${port}/`, '{}', {}), { reason: 'connection-failed' })
  }
})

test('a certificate that nobody vouches for is told as failed TLS, and nothing is sent', async (t) => {
  const receiver = await startReceiver((_, response) => response.end(), { secure: true })
  t.teardown(receiver.stop)
  const allow = parseAllowList(`localhost:${receiver.port},127.0.0.1:${receiver.port}`)
  const lookup = async () => ['127.0.0.1']
  const stranger = open(t, { allow, lookup })
  t.like(await stranger.post(`https://localhost:${receiver.port}/`, '{}', {}), { reason: 'tls-failed' })

  const acquainted = open(t, { allow, lookup, tls: { ca: certificate } })
  t.like(await acquainted.post(`https://127.0.0.1:${receiver.port}/`, '{}', {}), { reason: 'tls-failed' })
  t.is(receiver.received.length, 0)
  t.like(await acquainted.post(`https://localhost:${receiver.port}/`, '{}', {}), { status: 200 })
})

test('https to a server that speaks no TLS is told as failed TLS', async (t) => {
  const { outbound, receiver } = await receiving(t, (_, response) => response.end())
  t.like(await outbound.post(`https://127.0.0.1:${receiver.port}/`, '{}', {}), { reason: 'tls-failed' })
})

test('post never rejects, whatever the headers', async (t) => {
  const { outbound, receiver, url } = await receiving(t, (_, response) => response.end())
  for (const headers of [{ 'X-Split': 'a\r\nb: c' }, { 'bad name': 'x' }, { 'content-length': '99' }]) {
    t.like(await outbound.post(url, '{}', headers), { status: undefined, reason: 'connection-failed' })
  }
  t.is(receiver.received.length, 0)
})

test('an allow-listed IPv6 address is called', async (t) => {
  const receiver = await startReceiver((_, response) => response.end('six'), { host: '::1' })
  t.teardown(receiver.stop)
  const outbound = open(t, { allow: parseAllowList(`[::1]:${receiver.port}`) })
  t.like(await outbound.post(`http://[::1]:${receiver.port}/`, '{}', {}), { status: 200, bodyHead: 'six' })
})

test('a hundred calls to one origin share 32 connections at most, and all are answered', async (t) => {
  const { outbound, receiver, url } = await receiving(t, (_, response) => setTimeout(() => response.end('ok'), 20))
  const results = await Promise.all(Array.from({ length: 100 }, () => outbound.post(url, '{}', {})))
  t.true(results.every((result) => result.status === 200))
  t.true(receiver.connections() <= 32)
})

test('the origin used longest ago makes room, and its calls in flight are still answered', async (t) => {
  const { outbound, url } = await receiving(t, (_, response) => setTimeout(() => response.end('slow'), 500))
  const slow = outbound.post(url, '{}', {})
  const crowd = Array.from({ length: 300 }, (_, n) => outbound.post(`https://shop-${n}.example.com/`, '{}', {}))
  const results = await Promise.all(crowd)
  t.true(results.every((result) => result.reason === 'name-not-resolved'))
  t.is((await slow).bodyHead, 'slow')
})

test('after close the calls in flight are answered and new ones fail', async (t) => {
  const { outbound, url } = await receiving(t, (_, response) => setTimeout(() => response.end('late'), 100))
  const late = outbound.post(url, '{}', {})
  await outbound.close()
  t.is((await late).bodyHead, 'late')
  t.like(await outbound.post(url, '{}', {}), { status: undefined, reason: 'connection-failed' })
})

const open = (t: ExecutionContext, settings: Omit<OutboundSettings, 'userAgent'>) => {
  const outbound = createOutbound({ userAgent: 'Daybook-Test/1', ...settings })
  t.teardown(outbound.close)
  return outbound
}

const receiving = async (t: ExecutionContext, answer: Parameters<typeof startReceiver>[0]) => {
  const receiver = await startReceiver(answer)
  t.teardown(receiver.stop)
  const lookup = async () => []
  const outbound = open(t, { allow: parseAllowList(`127.0.0.1:${receiver.port}`), lookup })
  return { outbound, receiver, url: `http://127.0.0.1:${receiver.port}` }
}
