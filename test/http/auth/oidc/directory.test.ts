import test from 'ava'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { createSigner } from '../../../../adapters/crypto/signer.ts'
import { signToken } from '../../../../domain/use-cases/signin/signing-keys.ts'
import { createLedger } from '../../../../domain/write-side/ledger.ts'
import { openBooks } from '../../../../src/books/books.ts'
import { tidySignIn } from '../../../../src/clock/clock.ts'
import { rotateKeys } from '../../../../src/commands/users/keys.ts'
import { createOutput } from '../../../../src/console/output.ts'
import { eventually } from '../../../../src/demo/stage.ts'
import { readConfig } from '../../../../src/settings/config.ts'
import { openDataDir } from '../../../../src/settings/data-dir.ts'
import { noSnapshots } from '../../../support/ledger.ts'
import { formOf, type Oidc, openOidc, redemption, request } from '../../../support/oidc.ts'

/** Addresses are told apart by what a proxy says; each test that floods has one of its own. */
let oidc: Oidc
test.before(async () => {
  oidc = await openOidc({
    env: {
      TRUST_PROXY: '1',
      ADDRESS_RATE_PER_SECOND: '5',
      ADDRESS_RATE_BURST: '300',
      CLIENT_RATE_PER_SECOND: '2',
      CLIENT_RATE_BURST: '100',
      AUTHORIZE_PER_MINUTE: '120',
      USERINFO_PER_MINUTE: '60',
      TOKEN_FAILURES_PER_MINUTE: '60',
    },
  })
})
test.after.always(() => oidc?.stop())

const call = (path: string, init: RequestInit = {}, address = '192.0.2.1') =>
  fetch(`${oidc.origin}${path}`, {
    ...init,
    redirect: 'manual',
    headers: { 'x-forwarded-for': address, ...(init.headers as Record<string, string>) },
  })
