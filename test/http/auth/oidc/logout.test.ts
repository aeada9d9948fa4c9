/**
 * Signing out: the RP-initiated logout plan by hand, what apps are told, and a client of others from its first request
 * to its last.
 */
import test, { type ExecutionContext } from 'ava'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { endAllSessions, tellLeft } from '../../../../adapters/http/auth/oidc/end-sessions.ts'
import type { AppSecrets, AppWish } from '../../../../domain/use-cases/signin/register-app.ts'
import type { Post } from '../../../../src/demo/hook.ts'
import { deepTest } from '../../../support/deep-test.ts'
import {
  type Fields,
  formOf,
  fresh,
  type Oidc,
  openOidc,
  redemption,
  request,
  type Seen,
  STATE,
} from '../../../support/oidc.ts'

let oidc: Oidc
test.before(async () => {
  oidc = await openOidc()
})
test.after.always(() => oidc?.stop())

const BYE = 'https://app.test/bye'

const shopWith = async (wish: Partial<AppWish> = {}): Promise<AppSecrets> => {
  const shop = await oidc.operator.app(wish)
  await oidc.operator.ledger.clientApp.setUris(shop.clientId, { postLogoutUris: [BYE] })
  return shop
}

/** Somebody who is signed in to an app, and the ID token that it has got. */
const visit = async (shop: AppSecrets) => {
  const ada = await oidc.signedIn()
  const { id_token, access_token } = (await oidc.post('token', redemption(shop, await ada.browser.code(request(shop)))))
    .json
  const isIn = async () =>
    (await ada.browser.authorize(request(shop, { prompt: 'none' }))).query.error !== 'login_required'
  return { ...ada, hint: id_token as string, token: access_token as string, isIn }
}

const end = (browser: { open(path: string): Promise<Seen> }, fields: Fields) =>
  browser.open(`/oauth2?op=end_session&${formOf(fields)}`)

/** The question, and pressing its button. */
const confirmed = async (t: ExecutionContext, { browser }: Awaited<ReturnType<typeof visit>>, page: Seen) => {
  t.is(page.location, '')
  t.true(page.text.includes('action="/oauth2/end"'), page.text)
  const path = /name="(id_token_hint|state|post_logout_redirect_uri|client_id)" value="([^"]*)"/g
  const carried = Object.fromEntries([...page.text.matchAll(path)].map(([, name = '', value = '']) => [name, value]))
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  return await browser.post('/oauth2/end', { ...carried, csrf })
}

test('A-OID-20 RP-initiated logout: with the hint the session ends at once, and the user is led back with the state', async (t) => {
  const shop = await shopWith()
  for (const state of [STATE, undefined]) {
    const ada = await visit(shop)
    t.true(await ada.isIn())
    const { status, location, headers } = await end(ada.browser, {
      id_token_hint: ada.hint,
      post_logout_redirect_uri: BYE,
      state,
    })
    t.deepEqual([status, location], [303, state === undefined ? BYE : `${BYE}?state=${state}`])
    t.regex(headers.get('set-cookie') ?? '', /^sid=; .*Max-Age=0$/)
    t.false(await ada.isIn())
    t.is((await oidc.get('userinfo', { authorization: `Bearer ${ada.token}` })).status, 401, 'its tokens are dead')
    const again = await end(ada.browser, { id_token_hint: ada.hint, post_logout_redirect_uri: BYE })
    t.is(again.location, BYE, 'who is signed out already is led back too')
  }
})

deepTest(
  'A-OID-20 RP-initiated logout: an app that sends client_id and no hint has its user asked, who is then led back',
  async (t) => {
    const shop = await shopWith()
    const ada = await visit(shop)
    const asked = { client_id: shop.clientId, post_logout_redirect_uri: BYE, state: STATE }
    const page = await end(ada.browser, asked)
    t.deepEqual([page.status, page.location, page.text.includes('go back to app.test')], [200, '', true], page.text)
    t.true(await ada.isIn(), 'nobody is signed out by a link alone')
    t.is((await confirmed(t, ada, page)).location, `${BYE}?state=${STATE}`)
    t.false(await ada.isIn())
    t.is((await end(ada.browser, asked)).location, `${BYE}?state=${STATE}`, 'who is signed out already is led back too')
  },
)

