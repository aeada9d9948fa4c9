import test from 'ava'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { revokeApp } from '../../../../adapters/http/auth/oidc/end-sessions.ts'
import type { AppSecrets } from '../../../../domain/use-cases/signin/register-app.ts'
import { runs } from '../../../support/depth.ts'
import {
  challengeOf,
  type Fields,
  fresh,
  type Oidc,
  openOidc,
  redemption,
  request,
  VERIFIER,
} from '../../../support/oidc.ts'

/** Redemptions of one code. */
const AT_ONCE = runs({ quick: 60, deep: 200 })

/** Tests that move the clock run one after the other. */
let oidc: Oidc
test.before(async () => {
  oidc = await openOidc()
})
test.after.always(() => oidc?.stop())

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
})
const named = ({ clientId, clientSecret }: { clientId: string; clientSecret: string | null }) => ({
  client_id: clientId,
  client_secret: clientSecret ?? '',
})
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const jwks = async () => createLocalJWKSet((await oidc.app.call('GET', '/.well-known/jwks.json')).json)

test.serial(
  'A-OID-12 A-OID-16 A-GEN-04 A-GEN-05 a code becomes an opaque access token and an ID token that our keys vouch for',
  async (t) => {
    const shop = await oidc.operator.app()
    const ada = await oidc.signedIn(['pwd', 'otp', 'mfa'])
    const code = await ada.browser.code(request(shop, { nonce: 'n-0S6', scope: 'openid email' }))
    const { status, headers, json } = await oidc.post('token', redemption(shop, code))
    t.is(status, 200)
    t.deepEqual([headers.get('cache-control'), headers.get('pragma')], ['no-store', 'no-cache'])
    const { access_token, id_token, ...rest } = json
    t.deepEqual(rest, { token_type: 'Bearer', expires_in: 3_600, scope: 'openid email' })
    t.regex(access_token, /^[0-9a-f]{64}$/)
    t.like(decodeProtectedHeader(id_token), { alg: 'RS256', typ: 'JWT' })
    const { payload } = await jwtVerify(id_token, await jwks(), { issuer: oidc.origin, audience: shop.clientId })
    t.like(payload, { azp: shop.clientId, sub: ada.sub, nonce: 'n-0S6', sid: ada.sid, amr: ['pwd', 'otp', 'mfa'] })
    t.is((payload.exp ?? 0) - (payload.iat ?? 0), 600)
    t.is(payload.at_hash, Buffer.from(challengeOf(access_token), 'base64url').subarray(0, 16).toString('base64url'))
    const refresh = await oidc.post('token', redemption(shop, 'x', { grant_type: 'refresh_token', refresh_token: 'x' }))
    t.deepEqual([refresh.status, refresh.json.error], [400, 'unsupported_grant_type'])
  },
)

test.serial(
  'A-OID-13 A-OID-15 L-AUT-01 L-AUT-02 L-AUT-03 a code lives for 120 seconds and an access token for an hour',
  async (t) => {
    const shop = await oidc.operator.app()
    const { browser } = await oidc.signedIn()
    const [late, inTime] = [await browser.code(request(shop)), await browser.code(request(shop))]
    oidc.later(115)
    const { json } = await oidc.post('token', redemption(shop, inTime))
    oidc.later(6)
    const gone = await oidc.post('token', redemption(shop, late))
    t.deepEqual([gone.status, gone.json.error], [400, 'invalid_grant'])
    oidc.later(3_590)
    t.is((await oidc.get('userinfo', bearer(json.access_token))).status, 200)
    oidc.later(11)
    const dead = await oidc.get('userinfo', bearer(json.access_token))
    t.deepEqual([dead.status, dead.json.error], [401, 'invalid_token'])
  },
)

test(`A-OID-13 E-AUT-05 of ${AT_ONCE} redemptions of one code at once one succeeds, and its token dies with the others`, async (t) => {
  const shop = await oidc.operator.app()
  const { browser } = await oidc.signedIn()
  const code = await browser.code(request(shop))
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => oidc.post('token', redemption(shop, code))))
  const good = answers.filter(({ status }) => status === 200)
  t.is(good.length, 1)
  t.deepEqual(
    new Set(answers.filter((each) => !good.includes(each)).map(({ json }) => json.error)),
    new Set(['invalid_grant']),
  )
  t.is((await oidc.get('userinfo', bearer(good[0]?.json.access_token))).status, 401)
})

