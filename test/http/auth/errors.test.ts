import test from 'ava'
import type { RefusalCode } from '../../../domain/kernel/refusal.ts'
import { surfaces } from '../../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { strictly } from '../strict.ts'

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test('X-ERR-01 every refusal has a status from 400 on and a stable code on each of the three surfaces', (t) => {
  const tables = surfaces().map(({ name, wire }) => [name, Object.entries(wire)] as const)
  t.deepEqual(tables.map(([name]) => name).sort(), ['agent', 'auth', 'pay'])
  for (const [name, entries] of tables) {
    t.true(entries.length > 25)
    for (const [refusal, [status, code]] of entries) {
      t.true(Number.isInteger(status) && status >= 400 && status < 600, `${name} ${refusal}`)
      t.regex(code, /^[a-z0-9]+([_-][a-z0-9]+)+$/, `${name} ${refusal}`)
    }
  }
})

test('X-ERR-01 what is nobody’s fault is never told as the caller’s, and a fault of the caller never as ours', (t) => {
  const ours: readonly RefusalCode[] = ['internal', 'unavailable', 'stream-cut', 'event-unreadable', 'no-free-amount']
  for (const { name, wire } of surfaces())
    for (const [refusal, [status]] of Object.entries(wire))
      t.is(status >= 500, ours.includes(refusal as RefusalCode), `${name} ${refusal}`)
})

test('X-ERR-01 an error has the shape of its surface', (t) => {
  const shapes = Object.fromEntries(surfaces().map(({ name, failure }) => [name, failure('the_code', 'Prose.')]))
  t.deepEqual(shapes, {
    agent: { success: false, error: 'the_code', error_code: 'the_code', message: 'Prose.' },
    pay: { success: false, error_code: 'the_code', message: 'Prose.' },
    auth: { error: 'the_code', error_description: 'Prose.' },
  })
})

test('X-ERR-01 unknown paths of the sign-in service are refused in its words', async (t) => {
  const call = strictly(t, app)
  for (const path of ['/oauth2/nope', '/.well-known/nope', '/oauth2/../oauth2/x'])
    for (const method of ['GET', 'POST', 'DELETE']) {
      const body = method === 'POST' ? { body: 'a=1', headers: FORM } : {}
      const { status, json } = await call(method, path, body)
      t.deepEqual([status, Object.keys(json), json.error], [404, ['error', 'error_description'], 'unknown_op'], path)
    }
})

test('X-ERR-01 unknown paths of the JSON API are refused in its words, and what only looks like sign-in is one of them', async (t) => {
  const call = strictly(t, app)
  for (const path of ['/nope', '/v1', '/v1/nope', '/v2/signup', '/oauth2x', '/r', '/v1/../nope', '/v1/signup/x'])
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const { status, json } = await call(method, path, method === 'GET' ? {} : { body: {} })
      t.deepEqual([status, json.error_code, json.success], [404, 'svc_not_found', false], `${method} ${path}`)
    }
})
