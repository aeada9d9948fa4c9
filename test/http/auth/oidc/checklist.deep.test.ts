/**
 * The conformance plans of the OpenID Foundation for a provider, by hand: Config OP and Basic OP, one test for each
 * group of modules. Their client is first-party, because the modules send no PKCE.
 */
import test from 'ava'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { AppSecrets } from '../../../../domain/use-cases/signin/register-app.ts'
import { type Fields, formOf, type Oidc, openOidc, redemption, request, STATE } from '../../../support/oidc.ts'

let oidc: Oidc
let app: AppSecrets
test.before(async () => {
  oidc = await openOidc()
  app = await oidc.operator.app({ firstParty: true })
})
test.after.always(() => oidc?.stop())

const plain = (fields: Fields = {}) =>
  request(app, { code_challenge: undefined, code_challenge_method: undefined, ...fields })
const redeem = async (code: string) =>
  (await oidc.post('token', redemption(app, code, { code_verifier: undefined }))).json
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const config = async () => (await oidc.app.call('GET', '/.well-known/openid-configuration')).json

test('A-GEN-02 A-GEN-04 Config OP: what the discovery document says is well-formed, and its keys show nothing private', async (t) => {
  const { status, headers, json } = await oidc.app.call('GET', '/.well-known/openid-configuration')
  t.is(status, 200)
  t.regex(headers.get('content-type') ?? '', /^application\/json/)
  t.is(json.issuer, oidc.origin)
  for (const [name, value] of Object.entries(json)) {
    if (/_(endpoint|uri)$/.test(name))
      t.true(URL.canParse(value as string) && (value as string).startsWith(json.issuer), name)
    if (/(_supported)$/.test(name))
      t.true(typeof value === 'boolean' || (Array.isArray(value) && value.length > 0), name)
  }
  t.true(
    json.claims_supported.includes('sub') &&
      json.scopes_supported.every((scope: string) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)),
  )
  const keys = (await oidc.app.call('GET', '/.well-known/jwks.json')).json.keys as Record<string, string>[]
  t.is(new Set(keys.map(({ kid }) => kid)).size, keys.length)
  for (const key of keys) {
    t.like(key, { kty: 'RSA', use: 'sig', alg: 'RS256', e: 'AQAB' })
    t.is(Buffer.from(key.n ?? '', 'base64url').length, 256)
    t.deepEqual(
      ['d', 'p', 'q', 'dp', 'dq', 'qi'].filter((part) => part in key),
      [],
    )
  }
})

test('A-OID-12 A-OID-16 Basic OP: oidcc-server, oidcc-idtoken-signature, a request without nonce', async (t) => {
  const ada = await oidc.signedIn()
  const code = await ada.browser.code(plain({ nonce: 'abc' }))
  t.true(code.length >= 16)
  const { id_token } = await redeem(code)
  const jwks = createLocalJWKSet((await oidc.app.call('GET', '/.well-known/jwks.json')).json)
  const { payload, protectedHeader } = await jwtVerify(id_token, jwks, { issuer: oidc.origin, audience: app.clientId })
  t.deepEqual([payload.nonce, payload.sub, protectedHeader.alg], ['abc', ada.sub, 'RS256'])
  t.true(Math.abs((payload.iat ?? 0) - Date.now() / 1_000) < 60)
  const without = await redeem(await ada.browser.code(plain()))
  t.false('nonce' in claimsOf(without.id_token))
})

test('A-OID-18 Basic OP: oidcc-userinfo-get, -post-header and -post-body', async (t) => {
  const ada = await oidc.signedIn()
  const { access_token } = await redeem(await ada.browser.code(plain()))
  const answers = [
    await oidc.get('userinfo', bearer(access_token)),
    await oidc.post('userinfo', {}, bearer(access_token)),
    await oidc.post('userinfo', { access_token }),
  ]
  for (const { status, json } of answers) t.deepEqual([status, json], [200, { sub: ada.sub }])
})

test('A-OID-05 A-OID-17 Basic OP: scopes in any order, those that are not offered, and parameters in another order', async (t) => {
  const ada = await oidc.signedIn()
  for (const scope of [
    'openid profile',
    'email openid',
    'address openid phone',
    'profile email address phone openid',
  ]) {
    const fields = Object.fromEntries(Object.entries(plain({ scope })).reverse())
    const tokens = await redeem(await ada.browser.code(fields))
    const offered = ['openid', 'email', 'profile'].filter((each) => scope.includes(each))
    t.is(tokens.scope, offered.join(' '))
    t.is(claimsOf(tokens.id_token).email, scope.includes('email') ? ada.email : undefined)
    t.is(claimsOf(tokens.id_token).name, scope.includes('profile') ? 'Ada Lovelace' : undefined)
  }
})

test('A-OID-01 Basic OP: what is not understood is ignored: display, ui_locales, claims, acr_values, login_hint and any other', async (t) => {
  const ada = await oidc.signedIn()
  const ignored: readonly Fields[] = [
    { display: 'page' },
    { display: 'popup' },
    { extra: 'foobar' },
    { ui_locales: 'se' },
    { claims_locales: 'se' },
    { acr_values: '1 2' },
    { login_hint: 'buffy@example.test' },
    { claims: JSON.stringify({ userinfo: { name: { essential: true } } }) },
  ]
  for (const fields of ignored)
    t.is((await ada.browser.authorize(plain(fields))).query.state, STATE, JSON.stringify(fields))
  const led = await oidc.browser().authorize(plain({ login_hint: 'buffy@example.test' }))
  t.is(led.query.hint, 'buffy@example.test')
  const page = await oidc.browser().open(led.location)
  t.true(page.text.includes('value="buffy@example.test"'), page.text)
})