/** Calls at once: one after the other, a slow machine would make fewer than a limit lets through meanwhile. */
const TOGETHER = 20
/** A service that has just come does without its own part of a limit, which flows in (N-113). */
const without = (limit: number) => limit - limit / 64
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test('A-GEN-02 A-GEN-03 the discovery document names exactly these endpoints, and each of them answers', async (t) => {
  const answer = await call('/.well-known/openid-configuration')
  t.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'public, max-age=300'])
  const config = (await answer.json()) as Record<string, unknown>
  const at = (op: string) => `${oidc.origin}/oauth2?op=${op}`
  const ways = ['client_secret_basic', 'client_secret_post', 'none']
  t.like(config, {
    issuer: oidc.origin,
    authorization_endpoint: at('authorize'),
    token_endpoint: at('token'),
    userinfo_endpoint: at('userinfo'),
    revocation_endpoint: at('revoke'),
    end_session_endpoint: at('end_session'),
    jwks_uri: `${oidc.origin}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile', 'balance'],
    token_endpoint_auth_methods_supported: ways,
    revocation_endpoint_auth_methods_supported: ways,
    code_challenge_methods_supported: ['S256'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  })
  for (const [name, url] of Object.entries(config).filter(([name]) => /_endpoint$|_uri$/.test(name))) {
    const { status } = await call((url as string).slice(oidc.origin.length))
    t.true(status < 500 && status !== 404, `${name} answered ${status}`)
  }
})

test('A-GEN-01 the query alone picks an operation; by another method it is 405, and one that there is not is 404', async (t) => {
  const answers = async (method: string, path: string, body?: string) => {
    const answer = await call(path, { method, ...(body !== undefined && { body, headers: FORM }) })
    const text = await answer.text()
    const json = text.startsWith('{') ? JSON.parse(text) : {}
    return [answer.status, json.error, answer.headers.get('allow')]
  }
  for (const path of ['/oauth2', '/oauth2?op=nope', '/oauth2?op=', '/oauth2?act=token'])
    for (const [method, body] of [['GET'], ['POST', 'op=token']] as const)
      t.deepEqual(await answers(method, path, body), [404, 'unknown_op', null], `${method} ${path}`)
  t.deepEqual(await answers('GET', '/oauth2?op=token'), [405, 'invalid_request', 'POST'])
  t.deepEqual(await answers('DELETE', '/oauth2?op=userinfo'), [405, 'invalid_request', 'GET, POST'])
  t.deepEqual(await answers('PUT', '/oauth2'), [405, 'invalid_request', 'GET, POST'])
  const refused = [400, 'invalid_request', null]
  t.deepEqual(await answers('POST', '/oauth2?op=token&op=revoke', 'a=1'), refused)
  t.deepEqual(await answers('POST', '/oauth2?op=token', 'op=revoke'), refused)
  t.deepEqual(await answers('POST', '/oauth2?op=token&code=x', 'grant_type=y'), refused)
  t.deepEqual(await answers('POST', '/oauth2?op=token', 'grant_type=y&grant_type=z'), refused)
  t.deepEqual(await answers('GET', '/oauth2?op=userinfo&x=1&x=2'), refused)
  const json = await call('/oauth2?op=token', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  t.is(json.status, 400, 'the operations of OAuth take forms alone')
})

test('A-GEN-02 scripts of other origins reach the token, userinfo and discovery endpoints, and nothing else', async (t) => {
  const headers = { origin: 'https://spa.test', 'access-control-request-method': 'POST' }
  const shared = async (path: string, init: RequestInit = {}) => {
    const preflight = await call(path, { method: 'OPTIONS', headers })
    const answer = await call(path, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } })
    const by = (name: string) => [preflight.headers.get(name), answer.headers.get(name)]
    t.deepEqual(by('access-control-allow-credentials'), [null, null])
    return by('access-control-allow-origin')
  }
  const form = { method: 'POST', body: 'a=1', headers: FORM }
  t.deepEqual(await shared('/oauth2?op=token', form), ['*', '*'])
  t.deepEqual(await shared('/oauth2?op=userinfo'), ['*', '*'])
  t.deepEqual(await shared('/.well-known/openid-configuration'), ['*', '*'])
  t.deepEqual(await shared('/.well-known/jwks.json'), ['*', '*'])
  for (const path of ['/oauth2?op=authorize', '/oauth2?op=end_session', '/sign-in', '/account'])
    t.deepEqual(await shared(path), [null, null], path)
  t.deepEqual(await shared('/oauth2?op=revoke', form), [null, null])
})

/** Calls until it is refused; then waits as long as it is told to, and calls once more. */
const flooded = async (most: number, send: () => Promise<Response>) => {
  for (let sent = 0; sent < most; sent += TOGETHER) {
    const answers = await Promise.all(Array.from({ length: TOGETHER }, send))
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    const refused = answers.findIndex(({ status }) => status === 429)
    if (refused === -1) continue
    const wait = Number(answers[refused]?.headers.get('retry-after'))
    await new Promise((resolve) => setTimeout(resolve, wait * 1_000))
    const passed = sent + answers.filter(({ status }) => status !== 429).length
    return { sent: passed + 1, wait, error: texts[refused], after: (await send()).status }
  }
  return undefined
}

test('A-AUT-02 E-AUT-09 L-AUT-11 an address that begins too many sign-ins waits; others and their apps do not', async (t) => {
  const shop = await oidc.operator.app()
  const query = new URLSearchParams({
    op: 'authorize',
    ...(request(shop, { prompt: 'none' }) as Record<string, string>),
  })
  const begin = (address: string) => () => call(`/oauth2?${query}`, {}, address)
  const stopped = await flooded(400, begin('192.0.2.10'))
  t.true(stopped !== undefined && stopped.sent >= without(120) && stopped.wait <= 2, JSON.stringify(stopped))
  t.is(stopped?.after, 302)
  t.is((await begin('192.0.2.11')()).status, 302)
})

test('A-AUT-02 E-AUT-09 L-AUT-11 who guesses at tokens waits, and the right one passes all the same', async (t) => {
  const own = await oidc.operator.app()
  const { browser } = await oidc.signedIn()
  const guess = (fields: object) => () =>
    call(
      '/oauth2?op=token',
      {
        method: 'POST',
        body: new URLSearchParams(redemption(own, 'x', { ...fields }) as Record<string, string>),
        headers: FORM,
      },
      '192.0.2.20',
    )
  const stopped = await flooded(400, guess({ client_secret: 'wrong' }))
  t.true(stopped !== undefined && stopped.sent >= without(60) && stopped.wait <= 2, JSON.stringify(stopped))
  t.deepEqual([JSON.parse(stopped?.error ?? '').error, stopped?.after], ['slow_down', 401])
  const code = await browser.code(request(own))
  t.not(await flooded(400, guess({ client_secret: 'wrong' })), undefined)
  t.is((await guess({ code })()).status, 200, 'also while it waits')
})

test('A-AUT-02 E-AUT-09 L-AUT-11 a token, an app and an address may each call so often', async (t) => {
  const shop = await oidc.operator.app()
  const tokenOf = async () => {
    const code = await (await oidc.signedIn()).browser.code(request(shop))
    return (await oidc.post('token', redemption(shop, code), { 'x-forwarded-for': '192.0.2.30' })).json.access_token
  }
  let from = 0
  const anywhere = () => `198.51.100.${++from % 250}`
  const look = (token: string) => () =>
    call('/oauth2?op=userinfo', { headers: { authorization: `Bearer ${token}` } }, anywhere())
  const byToken = await flooded(400, look(await tokenOf()))
  t.true(byToken !== undefined && byToken.sent >= without(60), JSON.stringify(byToken))
  t.deepEqual([byToken?.after, (await look(await tokenOf())()).status], [200, 200])
  const body = formOf({ client_id: shop.clientId, client_secret: shop.clientSecret ?? '', token: 'x' }).toString()
  const revoke = () => call('/oauth2?op=revoke', { method: 'POST', body, headers: FORM }, anywhere())
  const byApp = await flooded(400, revoke)
  t.is(byApp?.after, 200)
  const keys = () => call('/.well-known/jwks.json', {}, '192.0.2.40')
  const byAddress = await flooded(1_500, keys)
  t.true(byAddress !== undefined && byAddress.sent >= without(300), JSON.stringify(byAddress))
  t.is(byAddress?.after, 200)
})

test.serial(
  'A-GEN-04 a next key is published a day before it signs, and the last one until its tokens are over',
  async (t) => {
    // A day later domains are looked at again, and this one is none: an app of this machine needs none.
    const at = { redirect_uri: 'http://127.0.0.1/cb' }
    const shop = await oidc.operator.app({ confidential: false, firstParty: true, redirectUris: [at.redirect_uri] })
    const ada = await oidc.operator.user()
    const idToken = async () => {
      const { cookie } = await oidc.session(ada.sub)
      const code = await oidc.browser(cookie).code(request(shop, at))
      return (await oidc.post('token', redemption(shop, code, at))).json.id_token as string
    }
    const published = async () => (await (await call('/.well-known/jwks.json')).json()) as { keys: { kid: string }[] }
    const kids = async () => (await published()).keys.map(({ kid }) => kid)
    const signer = async () =>
      JSON.parse(Buffer.from((await idToken()).split('.')[0] ?? '', 'base64url').toString()).kid
    const [first] = await kids()
    const { keys } = await published()
    t.deepEqual(Object.keys(keys[0] ?? {}).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
    const before = await idToken()
    const books = openBooks(readConfig(oidc.app.env))
    const said: unknown[] = []
    const out = { ...createOutput(true), tell: async (told: unknown) => void said.push(told) }
    for (let i = 0; i < 2; i++) await rotateKeys(books, out, () => openDataDir(readConfig(oidc.app.env)).masterKey())
    await books.close()
    const next = (said[0] as { kid: string }).kid
    t.deepEqual(said[1], said[0], 'asked twice, there is one next key')
    for (let i = 0; i < 100 && (await kids()).length < 2; i++) await new Promise((resolve) => setTimeout(resolve, 10))
    t.deepEqual([await kids(), await signer()], [[next, first], first])
    oidc.later(24 * 3_600 + 1)
    t.deepEqual([await kids(), await signer()], [[next, first], next])
    await t.notThrowsAsync(jwtVerify(before, createLocalJWKSet(await published()), { currentDate: new Date() }))
    oidc.later(3_600)
    t.deepEqual(await kids(), [next])
    oidc.later(-25 * 3_600 - 1)
  },
)

test.serial('A-GEN-04 a sweep rotates the key before 90 days are over, and forgets rows of the past', async (t) => {
  const { flow, signIn, sql } = oidc.operator
  const books = openBooks(readConfig(oidc.app.env))
  const store = await books.store()
  const shop = await oidc.operator.app()
  await (await oidc.signedIn()).browser.code(request(shop))
  const warnings: object[] = []
  const tidy = async (days: number) => {
    const now = () => new Date(Date.now() + days * 86_400_000)
    const world = { ...flow.world, now }
    const { ledger } = createLedger(store, world, noSnapshots).open({ actor: 'sweep', correlationId: 'test' })
    await tidySignIn({ ...flow, ledger, world, signer: createSigner() }, signIn, {
      warn: (fields) => warnings.push(fields),
    })
    return (await ledger.signingKeys.read('auth')).keys.length
  }
  const keys = await tidy(0)
  t.is(await tidy(80), keys)
  t.is(await tidy(91), keys + 1)
  t.is(await tidy(91), keys + 1)
  await books.close()
  t.deepEqual(warnings, [])
  for (const table of ['codes', 'access_tokens', 'interactions', 'sessions', 'session_apps'])
    t.is((await sql`select count(*)::int as n from daybook_signin.${sql(table)}`)[0]?.n, 0, table)
})

test.serial(
  'A-GEN-04 when the data key of the signing key is given up, the next token is signed by a new one',
  async (t) => {
    const { flow, sql } = oidc.operator
    const keys = () => flow.ledger.signingKeys.read('auth')
    const before = (await keys()).keys.at(-1)
    if (!before) return t.fail()
    const [, subject = ''] = before.privateKey.split('.')
    await sql`
    update daybook_vault.data_keys set wrapped = '', erased_at = now(), lost_at = now() where subject = ${subject}`
    await sql`select pg_notify('daybook_vault_erased', ${subject})`
    await eventually('the key to be forgotten', async () => (await flow.vault.open(before.privateKey)) === undefined)
    const sign = () => signToken({ ...flow, signer: createSigner() }, 'JWT', { sub: 'x' })
    const signer = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
    const token = await sign()
    const after = (await keys()).keys.at(-1)
    t.not(after?.kid, before.kid)
    t.is(signer(token), after?.kid)
    t.is(signer(await sign()), after?.kid, 'and by no third one')
    const jwks = await (await call('/.well-known/jwks.json')).json()
    await t.notThrowsAsync(jwtVerify(token, createLocalJWKSet(jwks)))
    t.true(
      jwks.keys.some(({ kid }: { kid: string }) => kid === before.kid),
      'what was signed before stays good',
    )
  },
)