test('A-OID-20 RP-initiated logout: a bad hint or address leads nowhere and asks, and so does a logout without a hint', async (t) => {
  const [shop, other, bare] = [await shopWith(), await shopWith(), await oidc.operator.app()]
  const { hint: foreign } = await visit(shop)
  const [head, body, signature] = foreign.split('.') as [string, string, string]
  const none = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${body}.`
  const odd: readonly [string, number, (hint: string) => Fields][] = [
    [
      'bad post_logout_redirect_uri',
      400,
      (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: 'https://evil.test/' }),
    ],
    ['with a query added', 400, (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${BYE}?x=1` })],
    ['no hint', 400, () => ({ post_logout_redirect_uri: BYE })],
    ['an app that is not there', 400, () => ({ post_logout_redirect_uri: BYE, client_id: 'app_nobody' })],
    ['not this app’s', 400, () => ({ post_logout_redirect_uri: BYE, client_id: bare.clientId })],
    [
      'bad signature',
      400,
      () => ({ id_token_hint: `${head}.${body}.${signature.slice(2)}AA`, post_logout_redirect_uri: BYE }),
    ],
    ['alg none', 400, () => ({ id_token_hint: none, post_logout_redirect_uri: BYE })],
    ['another app', 400, (hint) => ({ id_token_hint: hint, client_id: other.clientId, post_logout_redirect_uri: BYE })],
    ['somebody else’s hint', 200, () => ({ id_token_hint: foreign })],
    ['no parameters', 200, () => ({})],
    ['only a state', 200, () => ({ state: STATE })],
  ]
  for (const [what, status, fields] of odd) {
    const ada = await visit(shop)
    const page = await end(ada.browser, fields(ada.hint))
    t.deepEqual([page.status, page.location], [status, ''], what)
    t.true(await ada.isIn(), what)
    const out = await confirmed(t, ada, page)
    t.deepEqual([out.status, out.location, out.text.includes('You are signed out')], [200, '', true], what)
    t.false(await ada.isIn(), what)
  }
  const ada = await visit(shop)
  const page = await end(ada.browser, { id_token_hint: foreign, post_logout_redirect_uri: BYE, state: STATE })
  t.is(
    (await confirmed(t, ada, page)).location,
    `${BYE}?state=${STATE}`,
    'who says yes is led to an address that is certain',
  )
})

deepTest(
  'A-OID-20 RP-initiated logout: without an address it ends on a page of ours, a POST is taken, and no other site can press the button',
  async (t) => {
    const shop = await shopWith()
    const ada = await visit(shop)
    const page = await end(ada.browser, {})
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    t.is((await ada.browser.post('/oauth2/end', { csrf: 'x' })).status, 403)
    t.is((await ada.browser.post('/oauth2/end', { csrf }, { 'sec-fetch-site': 'cross-site' })).status, 403)
    t.true(await ada.isIn())
    const led = await ada.browser.post('/oauth2?op=end_session', { id_token_hint: ada.hint })
    t.is(led.status, 303)
    const out = await ada.browser.open(led.location)
    t.deepEqual([out.status, out.text.includes('You are signed out')], [200, true])
    t.false(await ada.isIn())
  },
)

const tokensFor = (clientId: string) =>
  oidc.app.receiver.posts
    .map(({ body }: Post) => new URLSearchParams(body).get('logout_token') ?? '')
    .filter((token) => JSON.parse(Buffer.from(token.split('.')[1] ?? 'e30', 'base64url').toString()).aud === clientId)

test('A-OID-20 every app that the session was used for is told once, before the user is led back', async (t) => {
  const shops = [
    await shopWith({ backchannelUrl: oidc.app.receiver.url }),
    await shopWith({ backchannelUrl: oidc.app.receiver.url }),
    await shopWith(),
  ]
  const [shop] = shops as [AppSecrets]
  const ada = await visit(shop)
  for (const each of shops) await ada.browser.code(request(each))
  const others = await shopWith({ backchannelUrl: oidc.app.receiver.url })
  await end(ada.browser, { id_token_hint: ada.hint, post_logout_redirect_uri: BYE })
  t.deepEqual(
    await Promise.all([...shops, others].map(async ({ clientId }) => tokensFor(clientId).length)),
    [1, 1, 0, 0],
  )
  const keys = createRemoteJWKSet(new URL(`${oidc.origin}/.well-known/jwks.json`))
  const { payload } = await jwtVerify(tokensFor(shop.clientId)[0] ?? '', keys, {
    issuer: oidc.origin,
    typ: 'logout+jwt',
  })
  t.like(payload, { sub: ada.sub, sid: ada.sid, events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })
})