test('A-OID-07 Basic OP: oidcc-prompt-login shows the sign-in page a second time, and auth_time is later', async (t) => {
  const ada = await oidc.signedIn()
  const first = claimsOf((await redeem(await ada.browser.code(plain()))).id_token)
  oidc.later(2)
  const led = await ada.browser.authorize(plain({ prompt: 'login' }))
  t.is((await ada.browser.open(led.location)).status, 200)
  const back = await ada.browser.signInAt(led, ada)
  const second = claimsOf((await redeem(back.query.code ?? '')).id_token)
  t.is(first.sub, second.sub)
  t.true(second.auth_time > first.auth_time)
})

test('A-OID-06 Basic OP: oidcc-prompt-none-not-logged-in, -logged-in, oidcc-id-token-hint', async (t) => {
  t.is((await oidc.browser().authorize(plain({ prompt: 'none' }))).query.error, 'login_required')
  const ada = await oidc.signedIn()
  const first = await redeem(await ada.browser.code(plain()))
  const hinted = plain({ prompt: 'none', id_token_hint: first.id_token })
  for (const fields of [plain({ prompt: 'none' }), hinted]) {
    const again = claimsOf((await redeem((await ada.browser.authorize(fields)).query.code ?? '')).id_token)
    const { sub, auth_time } = claimsOf(first.id_token)
    t.deepEqual([again.sub, again.auth_time], [sub, auth_time])
  }
})

test('A-OID-08 Basic OP: oidcc-max-age-1 signs in again, oidcc-max-age-10000 does not', async (t) => {
  const ada = await oidc.signedIn()
  oidc.later(3)
  const led = await ada.browser.authorize(plain({ max_age: '1' }))
  t.is(led.location.split('?')[0], '/sign-in')
  const back = await ada.browser.signInAt(led, ada)
  const recent = claimsOf((await redeem(back.query.code ?? '')).id_token)
  t.true(recent.iat - recent.auth_time <= 5)
  const calm = claimsOf((await redeem(await ada.browser.code(plain({ max_age: '10000' })))).id_token)
  t.is(calm.auth_time, recent.auth_time)
})

test.serial(
  'A-OID-13 Basic OP: oidcc-codereuse, and after 30 seconds, when the token that it has made is dead too',
  async (t) => {
    const ada = await oidc.signedIn()
    for (const wait of [0, 30]) {
      const code = await ada.browser.code(plain())
      const { access_token } = await redeem(code)
      oidc.later(wait)
      t.is((await redeem(code)).error, 'invalid_grant')
      t.is((await oidc.get('userinfo', bearer(access_token))).status, 401)
    }
  },
)

test('A-OID-02 A-OID-04 Basic OP: a bad redirect_uri is refused on a page; a missing response_type, request and request_uri at the app', async (t) => {
  const { browser } = await oidc.signedIn()
  const pages: readonly [Fields, string][] = [
    [{ redirect_uri: 'https://app.test/cb?extra=1' }, 'invalid_redirect_uri'],
    [{ request: 'eyJhbGciOiJub25lIn0.e30.', redirect_uri: undefined }, 'invalid_request'],
  ]
  for (const [fields, word] of pages) {
    const { status, location, text } = await browser.authorize(plain(fields))
    t.deepEqual([status, location, text.includes(word)], [400, '', true], word)
  }
  const redirects: readonly [Fields, string][] = [
    [{ response_type: undefined }, 'invalid_request'],
    [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    [{ request_uri: 'https://app.test/r' }, 'request_uri_not_supported'],
  ]
  for (const [fields, error] of redirects) {
    const { query } = await browser.authorize(plain(fields))
    t.deepEqual([query.error, query.state, query.iss], [error, STATE, oidc.origin])
  }
  const { request_parameter_supported, request_uri_parameter_supported } = await config()
  t.deepEqual([request_parameter_supported, request_uri_parameter_supported], [false, false])
})

test('A-OID-01 Basic OP: an authorization request by POST is answered, and can be sent again after signing in', async (t) => {
  const ada = await oidc.signedIn()
  for (const who of [ada.browser, oidc.browser()]) {
    const led = await who.post('/oauth2?op=authorize', formOf(plain({ nonce: 'p' })) as never)
    t.is(led.status, 303)
    const next = await who.open(led.location)
    const back = next.location.startsWith('/sign-in') ? await who.signInAt(next, ada) : next
    t.is(back.query.state, STATE)
    t.is(claimsOf((await redeem(back.query.code ?? '')).id_token).nonce, 'p')
  }
  const long = await oidc
    .browser()
    .post('/oauth2?op=authorize', { ...(plain() as Record<string, string>), nonce: 'n'.repeat(9_000) })
  t.deepEqual([long.status, long.location], [400, ''])
  const twice = await ada.browser.post(`/oauth2?op=authorize&state=${STATE}`, formOf(plain()) as never)
  t.deepEqual([twice.status, twice.location], [400, ''])
})

test('A-OID-12 Basic OP: client_secret_post, client_secret_basic, and a valid PKCE', async (t) => {
  const { browser } = await oidc.signedIn()
  const secret = `Basic ${Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')}`
  const byHeader = { client_id: undefined, client_secret: undefined }
  t.is((await oidc.post('token', redemption(app, await browser.code(request(app))))).status, 200)
  t.is(
    (await oidc.post('token', redemption(app, await browser.code(request(app)), byHeader), { authorization: secret }))
      .status,
    200,
  )
})
