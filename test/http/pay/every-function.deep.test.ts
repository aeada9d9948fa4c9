import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import type { Surface } from '../../../adapters/http/core/surface.ts'
import type { Answer } from '../../../src/demo/client.ts'
import { surfaces } from '../../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleCall } from '../../support/console.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { signUp } from '../../support/seller.ts'
import { conforms, refused, strictly } from '../strict.ts'
import {
  CLOUD_API,
  called,
  declared,
  FUNCTIONS,
  fieldsOf,
  form,
  goodFields,
  keyed,
  namesOf,
  openScene,
  PAYMENT_API,
  type Scene,
  shops,
  wrong,
} from './functions.ts'
import { ANSWER_MS, badFor, FORM, nameless, refusesBytes, VALUES, wroteNothing } from './garbage.ts'

/**
 * What holds for every function of the merchant console, read from where they are declared: a new one is under it from
 * its first day.
 */

/** Calls that one key has at once; each test below takes fewer, but for the one that is about it. */
const BURST = 600
const PAGES = ['/api.php', '/payment/api.php', '/cloud/api.php']

let app: TestApp
let scene: Scene
test.before(async () => {
  app = await startApp({ env: { KEY_RATE_PER_SECOND: '5', KEY_RATE_BURST: String(BURST) } })
  scene = await openScene(app)
})
test.after.always(() => app?.stop())

const MISSING = { status: 401, code: 'api-key-not-found' }
const WRONG = { status: 401, code: 'invalid-api-key' }
const UNKNOWN = { status: 404, code: 'svc_unknown_function' }

test('M-GEN-02 M-GEN-03 M-GEN-04 M-GEN-05 N-61 the main API has all 28 functions, the payment and cloud APIs theirs', async (t) => {
  t.is(FUNCTIONS.length, 29)
  const at = (page: string) => [...new Set(declared.filter(({ path }) => path === page).map(({ name }) => name))].sort()
  t.deepEqual(at('/api.php'), [...FUNCTIONS].sort())
  t.deepEqual(at('/payment/api.php'), PAYMENT_API)
  t.deepEqual(at('/cloud/api.php'), CLOUD_API)
  t.deepEqual(at('/payment/ajax.php'), ['create-transaction'])
  const elsewhere = PAGES.flatMap((page) =>
    FUNCTIONS.filter((name) => !at(page).includes(name)).map((name) => [page, name]),
  )
  await refused(
    t,
    app,
    elsewhere.map(([path = '', name = '']) => ({
      ...form(path, name),
      key: scene.key,
      what: `${path} ${name}`,
      ...UNKNOWN,
    })),
  )
})

test('M-GEN-01 M-GEN-02 M-GEN-06 M-AUT-02 every function succeeds with the fewest fields, in the envelope, with what it declares, and with nobody’s key', async (t) => {
  const { key } = scene
  for (const e of declared) {
    const body = new URLSearchParams({ function: e.name, ...(await fieldsOf(app, scene, e)) }).toString()
    const answer = await strictly(t, app)('POST', e.path, { headers: FORM, body, ...(e.auth === 'key' && { key }) })
    t.is(answer.status, 200, `${called(e)} ${answer.text}`)
    if (e.produces === undefined)
      t.deepEqual({ ...answer.json, response: 0 }, { success: true, response: 0 }, called(e))
    keepsSecrets(t, answer)
  }
})