test('A-OID-20 ending all sessions tells their apps, and what a crash has left is told later, once', async (t) => {
  const shop = await shopWith({ backchannelUrl: oidc.app.receiver.url })
  const { flow, signIn, ledger } = oidc.operator
  const ending = { flow, signIn }
  const ada = await visit(shop)
  const second = await oidc.session(ada.sub)
  await oidc.browser(second.cookie).code(request(shop))
  const told = await endAllSessions(ending, ada.sub, second.sid)
  t.is(told.length, 1)
  t.deepEqual([await ada.isIn(), (await oidc.browser(second.cookie).authorize(request(shop))).status], [false, 302])
  t.true(await signIn.sessions.end(second.sid).then((sub) => sub === ada.sub))
  await tellLeft(ending)
  await tellLeft(ending)
  const id = flow.world.digest(`logout|${second.sid}|${shop.clientId}`).slice(0, 32)
  t.is((await ledger.notification.read(id)).status === 'none', false)
  t.is((await signIn.sessionApps.of([ada.sid, second.sid])).length, 0)
})

const kinds: readonly [string, Partial<AppWish>, (app: AppSecrets) => client.ClientAuth][] = [
  ['client_secret_post', {}, ({ clientSecret }) => client.ClientSecretPost(clientSecret ?? '')],
  ['client_secret_basic', {}, ({ clientSecret }) => client.ClientSecretBasic(clientSecret ?? '')],
  ['a public app', { confidential: false }, () => client.None()],
]

for (const [kind, wish, authentication] of kinds)
  deepTest(`A-OID-12 A-OID-18 A-OID-19 A-OID-20 openid-client goes from discovery to logout: ${kind}`, async (t) => {
    const shop = await shopWith(wish)
    const insecure = { execute: [client.allowInsecureRequests] }
    const config = await client.discovery(
      new URL(oidc.origin),
      shop.clientId,
      undefined,
      authentication(shop),
      insecure,
    )
    const ada = await oidc.signedIn()
    const round = async (extra: Record<string, string> = {}) => {
      const [verifier, nonce, state] = [client.randomPKCECodeVerifier(), fresh(), client.randomState()]
      const code_challenge = await client.calculatePKCECodeChallenge(verifier)
      const asked = {
        redirect_uri: 'https://app.test/cb',
        scope: 'openid email',
        code_challenge,
        code_challenge_method: 'S256',
      }
      const url = client.buildAuthorizationUrl(config, { ...asked, nonce, state, ...extra })
      const first = await ada.browser.open(url.pathname + url.search)
      const back = first.status === 200 ? await ada.browser.decide(first, 'allow') : first
      const checks = { pkceCodeVerifier: verifier, expectedNonce: nonce, expectedState: state, idTokenExpected: true }
      return await client.authorizationCodeGrant(config, new URL(back.location), checks)
    }
    const tokens = await round({ max_age: '1000' })
    const sub = tokens.claims()?.sub ?? ''
    t.deepEqual([sub, tokens.claims()?.email], [ada.sub, ada.email])
    const info = await client.fetchUserInfo(config, tokens.access_token, sub)
    t.deepEqual([info.email, info.email_verified], [ada.email, true])
    const silent = await round({ prompt: 'none', id_token_hint: tokens.id_token ?? '' })
    await client.tokenRevocation(config, silent.access_token)
    await t.throwsAsync(client.fetchUserInfo(config, silent.access_token, sub))
    t.is((await client.fetchUserInfo(config, tokens.access_token, sub)).sub, sub)
    const out = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: BYE,
      state: STATE,
    })
    t.is((await ada.browser.open(out.pathname + out.search)).location, `${BYE}?state=${STATE}`)
    await t.throwsAsync(round({ prompt: 'none' }), { message: /login_required|authorization/ })
  })