test('A-OID-14 E-AUT-05 E-AUT-06 E-AUT-07 E-AUT-08 token errors have their order, and a wrong verifier does not use the code up', async (t) => {
  const [shop, other] = [await oidc.operator.app(), await oidc.operator.app()]
  const { browser } = await oidc.signedIn()
  const code = await browser.code(request(shop))
  const wrong = { code_verifier: 'w'.repeat(43) }
  const bad: readonly [Fields, number, string][] = [
    [{ grant_type: undefined, client_secret: 'no' }, 400, 'invalid_request'],
    [{ code: undefined, client_secret: 'no' }, 400, 'invalid_request'],
    [{ redirect_uri: undefined, client_secret: 'no' }, 400, 'invalid_request'],
    [{ client_secret: 'no', grant_type: 'password' }, 401, 'invalid_client'],
    [{ client_secret: undefined }, 401, 'invalid_client'],
    [{ client_id: undefined, client_secret: undefined }, 401, 'invalid_client'],
    [{ grant_type: 'password', code: 'no' }, 400, 'unsupported_grant_type'],
    [{ code: 'no', code_verifier: undefined }, 400, 'invalid_grant'],
    [{ redirect_uri: 'https://app.test/cb/', ...wrong }, 400, 'invalid_grant'],
    [{ ...named(other), ...wrong }, 400, 'invalid_grant'],
    [{ redirect_uri: 'https://app.test/cb/' }, 400, 'invalid_grant'],
    [named(other), 400, 'invalid_grant'],
    [{ code_verifier: undefined }, 400, 'pkce_required'],
    [{ code_verifier: '' }, 400, 'pkce_required'],
    [wrong, 400, 'pkce_failed'],
    [{ code_verifier: 'short' }, 400, 'pkce_failed'],
    [{ code_verifier: `${'v'.repeat(42)} ` }, 400, 'pkce_failed'],
    [{ code_verifier: challengeOf(VERIFIER) }, 400, 'pkce_failed'],
  ]
  for (const [fields, status, error] of bad) {
    const answer = await oidc.post('token', redemption(shop, code, fields))
    t.deepEqual([answer.status, answer.json.error], [status, error], JSON.stringify(fields))
    t.deepEqual([typeof answer.json.error_description, answer.headers.get('cache-control')], ['string', 'no-store'])
  }
  const { status, json } = await oidc.post('token', redemption(shop, code))
  t.is(status, 200, 'nothing of this has used it up')
  t.is((await oidc.post('token', redemption(shop, code, named(other)))).json.error, 'invalid_grant')
  t.is((await oidc.get('userinfo', bearer(json.access_token))).status, 200, 'another app ends no token by its code')
  const used = await oidc.post('token', redemption(shop, code, { code_verifier: undefined }))
  t.is(used.json.error, 'invalid_grant', 'a used code is told as that before PKCE is looked at')
})

test('E-AUT-08 a verifier that is too short redeems nothing, also where it fits the challenge, and each refusal says why', async (t) => {
  const shop = await oidc.operator.app()
  const { browser } = await oidc.signedIn()
  const [short, shortest] = ['v'.repeat(42), 'v'.repeat(43)]
  const weak = await browser.code(request(shop, { code_challenge: challengeOf(short) }))
  const { json } = await oidc.post('token', redemption(shop, weak, { code_verifier: short }))
  t.deepEqual([json.error, /43 to 128 characters/.test(json.error_description)], ['pkce_failed', true])
  const code = await browser.code(request(shop, { code_challenge: challengeOf(shortest) }))
  t.is((await oidc.post('token', redemption(shop, code, { code_verifier: shortest }))).status, 200)
  const again = await oidc.post('token', redemption(shop, code, { code_verifier: shortest }))
  t.regex(again.json.error_description, /was used before/)
})