test('M-AUT-01 M-AUT-03 M-AUT-04 E-MER-01 E-MER-02 every function tells a missing key from a wrong one, and reads it from the header first', async (t) => {
  const { key } = await signUp(app)
  const none = `sk_live_${'0'.repeat(16)}_${'0'.repeat(64)}`
  const calls = keyed.flatMap((e) => {
    const at = { ...form(e.path, e.name), headers: FORM }
    const field = (value: string) => ({ ...at, body: `${at.body}&api-key=${value}` })
    return [
      { ...at, what: 'no key', ...MISSING },
      { ...at, what: 'an empty key', key: '', ...MISSING },
      { ...at, what: 'no key of ours', key: 'bad', ...MISSING },
      { ...at, what: 'an unknown key', key: none, ...MISSING },
      { ...at, what: 'a cloud token', key: scene.cloud, ...MISSING },
      { ...at, what: 'a wrong secret', key: wrong(key), ...WRONG },
      { ...field(wrong(key)), what: 'a wrong secret in the form', ...WRONG },
      { ...field('bad'), what: 'no key of ours in the form', ...MISSING },
      { ...field(key), what: 'a good one below a bad', key: 'bad', ...MISSING },
      { ...field(key), what: 'a good one below a wrong', key: wrong(key), ...WRONG },
      { ...at, what: 'in the address', path: `${e.path}?api-key=${key}`, ...MISSING },
      { ...at, what: 'as a cloud token', body: `${at.body}&cloud=${scene.cloud}`, ...MISSING },
    ].map((each) => ({ ...each, what: `${called(e)} ${each.what}` }))
  })
  await refused(t, app, calls)
  for (const e of keyed) {
    const body = `${form(e.path, e.name).body}&api-key=${key}`
    const { status, text } = await app.call('POST', e.path, { headers: FORM, body })
    t.false([401, 403, 500].includes(status), `${called(e)} ${text}`)
  }
})

test('M-AUT-03 M-AUT-04 what a cloud token opens takes no key, tells a missing token from a wrong one, and nothing else takes it', async (t) => {
  const other = `ct_${'a'.repeat(26)}`
  const calls = shops.flatMap((e) => {
    const at = form(e.path, e.name)
    return [
      { ...at, what: 'nothing', ...MISSING },
      { ...at, what: 'the owner’s key', key: scene.key, ...MISSING },
      { ...at, what: 'an empty token', body: `${at.body}&cloud=`, ...MISSING },
      { ...at, what: 'an unknown token', body: `${at.body}&cloud=${other}`, ...WRONG },
      { ...at, what: 'no token of ours', body: `${at.body}&cloud=x`, ...WRONG },
      { ...at, what: 'a key as a token', body: `${at.body}&cloud=${scene.key}`, ...WRONG },
    ].map((each) => ({ ...each, what: `${called(e)} ${each.what}` }))
  })
  await refused(t, app, calls)
})

test('X-CAP-01 X-SBX-01 E-403-01 E-403-02 every function refuses a sub-key without its capability, and sandbox keys that are not for it', async (t) => {
  const { subKey, sandbox } = scene
  const calls = keyed.flatMap((e) => {
    const at = form(e.path, e.name)
    const secret =
      e.callers?.sandbox === undefined ? [{ ...at, what: 'a sandbox key', key: sandbox.secret, ...REJECTED }] : []
    const publishable = e.callers?.sandbox === undefined ? REJECTED : { status: 403, code: 'svc_publishable_key' }
    return [
      { ...at, what: 'a sub-key', key: subKey, status: 403, code: 'svc_forbidden' },
      ...secret,
      { ...at, what: 'a publishable key', key: sandbox.publishable, ...publishable },
    ].map((each) => ({ ...each, what: `${called(e)} ${each.what}` }))
  })
  await refused(t, app, calls)
  for (const e of keyed.filter(({ callers }) => callers?.sandbox !== undefined)) {
    const { status } = await consoleCall(app, sandbox.secret, e.name, {}, e.path)
    t.false([401, 403].includes(status), called(e))
  }
})
const REJECTED = { status: 403, code: 'svc_sandbox_key_rejected' }

test('M-GEN-01 M-GEN-07 JSON, several parts, repeated fields, broken text, a megabyte and 10,000 fields are refused by every function', async (t) => {
  const bad = declared.flatMap((e) => badFor(e.name).map((each) => ({ ...each, path: e.path })))
  await refusesBytes(t, app, scene.key, bad)
  await refusesBytes(
    t,
    app,
    scene.key,
    [...PAGES, '/payment/ajax.php'].flatMap((path) => nameless.map((each) => ({ ...each, path }))),
  )
})

