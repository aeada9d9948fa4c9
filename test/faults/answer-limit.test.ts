import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import Koa from 'koa'
import { pino } from 'pino'
import { failures } from '../../adapters/http/serving/failures.ts'
import { surfaces } from '../../src/runtime/openapi.ts'
import { gate } from '../support/ledger.ts'

const LIMIT_MS = 100

test('a call that gets no answer in time is told so with 503, and what it began is left alone', async (t) => {
  const [surface] = surfaces()
  if (!surface) return t.fail('there is no surface')
  const { opened, open } = gate()
  const ended = Promise.withResolvers<void>()
  const koa = new Koa()
  koa.use(failures(pino({ level: 'silent' }), () => surface, LIMIT_MS))
  koa.use(async (ctx) => {
    await opened
    ctx.body = { late: true }
    ended.resolve()
  })
  const server = createServer(koa.callback()).listen(0)
  t.teardown(() => server.close())
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  t.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1'])
  t.is(((await answer.json()) as { error_code: string }).error_code, 'svc_unavailable')
  open()
  await ended.promise
})
