/** A service as a process of its own: one id leads through all that it tells, from a request to its webhook. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import anyTest, { type ExecutionContext } from 'ava'
import { createClient } from '../../src/demo/client.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startAnvil } from '../support/anvil.ts'
import { openStage, type TestApp } from '../support/app.ts'
import { startCollector } from '../support/collector.ts'
import { CLI, ELSEWHERE, runProgram } from '../support/program.ts'
import { postFor, shop } from '../support/sale.ts'
import { offerOf, ok } from '../support/seller.ts'

type Line = Readonly<Record<string, unknown>>

anyTest('N-144 one id leads from the log line of a request through events and trace to its webhook', async (t) => {
  t.timeout(180_000)
  const { app, env, lines, collector } = await openService(t)
  const seller = await shop(app)
  const offer = await offerOf(app, seller.key, seller.resId)
  const hash = await app.anvil.send(offer.payTo, BigInt(offer.amountAtomic))
  await app.anvil.mine(offer.requiredConfirmations)
  const id = 'order-17.pay'
  const body = { challengeId: offer.challengeId, hash }
  const answer = await ok(app.call('POST', '/v1/verify', { body, headers: { 'x-request-id': id } }))
  t.is(answer.headers.get('x-request-id'), id)
  const post = await postFor(app, offer.challengeId)
  t.is(post.headers['x-correlation-id'], id)
  const [request, webhook] = await eventually('the lines of the log', async () => {
    const found = [
      lines.find(({ msg, requestId }) => msg === 'request' && requestId === id),
      lines.find(({ msg, correlationId }) => msg === 'webhook' && correlationId === id),
    ]
    return found.every((line) => line !== undefined) && found
  })
  t.like(request, { method: 'POST', route: '/v1/verify', status: 200 })
  t.like(webhook, { effect: 'send-delivery', status: 200 })
  const spans = await eventually('the trace', async () => {
    const call = collector.spans.find(({ name }) => name === 'call of send-delivery')
    const all = collector.spans.filter(({ traceId }) => traceId === call?.traceId)
    return all.some(({ kind }) => kind === 2) && all
  })
  t.is(post.headers.traceparent?.split('-')[1], spans[0]?.traceId)
  const { stdout } = await runProgram(env, 'events', 'of', id)
  for (const type of ['ChallengeSettled', 'DeliveryScheduled', 'DeliveryAccepted']) t.regex(stdout, new RegExp(type))
  t.log(JSON.stringify(request), JSON.stringify(webhook), JSON.stringify(post.headers), stdout)
  t.log(spans.map(({ name, spanId, parentSpanId }) => `${spanId} ${parentSpanId ?? '-'} ${name}`).join('\n'))
})

/** A service that tells its log and its traces. */
const openService = async (t: ExecutionContext) => {
  const [stage, anvil, collector] = await Promise.all([
    openStage({ store: 'embedded' }),
    startAnvil(),
    startCollector(),
  ])
  t.teardown(() => Promise.all([stage.stop(), anvil.stop(), collector.stop()]))
  const env = {
    ...stage.env,
    CHAIN_ETH_RPC: anvil.url,
    CHAIN_ETH_ID: String(anvil.chainId),
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  }
  const lines: Line[] = []
  const child = spawn(process.execPath, [CLI, 'serve'], {
    cwd: ELSEWHERE,
    env: { ...env, PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  t.teardown(
    () =>
      new Promise<void>((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  )
  const origin = `http://localhost:${env.PORT}`
  await eventually(
    'the service',
    () =>
      fetch(`${origin}/readyz`).then(
        ({ ok: isReady }) => isReady,
        () => false,
      ),
    60_000,
  )
  const app = { ...stage, env, anvil, call: createClient(() => origin).call } as unknown as TestApp
  return { app, env, lines, collector }
}
