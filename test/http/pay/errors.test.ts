import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { signUp } from '../../support/seller.ts'
import { type Refused, refused, strictly } from '../strict.ts'

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const UNKNOWN = { status: 404, code: 'svc_unknown_function' }
const INVALID = { status: 400, code: 'svc_invalid_request' }
const TRANSACTION = 'function=get-transaction&transaction_id=1'

test('X-ERR-01 the console refuses with success, error_code and message, whatever is wrong', async (t) => {
  const { key } = await signUp(app)
  const call = (what: string, body: string, refusal: { status: number; code: string }): Refused => ({
    what,
    path: '/api.php',
    body,
    key,
    headers: FORM,
    ...refusal,
  })
  await refused(t, app, [
    call('no function', 'transaction_id=1', UNKNOWN),
    call('nothing', '', UNKNOWN),
    call('an unknown function', 'function=nope', UNKNOWN),
    call('a function of JavaScript', 'function=constructor', UNKNOWN),
    call('two functions', 'function=get-transaction&function=get-transaction', INVALID),
    call('a field twice', `${TRANSACTION}&transaction_id=1`, INVALID),
    call('a field missing', 'function=get-transaction', INVALID),
    call('a NUL', 'function=get-transaction&transaction_id=%00', INVALID),
    call('no UTF-8', 'function=get-transaction&transaction_id=%ff', INVALID),
    call('an unknown transaction', TRANSACTION, { status: 404, code: 'svc_not_found' }),
    call('a transaction that is no number', `${TRANSACTION}abc'`, { status: 404, code: 'svc_not_found' }),
    call('too much', `${TRANSACTION}&x=${'x'.repeat(300_000)}`, { status: 413, code: 'svc_body_too_large' }),
    { ...call('JSON', '{"function":"get-transaction"}', INVALID), headers: { 'content-type': 'application/json' } },
  ])
})

test('J-AUTH-01 the console takes the key in the header or the form, and the header counts', async (t) => {
  const { key } = await signUp(app)
  const missing = { status: 401, code: 'api-key-not-found' }
  const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
  const target = { path: '/api.php', headers: FORM }
  const notFound = { status: 404, code: 'svc_not_found' }
  await refused(t, app, [
    { what: 'no key', ...target, body: TRANSACTION, ...missing },
    { what: 'a key in the query', ...target, path: `/api.php?api-key=${key}`, body: TRANSACTION, ...missing },
    { what: 'a wrong key', ...target, body: `${TRANSACTION}&api-key=${wrong}`, status: 401, code: 'invalid-api-key' },
    { what: 'a good key in the form', ...target, body: `${TRANSACTION}&api-key=${key}`, ...notFound },
    { what: 'a good one below a bad', ...target, key: 'bad', body: `${TRANSACTION}&api-key=${key}`, ...missing },
  ])
})

test('X-ERR-01 other pages that end in .php, and other methods, are refused in the words of the console', async (t) => {
  const call = strictly(t, app)
  for (const path of ['/nope.php', '/pay/x.php'])
    for (const method of ['GET', 'POST']) {
      const { status, json } = await call(method, path, method === 'POST' ? { body: 'a=1', headers: FORM } : {})
      t.deepEqual([status, json.error_code], [404, 'svc_unknown_function'], `${method} ${path}`)
    }
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    const { status, headers, json } = await call(method, '/api.php')
    // A GET is answered there with `?cron` alone.
    const allow = method === 'GET' ? 'POST' : 'POST, HEAD, GET'
    t.deepEqual([status, headers.get('allow'), json.error_code], [405, allow, 'svc_method_not_allowed'], method)
  }
})
