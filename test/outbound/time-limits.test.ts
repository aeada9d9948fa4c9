import { spawn } from 'node:child_process'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import { startReceiver } from './receiver.ts'

// Timers never fire early by more than a rounding; how late they fire depends on the machine.
const EARLY_MS = 50
const LATE_MS = 1_500

// Each of these waits for a limit of the product itself; ava runs them side by side.

test('a name server that never answers ends at 5 seconds', async (t) => {
  const outbound = createOutbound({ allow: parseAllowList(''), lookup: () => new Promise(() => {}), userAgent: 'x' })
  t.teardown(outbound.close)
  const result = await outbound.post('https://hooks.example.com/', '{}', {})
  t.like(result, { status: undefined, reason: 'connect-timeout', bodyHead: '' })
  took(t, result.durationMs, 5_000)
})

test('W-LIM-01 L-MER-01 a machine that never accepts the connection ends at 5 seconds', async (t) => {
  const port = await deafPort(t)
  const outbound = createOutbound({ allow: parseAllowList(`127.0.0.1:${port}`), userAgent: 'x' })
  t.teardown(outbound.close)
  const result = await outbound.post(`http://127.0.0.1:${port}/`, '{}', {})
  t.like(result, { status: undefined, reason: 'connect-timeout', bodyHead: '' })
  took(t, result.durationMs, 5_000)
})

test('a TLS handshake that is never answered ends at 5 seconds', async (t) => {
  const silent = createServer((socket) => socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  const outbound = createOutbound({ allow: parseAllowList(`127.0.0.1:${port}`), userAgent: 'x' })
  t.teardown(outbound.close)
  const result = await outbound.post(`https://127.0.0.1:${port}/`, '{}', {})
  t.like(result, { status: undefined, reason: 'connect-timeout', bodyHead: '' })
  took(t, result.durationMs, 5_000)
})

test('W-LIM-01 L-MER-01 an answer that does not come ends at 7 seconds', async (t) => {
  const { post } = await merchant(t, () => {})
  const result = await post()
  t.like(result, { status: undefined, reason: 'total-timeout', bodyHead: '' })
  took(t, result.durationMs, 7_000)
})

test('W-LOG-01 a body that drips ends at 7 seconds with its status and what came', async (t) => {
  const { post } = await merchant(t, (_, response) => {
    response.writeHead(202)
    const drip = setInterval(() => response.write('.'), 100)
    response.on('close', () => clearInterval(drip))
  })
  const result = await post()
  t.like(result, { status: 202, reason: undefined })
  t.regex(result.bodyHead, /^\.{20,80}$/)
  took(t, result.durationMs, 7_000)
})

test('headers that drip end at 7 seconds', async (t) => {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {}).write('HTTP/1.1 200 OK\r\n')
    const drip = setInterval(() => socket.write('X-A: b\r\n'), 100)
    socket.on('close', () => clearInterval(drip))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const outbound = createOutbound({ allow: parseAllowList(`127.0.0.1:${port}`), userAgent: 'x' })
  t.teardown(outbound.close)
  const result = await outbound.post(`http://127.0.0.1:${port}/`, '{}', {})
  t.like(result, { status: undefined, reason: 'total-timeout' })
  took(t, result.durationMs, 7_000)
})

test('a call that waits for a free connection ends at 7 seconds and is not sent later', async (t) => {
  const { post, receiver } = await merchant(t, () => {})
  const calls = Array.from({ length: 40 }, () => post())
  allAtOnce(performance.now() + 7_050)
  const results = await Promise.all(calls)
  for (const result of results) {
    t.is(result.reason, 'total-timeout')
    took(t, result.durationMs, 7_000)
  }
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.is(receiver.received.length, 32)
})

/**
 * Keeps the process busy over the moment when the calls end: else the first ones end a millisecond before the last
 * ones, which may then still be sent on their connections, and rightly so.
 */
const allAtOnce = (until: number) =>
  setTimeout(() => {
    while (performance.now() < until);
  }, 6_600)

const took = (t: ExecutionContext, ms: number, limit: number) =>
  t.true(ms >= limit - EARLY_MS && ms <= limit + LATE_MS, `${ms} ms against a limit of ${limit} ms`)

const merchant = async (t: ExecutionContext, answer: Parameters<typeof startReceiver>[0]) => {
  const receiver = await startReceiver(answer)
  t.teardown(receiver.stop)
  const outbound = createOutbound({ allow: parseAllowList(`127.0.0.1:${receiver.port}`), userAgent: 'x' })
  t.teardown(outbound.close)
  return { receiver, post: () => outbound.post(`http://127.0.0.1:${receiver.port}/`, '{}', {}) }
}

/** A port whose queue of connections is full and whose owner never accepts one. */
const deafPort = async (t: ExecutionContext): Promise<number> => {
  const owner = spawn(process.execPath, ['-e', DEAF])
  t.teardown(() => owner.kill('SIGKILL'))
  const port = await new Promise<number>((resolve) => owner.stdout.once('data', (line) => resolve(Number(line))))
  const crowd: Socket[] = []
  t.teardown(() => {
    for (const socket of crowd) socket.destroy()
  })
  // The queue is full once a connection is not taken at once.
  for (let n = 0; n < QUEUE_TRIES_MAX; n += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    crowd.push(socket)
    const taken = await Promise.race([
      new Promise((resolve) => socket.once('connect', () => resolve(true))),
      new Promise((resolve) => setTimeout(() => resolve(false), 300)),
    ])
    if (!taken) return port
  }
  throw new Error('the queue of connections did not fill up')
}

const QUEUE_TRIES_MAX = 20
const DEAF = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`