test('M-GEN-07 whatever stands in a field, the answer is in the envelope, in time and never a 5xx, and what is refused writes nothing', async (t) => {
  const refusals = new Map<string, string>()
  const keys = freshKeys()
  // The other APIs answer by the same declarations.
  const once = declared.filter(({ name, path }) => name !== 'test-connection' && !/^\/(payment|cloud)\/api/.test(path))
  for (const e of once)
    for (const field of namesOf(e))
      for (const value of VALUES) {
        const what = `${called(e)} ${field}=${value.slice(0, 40)}`
        const requestId = `test-${randomUUID()}`
        const body = new URLSearchParams({ function: e.name, ...goodFields(e, scene), [field]: value }).toString()
        const headers = { ...FORM, 'x-request-id': requestId }
        const started = Date.now()
        const answer = await app.call('POST', e.path, { headers, body, ...(e.auth === 'key' && { key: await keys() }) })
        t.true(answer.status < 500 && (field === 'cloud' || answer.status !== 401), `${what} ${answer.text}`)
        t.true(answer.status !== 429 && Date.now() - started < ANSWER_MS, what)
        conforms(t, 'POST', e.path, body, answer)
        if (answer.status !== 200) refusals.set(requestId, what)
      }
  await wroteNothing(t, app, refusals)
})

test('M-GEN-07 a code says one status, and is the same whatever the prose', async (t) => {
  const { key } = scene
  const answers = await Promise.all([
    consoleCall(app, key, 'get-transaction'),
    consoleCall(app, key, 'get-transaction', { transaction_id: 'x'.repeat(40) }),
    consoleCall(app, key, 'get-fiat-value', { amount: 'a' }),
    consoleCall(app, key, 'get-transaction', { transaction_id: '1' }),
    consoleCall(app, key, 'get-checkouts', { checkout_id: '1' }),
  ])
  const said = Map.groupBy(answers, ({ json }) => json.error_code)
  t.deepEqual([...said.keys()], ['svc_invalid_request', 'svc_not_found'])
  for (const [code, group] of said) {
    t.is(new Set(group.map(({ status }) => status)).size, 1, code)
    t.is(new Set(group.map(({ json }) => json.message)).size, group.length, code)
  }
  const { wire, failure } = surfaces().find(({ name }) => name === 'pay') as Surface
  for (const [, code] of Object.values(wire))
    for (const message of ['', 'svc_not_found', 'x'])
      t.deepEqual(failure(code, message), { success: false, error_code: code, message })
})

test('M-GEN-01 only a POST calls a function, and whatever else is refused in the envelope', async (t) => {
  const pages = [...PAGES, '/payment/ajax.php']
  const others = pages.flatMap((path) => ['GET', 'PUT', 'DELETE', 'PATCH'].map((method) => ({ method, path })))
  const no = { status: 405, code: 'svc_method_not_allowed', key: scene.key }
  await refused(t, app, [
    ...others.map((each) => ({ ...each, what: `${each.method} ${each.path}`, ...no })),
    ...others.map((each) => ({
      ...each,
      path: `${each.path}?function=get-settings`,
      what: `${each.method} of one`,
      ...no,
    })),
    { what: 'cron without a key', method: 'GET', path: '/api.php?cron', ...MISSING },
    { what: 'cron with a wrong key', method: 'GET', path: '/api.php?cron', key: wrong(scene.key), ...WRONG },
  ])
})

test.serial(
  'L-MER-04 N-09 N-65 a key above its rate gets 429 with Retry-After, and another tenant is not slowed',
  async (t) => {
    const { key } = await signUp(app)
    const call = (of: string) => consoleCall(app, of, 'get-transaction', { transaction_id: '1' })
    const answers = await Promise.all(Array.from({ length: BURST + 200 }, () => call(key)))
    const slowed = answers.filter(({ status }) => status === 429)
    t.true(slowed.length > 0)
    t.is(answers.filter(({ status }) => status === 404).length + slowed.length, answers.length)
    for (const { headers, json } of slowed) {
      t.is(json.error_code, 'svc_rate_limited')
      t.deepEqual(Object.keys(json), ['success', 'error_code', 'message'])
      t.regex(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    }
    t.is((await call(scene.key)).status, 404)
  },
)

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))

/** Keys of fresh accounts, each for as many calls as its rate lets through. */
const freshKeys = () => {
  let used = 0
  let current = ''
  return async () => {
    if (used++ % (BURST - 100) === 0) current = (await signUp(app)).key
    return current
  }
}

/** M-AUT-02: no answer has a credential that opens more than it. */
const keepsSecrets = (t: ExecutionContext, { text }: Answer) => {
  for (const secret of [scene.key, scene.secret, scene.subKey, scene.sandbox.secret]) t.false(text.includes(secret))
}
