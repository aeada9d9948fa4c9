import { createHash } from 'node:crypto'
import test from 'ava'
import { surfaces } from '../../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { DEEP } from '../../support/depth.ts'
import { dump, files } from '../../support/everywhere.ts'
import { mailedLink, offerOf, pay, seller, signUp } from '../../support/seller.ts'
import { readLog } from '../log.ts'
import { causedBy, refused, strictly } from '../strict.ts'

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const endpoints = surfaces().flatMap(({ name, endpoints }) => endpoints.map((each) => ({ surface: name, ...each })))
const keyed = endpoints.filter(({ auth }) => auth === 'key')
const open = endpoints.filter(({ auth }) => auth === 'none')

test('J-AUTH-01 J-GEN-04 every endpoint marked key answers 401 without a good key, and something else with it', async (t) => {
  const { key } = await signUp(app)
  const strangers: [string | undefined, string][] = [
    [undefined, 'api-key-not-found'],
    ['', 'api-key-not-found'],
    ['nonsense', 'api-key-not-found'],
    [key.toUpperCase(), 'api-key-not-found'],
    [`${key}, ${key}`, 'api-key-not-found'],
    [unknownId(key), 'api-key-not-found'],
    [wrongSecret(key), 'invalid-api-key'],
  ]
  t.true(keyed.length > 15)
  const calls = keyed.flatMap((each, n) =>
    // Without a key, and with a wrong secret, each is tried; the other ways not to have one are tried by turns.
    (DEEP
      ? strangers
      : [...strangers.slice(0, 1), ...strangers.slice(1 + (n % 5), 2 + (n % 5)), ...strangers.slice(-1)]
    ).map(([stranger, code]) => ({ ...request(each), key: stranger, status: 401, code })),
  )
  await refused(
    t,
    app,
    calls.map((each) => ({ ...each, what: `${each.method} ${each.path} with ${each.key}` })),
  )
  for (const each of keyed) {
    const { method, path, ...options } = request(each)
    t.not((await app.call(method, path, { ...options, key })).status, 401, `${method} ${path}`)
  }
})

test('J-GEN-04 a public endpoint reads no key, so a bad one does not matter', async (t) => {
  t.true(open.length >= 5)
  for (const each of open) {
    const { method, path, ...options } = request(each)
    const without = await app.call(method, path, options)
    const withBad = await app.call(method, path, { ...options, key: 'nonsense' })
    t.not(without.status, 401)
    t.deepEqual([withBad.status, withBad.text], [without.status, without.text], `${method} ${path}`)
  }
})

test('J-AUTH-01 the key counts in its header alone', async (t) => {
  const { key } = await signUp(app)
  const refusal = { method: 'GET', status: 401, code: 'api-key-not-found' }
  await refused(t, app, [
    { what: 'bearer', path: '/v1/wallets', headers: { authorization: `Bearer ${key}` }, ...refusal },
    { what: 'query', path: `/v1/wallets?api-key=${key}&api_key=${key}`, ...refusal },
    { what: 'cookie', path: '/v1/wallets', headers: { cookie: `api-key=${key}` }, ...refusal },
    { what: 'body', path: '/v1/webhook', body: { 'api-key': key, api_key: key }, ...refusal, method: 'POST' },
  ])
  t.is((await strictly(t, app)('GET', '/v1/wallets', { headers: { 'X-API-KEY': key } })).status, 200)
})

test('J-AUTH-01 what a key does is written in the name of its account', async (t) => {
  const { key } = await signUp(app)
  const body = { url: 'https://hooks.example.com/' }
  const { requestId } = await strictly(t, app)('POST', '/v1/webhook', { key, body })
  t.deepEqual((await causedBy(app, requestId)).sort(), ['WebhookSecretMinted', 'WebhookUrlSet'])
  const actors = (await readLog(app)).filter((e) => e.cause.correlationId === requestId).map((e) => e.cause.actor)
  t.regex(actors[0] ?? '', /^acc_[a-z2-7]{26}$/)
})

test('X-HASH-01 K-SBX-02 after a whole sale no key, password, secret, token or email address lies anywhere in the clear', async (t) => {
  const { key, email, secret, resId } = await seller(app)
  const offer = await offerOf(app, key, resId)
  const hash = await pay(app, offer)
  await app.call('POST', '/v1/verify', { body: { challengeId: offer.challengeId, hash } })
  const resource = await app.call('GET', `/v1/resources?res_id=${resId}`, { key })
  const cloudToken = new URL(resource.json.checkout_url).searchParams.get('cloud') as string
  const linkToken = new URL(await mailedLink(app, email)).searchParams.get('token') as string
  const sha256 = createHash('sha256').update(email).digest('hex')
  const made = async (kind: string) =>
    (await app.call('POST', '/v1/sandbox-keys', { key, body: { kind } })).json.api_key
  const [sandbox, publishable] = [await made('secret'), await made('publishable')]
  const sandboxKeys = { sandbox, sandboxSecret: sandbox.slice(-64), publishable, open: publishable.slice(-64) }
  const secrets = {
    ...sandboxKeys,
    key,
    keySecret: key.slice(-64),
    password: 'correct horse',
    secret,
    bare: secret.slice(6),
    email,
  }
  const hidden = { ...secrets, cloudToken, linkToken, linkSecret: linkToken.split('.')[1] as string, sha256 }
  const places = { log: text(await readLog(app)), postgres: await dump(app.databaseUrl), files: files(app) }
  t.true(places.log.includes(resId) && places.postgres.includes(resId) && places.files.includes(resId))
  for (const [place, held] of Object.entries(places))
    for (const [name, value] of Object.entries(hidden))
      for (const [how, written] of Object.entries(spellings(value)))
        t.false(held.includes(written), `${name} stands in ${place} as ${how}`)
  const signedUp = (await readLog(app)).filter(({ type }) => type === 'AccountSignedUp')
  for (const { data } of signedUp as { data: { email: string; passwordHash: string } }[]) {
    t.regex(data.email, /^v1\.acc_[a-z2-7]{26}\./, 'sealed for its account')
    t.regex(data.passwordHash, /^\$argon2id\$/)
  }
})

type Declared = (typeof endpoints)[number]

/** A request that picks this operation and, if allowed, fails at the latest in its validation. */
const request = ({ surface, method, path, when = {} }: Declared) => {
  const picks = new URLSearchParams(Object.entries(when).map(([name, value]) => [name, value === true ? 'x' : value]))
  const at = path.replace(/:\w+/g, 'nobody')
  const query = method === 'post' || picks.size === 0 ? '' : `?${picks}`
  const form = { body: String(picks), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  const json = { body: method === 'post' ? Object.fromEntries(picks) : {} }
  const options = surface === 'pay' && method === 'post' ? form : method === 'post' || method === 'put' ? json : {}
  return { method: method.toUpperCase(), path: at + query, ...options }
}

const unknownId = (key: string) => key.replace(/_[0-9a-f]{16}_/, '_0123456789abcdef_')
const wrongSecret = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

const spellings = (value: string) => ({
  it: value,
  hex: Buffer.from(value).toString('hex'),
  base64: Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1),
})

const text = (value: unknown) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each))