test('A-OID-14 E-AUT-06 an unknown app, a wrong secret and a public app with a secret get one and the same answer', async (t) => {
  const shop = await oidc.operator.app()
  const local = await oidc.operator.app({ confidential: false, redirectUris: ['http://127.0.0.1/cb'] })
  const told = async (id: string, secret: string) => {
    const { status, json, headers } = await oidc.post('token', redemption({ clientId: id, clientSecret: secret }, 'x'))
    return JSON.stringify([status, json, [...headers.keys()].sort()])
  }
  const one = await told(shop.clientId, 'wrong')
  for (const id of [`app_${'a'.repeat(26)}`, 'app_x', 'x'.repeat(2_000), '$all', local.clientId])
    t.is(await told(id, shop.clientSecret ?? ''), one)
  t.regex(one, /^\[401,\{"error":"invalid_client"/)
  const byBasic = await oidc.post(
    'token',
    redemption(shop, 'x', { client_id: undefined, client_secret: undefined }),
    basic(shop.clientId, 'no'),
  )
  t.deepEqual(
    [byBasic.status, byBasic.headers.get('www-authenticate')],
    [401, 'Basic realm="daybook", charset="UTF-8"'],
  )
})

test('A-OID-12 A-CLI-01 an app proves itself by its secret in the body or in the header, a public one by PKCE alone', async (t) => {
  const shop = await oidc.operator.app()
  const local = await oidc.operator.app({ confidential: false, redirectUris: ['http://127.0.0.1:1/cb'] })
  const { browser } = await oidc.signedIn()
  const inBody = { client_id: undefined, client_secret: undefined }
  const byHeader = basic(shop.clientId, shop.clientSecret ?? '')
  const ways: readonly [Fields, Record<string, string>, number][] = [
    [{}, {}, 200],
    [inBody, byHeader, 200],
    [{ client_secret: undefined }, byHeader, 200],
    [{}, byHeader, 400],
    [{ ...inBody, client_id: local.clientId }, byHeader, 400],
    [inBody, { authorization: 'Basic !!!' }, 401],
    [inBody, { authorization: `Basic ${Buffer.from('no colon').toString('base64')}` }, 401],
  ]
  for (const [fields, headers, status] of ways) {
    const code = await browser.code(request(shop))
    t.is(
      (await oidc.post('token', redemption(shop, code, fields), headers)).status,
      status,
      JSON.stringify([fields, headers]),
    )
  }
  const uri = { redirect_uri: 'http://127.0.0.1:41234/cb' }
  const code = await browser.code(request(local, uri))
  t.is(
    (await oidc.post('token', redemption(local, code, { ...uri, code_verifier: undefined }))).json.error,
    'pkce_required',
  )
  t.is((await oidc.post('token', redemption(local, code, uri))).status, 200)
})

test('A-CLI-01 E-AUT-08 a code without a challenge is given to confidential apps of the operator’s own alone, and redeemed by no other', async (t) => {
  const { browser, sub, sid } = await oidc.signedIn()
  const plain = { code_challenge: undefined, code_challenge_method: undefined }
  const redeem = async (wish: object, verifier?: string) => {
    const app = await oidc.operator.app(wish)
    const { query } = await browser.authorize(request(app, plain))
    const code = query.error === 'pkce_required' ? await older(app) : await browser.code(request(app, plain))
    const { status, json } = await oidc.post('token', redemption(app, code, { code_verifier: verifier }))
    return json.error ?? status
  }
  /** A code as it was given before authorization requests without a challenge were refused. */
  const older = async ({ clientId }: Pick<AppSecrets, 'clientId'>) => {
    const { flow, signIn } = oidc.operator
    const [code, now] = [fresh(), flow.world.now()]
    const row = { clientId, redirectUri: 'https://app.test/cb', nonce: null, challenge: null, sub, sid }
    const signed = { authTime: now.toISOString(), amr: ['pwd'], revocations: 0, scope: 'openid' }
    const until = new Date(now.getTime() + 100_000_000)
    t.true(await signIn.tokens.addCode(flow.world.digest(code), Object.assign(row, signed), until))
    return code
  }
  t.is(await redeem({}), 'pkce_required')
  t.is(await redeem({}, VERIFIER), 'pkce_failed', 'nobody has stripped it on the way')
  t.is(await redeem({ confidential: false }), 'pkce_required')
  t.is(await redeem({ confidential: false, firstParty: true }), 'pkce_required')
  t.is(await redeem({ firstParty: true }), 200)
  t.is(await redeem({ firstParty: true }, VERIFIER), 'pkce_failed')
})

test('A-OID-17 A-OID-18 L-AUT-05 each scope tells its claims, in the ID token and at userinfo', async (t) => {
  const shop = await oidc.operator.app()
  const ada = await oidc.signedIn()
  const profile = { name: 'Ada', preferred_username: 'ada', picture: 'https://ada.test/a.png', locale: 'en-GB' }
  const { vault } = oidc.operator.flow
  await oidc.operator.ledger.user.setProfile(ada.sub, { profile: await vault.seal(ada.sub, JSON.stringify(profile)) })
  const told = { email: { email: ada.email, email_verified: true }, profile, balance: {} }
  const own = ['iss', 'aud', 'azp', 'iat', 'exp', 'auth_time', 'amr', 'sid', 'at_hash']
  for (const scopes of [[], ['email'], ['profile'], ['email', 'profile'], ['balance']] as const) {
    const code = await ada.browser.code(request(shop, { scope: ['openid', ...scopes].join(' ') }))
    const { access_token, id_token } = (await oidc.post('token', redemption(shop, code))).json
    const expected = Object.assign({ sub: ada.sub }, ...scopes.map((scope) => told[scope]))
    t.deepEqual((await oidc.get('userinfo', bearer(access_token))).json, expected)
    const { payload } = await jwtVerify(id_token, await jwks())
    t.deepEqual(Object.keys(payload).sort(), [...Object.keys(expected), ...own].sort())
    for (const [name, value] of Object.entries(expected)) t.is(payload[name], value)
  }
})

test('A-OID-18 A-AUT-01 userinfo takes a token in the header or in the body of a POST, once, and says what is wrong', async (t) => {
  const shop = await oidc.operator.app()
  const { browser } = await oidc.signedIn()
  const { access_token } = (await oidc.post('token', redemption(shop, await browser.code(request(shop))))).json
  t.is((await oidc.get('userinfo', bearer(access_token))).status, 200)
  t.is((await oidc.post('userinfo', {}, bearer(access_token))).status, 200)
  t.is((await oidc.post('userinfo', { access_token })).status, 200)
  t.is((await oidc.post('userinfo', { access_token }, bearer(access_token))).json.error, 'invalid_request')
  const none = await oidc.get('userinfo')
  t.deepEqual([none.status, none.headers.get('www-authenticate')], [401, 'Bearer realm="daybook"'])
  t.is((await oidc.get(`userinfo&access_token=${access_token}`)).status, 401, 'a token in an address is not taken')
  const bad = await oidc.get('userinfo', bearer('nonsense'))
  t.deepEqual([bad.status, bad.json.error], [401, 'invalid_token'])
  t.regex(
    bad.headers.get('www-authenticate') ?? '',
    /^Bearer realm="daybook", error="invalid_token", error_description="/,
  )
  const narrow = await oidc.get('balance', bearer(access_token))
  t.deepEqual([narrow.status, narrow.json.error], [403, 'insufficient_scope'])
  t.regex(narrow.headers.get('www-authenticate') ?? '', /error="insufficient_scope".*scope="balance"$/)
})

test('A-OID-11 A-OID-19 a token ends when its app revokes it or its user does, and nobody else can end it', async (t) => {
  const [shop, other] = [await oidc.operator.app(), await oidc.operator.app()]
  const ada = await oidc.signedIn()
  const token = async () =>
    (await oidc.post('token', redemption(shop, await ada.browser.code(request(shop))))).json.access_token
  const works = async (access: string) => (await oidc.get('userinfo', bearer(access))).status === 200
  const revoke = (app: typeof shop, value: string | undefined, fields: Fields = {}) =>
    oidc.post('revoke', {
      client_id: app.clientId,
      client_secret: app.clientSecret ?? undefined,
      token: value,
      ...fields,
    })
  const [one, two] = [await token(), await token()]
  for (const answer of [await revoke(other, one), await revoke(shop, 'unknown')])
    t.deepEqual([answer.status, answer.json], [200, {}])
  t.is((await revoke(shop, one, { client_secret: 'no' })).json.error, 'invalid_client')
  t.is((await revoke(shop, undefined)).json.error, 'invalid_request')
  t.true(await works(one))
  t.deepEqual((await revoke(shop, one, { token_type_hint: 'refresh_token' })).json, {})
  t.deepEqual([await works(one), await works(two)], [false, true])
  const code = await ada.browser.code(request(shop))
  const { flow, signIn } = oidc.operator
  await revokeApp({ flow, signIn }, ada.sub, shop.clientId)
  t.false(await works(two))
  t.is((await oidc.post('token', redemption(shop, code))).json.error, 'invalid_grant')
  t.is((await ada.browser.authorize(request(shop))).status, 200, 'consent is asked again')
})
