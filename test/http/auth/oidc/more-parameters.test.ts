import test from 'ava'
import { type Fields, formOf, type Oidc, openOidc, redemption, request, STATE } from '../../../support/oidc.ts'

/**
 * Parameters that nobody here knows. Clients send what other providers understand, and an authorization server ignores
 * it (RFC 6749 §3.1 and §3.2, RFC 7009 §2.1, OpenID Connect Core 1.0 §3.1.2.1).
 */

let oidc: Oidc
test.before(async () => {
  oidc = await openOidc()
})
test.after.always(() => oidc?.stop())

const MORE: Fields = {
  resource: 'https://api.example/',
  audience: 'https://api.example/',
  ui_locales: 'de fr',
  claims_locales: 'de',
  claims: '{"userinfo":{"name":null}}',
  acr_values: 'urn:mace:incommon:iap:silver',
  display: 'popup',
  access_type: 'offline',
  approval_prompt: 'force',
  include_granted_scopes: 'true',
  hd: 'example.com',
  utm_source: 'newsletter',
  id_token_hint: '',
  login_hint: 'ada@people.test',
  dpop_jkt: 'x'.repeat(43),
  constructor: 'x',
  'weird[name]': 'ü',
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

test('A-OID-01 A-OID-12 A-OID-18 A-OID-19 A-OID-20 parameters that mean nothing here do no harm, from the first request to the last', async (t) => {
  const shop = await oidc.operator.app()
  await oidc.operator.ledger.clientApp.setUris(shop.clientId, { postLogoutUris: ['https://app.test/bye'] })
  const ada = await oidc.signedIn()
  const code = await ada.browser.code({ ...MORE, ...request(shop) })
  const redeemed = await oidc.post('token', { ...MORE, ...redemption(shop, code), scope: 'openid', state: STATE })
  t.deepEqual([redeemed.status, redeemed.json.scope], [200, 'openid'], redeemed.text)
  const { access_token, id_token } = redeemed.json

  const more = formOf(MORE).toString()
  const answers = [
    await oidc.get(`userinfo&${more}&schema=openid`, bearer(access_token)),
    await oidc.post('userinfo', { ...MORE, schema: 'openid' }, bearer(access_token)),
    await oidc.post('userinfo', { ...MORE, access_token }),
  ]
  for (const { status, json } of answers) t.deepEqual([status, json], [200, { sub: ada.sub }])

  const { clientId: client_id, clientSecret: client_secret } = shop
  const named = { client_id, client_secret: client_secret ?? '' }
  const revoked = await oidc.post('revoke', { ...MORE, ...named, token: access_token, token_type_hint: 'access_token' })
  t.is(revoked.status, 200, revoked.text)
  t.is((await oidc.get('userinfo', bearer(access_token))).status, 401)

  const goodbye = { ...MORE, id_token_hint: id_token, post_logout_redirect_uri: 'https://app.test/bye', state: STATE }
  const over = await ada.browser.open(`/oauth2?op=end_session&${formOf(goodbye)}`)
  t.deepEqual([over.status, over.location], [303, `https://app.test/bye?state=${STATE}`], over.text)
})

test('A-OID-01 A-OID-20 the same by POST, and by a client that sends its secret in the header', async (t) => {
  const shop = await oidc.operator.app()
  const ada = await oidc.signedIn()
  await ada.browser.code(request(shop))
  const led = await ada.browser.post('/oauth2?op=authorize&v=2', formOf({ ...MORE, ...request(shop) }) as never)
  const { query } = await ada.browser.open(led.location)
  t.deepEqual([led.status, query.state], [303, STATE])
  const secret = Buffer.from(`${shop.clientId}:${shop.clientSecret}`).toString('base64')
  const fields = { ...MORE, ...redemption(shop, query.code ?? '', { client_id: undefined, client_secret: undefined }) }
  t.is((await oidc.post('token', fields, { authorization: `Basic ${secret}` })).status, 200)
  const out = await ada.browser.post('/oauth2?op=end_session&v=2', MORE as never)
  t.is(out.status, 303)
  t.is((await ada.browser.open(out.location)).status, 200)
})

test('A-GEN-03 A-GEN-04 the discovery document and the keys are found with a query, too', async (t) => {
  for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json'])
    t.is((await oidc.app.call('GET', `${path}?utm_source=x&v=2`)).status, 200, path)
})
