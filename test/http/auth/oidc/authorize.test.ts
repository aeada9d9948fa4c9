import test, { type ExecutionContext } from 'ava'
import { eventually } from '../../../../src/demo/stage.ts'
import { deepTest } from '../../../support/deep-test.ts'
import {
  type Fields,
  formOf,
  type Oidc,
  openOidc,
  redemption,
  request,
  type Seen,
  STATE,
} from '../../../support/oidc.ts'

/** Tests that move the clock run one after the other. */
let oidc: Oidc
test.before(async () => {
  oidc = await openOidc()
})
test.after.always(() => oidc?.stop())

/** A page for the user; nobody is sent anywhere. */
const isPage = (t: ExecutionContext, { status, location, headers, text }: Seen, word: RegExp | string, what = '') => {
  t.deepEqual([status, location], [400, ''], what)
  t.regex(headers.get('content-type') ?? '', /^text\/html/)
  t.true(typeof word === 'string' ? text.includes(word) : word.test(text), `${what}: ${text}`)
}

/** Back at the app with an error, its state and who says so. */
const isError = (t: ExecutionContext, { status, location, query }: Seen, error: string, state = STATE) => {
  t.true([302, 303].includes(status) && location.startsWith('https://app.test/cb?'), `${status} ${location}`)
  t.deepEqual(query, { error, state, iss: oidc.origin })
}

/** Back at the app with an error of its request, in words for its maker, and with its state as it was sent. */
const isFault = (t: ExecutionContext, { status, location, query }: Seen, error: string, state: string | undefined) => {
  t.deepEqual([status, location.startsWith('https://app.test/cb?')], [303, true], `${error} ${status} ${location}`)
  const { error_description: words = '', ...told } = query
  t.deepEqual(told, { error, ...(state !== undefined && { state }), iss: oidc.origin })
  t.regex(words, /^[\x20\x21\x23-\x5b\x5d-\x7e]{10,}$/, 'what RFC 6749 allows there')
}

test('A-OID-01 A-OID-03 L-AUT-04 who is signed in and has agreed is sent back with a code and the same state', async (t) => {
  const shop = await oidc.operator.app()
  const { browser } = await oidc.signedIn()
  await browser.code(request(shop))
  const state = 'a state & more? =/ü€'
  const { status, location, query, headers } = await browser.authorize(request(shop, { state }))
  t.deepEqual([status, headers.get('cache-control')], [302, 'no-store'])
  t.true(location.startsWith('https://app.test/cb?'))
  t.deepEqual(query, { code: query.code as string, state, iss: oidc.origin })
  t.regex(query.code ?? '', /^[0-9a-f]{64}$/)
  for (const length of [16, 17, 2_048])
    t.is((await browser.authorize(request(shop, { state: 's'.repeat(length) }))).query.state?.length, length)
  for (const bad of ['s'.repeat(15), 's'.repeat(2_049), undefined])
    isFault(t, await browser.authorize(request(shop, { state: bad })), 'invalid_request', bad)
})

test('A-OID-01 A-OID-02 a wrong app or address is said on a page and redirected nowhere, whatever else is wrong', async (t) => {
  const shop = await oidc.operator.app()
  const { browser } = await oidc.signedIn()
  const odd: readonly [Fields, string][] = [
    [{ client_id: undefined }, 'invalid_client'],
    [{ client_id: 'app_nobody' }, 'invalid_client'],
    [{ client_id: `app_${'a'.repeat(26)}` }, 'invalid_client'],
    [{ redirect_uri: undefined }, 'invalid_request'],
    [{ redirect_uri: 'https://app.test/cb/' }, 'invalid_redirect_uri'],
    [{ redirect_uri: 'https://evil.test/cb' }, 'invalid_redirect_uri'],
    [{ redirect_uri: 'https://evil.test/cb', response_type: 'token' }, 'invalid_redirect_uri'],
    [{ client_id: 'app_nobody', redirect_uri: 'https://evil.test/cb', state: undefined }, 'invalid_client'],
    [{ redirect_uri: 'javascript:alert(1)', code_challenge: undefined }, 'invalid_redirect_uri'],
  ]
  for (const who of [browser, oidc.browser()])
    for (const [fields, word] of odd)
      for (const prompt of [{}, { prompt: 'none' }])
        isPage(t, await who.authorize(request(shop, { ...prompt, ...fields })), word, JSON.stringify(fields))
  for (const twice of ['state', 'scope', 'client_id', 'redirect_uri', 'foo']) {
    const query = formOf(request(shop, { foo: 'x' }))
    const { status, location } = await browser.open(`/oauth2?op=authorize&${query}&${twice}=y`)
    t.deepEqual([status, location], [400, ''], twice)
  }
})

test('A-OID-01 A-OID-03 A-OID-04 A-CLI-01 Q-18 the app is told what is wrong with its request, before anybody signs in', async (t) => {
  const shop = await oidc.operator.app()
  const { browser } = await oidc.signedIn()
  const odd: readonly [Fields, string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ response_mode: 'form_post' }, 'invalid_request'],
    [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    [{ request_uri: 'https://app.test/request' }, 'request_uri_not_supported'],
    [{ registration: '{}' }, 'registration_not_supported'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ prompt: 'select_account' }, 'invalid_request'],
    [{ max_age: '-1' }, 'invalid_request'],
    [{ max_age: '1.5' }, 'invalid_request'],
    [{ max_age: '9007199254740993' }, 'invalid_request'],
    [{ nonce: 'n'.repeat(2_049) }, 'invalid_request'],
    [{ id_token_hint: 'no.token.atall' }, 'invalid_request'],
    [{ code_challenge: undefined, code_challenge_method: undefined }, 'pkce_required'],
  ]
  for (const who of [browser, oidc.browser()])
    for (const [fields, error] of odd)
      for (const prompt of [{}, { prompt: 'none' }])
        isFault(t, await who.authorize(request(shop, { ...prompt, ...fields })), error, STATE)
  // A public app of the operator's own has no secret, so that PKCE is all that protects its code.
  const bare = { code_challenge: undefined, code_challenge_method: undefined }
  const open = await oidc.operator.app({ firstParty: true, confidential: false })
  isFault(t, await browser.authorize(request(open, bare)), 'pkce_required', STATE)
  const own = await oidc.operator.app({ firstParty: true })
  t.is((await browser.authorize(request(own, bare))).query.error, undefined)
})

deepTest(
  'A-OID-01 an app that changes while its user is led away is told of it, and one that is gone is not',
  async (t) => {
    const shop = await oidc.operator.app()
    const ada = await oidc.signedIn()
    const own = oidc.browser()
    const led = await own.authorize(request(shop))
    await oidc.operator.ledger.clientApp.setUris(shop.clientId, { redirectUris: ['https://app.test/other'] })
    await eventually('the address is gone', async () => (await own.authorize(request(shop))).status === 400)
    isPage(t, await own.signInAt(led, ada), 'invalid_redirect_uri')
  },
)

test('A-OID-05 E-AUT-04 unknown scopes are dropped, and without openid nothing is left to grant', async (t) => {
  const shop = await oidc.operator.app()
  const { browser } = await oidc.signedIn()
  const scope = 'zzz email openid email offline_access'
  const code = await browser.code(request(shop, { scope }))
  t.is((await oidc.post('token', redemption(shop, code))).json.scope, 'openid email')
  for (const none of ['email profile', 'zzz', 'OPENID', undefined, ''])
    for (const who of [browser, oidc.browser()])
      isError(t, await who.authorize(request(shop, { scope: none })), 'invalid_scope')
})

test('A-OID-06 E-AUT-01 E-AUT-02 prompt=none shows nothing: login_required without a session, consent_required without consent', async (t) => {
  const shop = await oidc.operator.app()
  const { browser } = await oidc.signedIn()
  const silent = request(shop, { prompt: 'none', state: 'another state of 16' })
  isError(t, await oidc.browser().authorize(silent), 'login_required', 'another state of 16')
  isError(t, await browser.authorize(silent), 'consent_required', 'another state of 16')
  await browser.code(request(shop))
  t.is(typeof (await browser.authorize(silent)).query.code, 'string')
  isError(t, await browser.authorize({ ...silent, max_age: '0' }), 'login_required', 'another state of 16')
  isError(t, await browser.authorize(request(shop, { prompt: 'none', scope: 'openid email' })), 'consent_required')
})

test.serial(
  'A-OID-07 A-OID-08 prompt=login, max_age=0 and a sign-in that is too old ask who it is once more',
  async (t) => {
    const shop = await oidc.operator.app()
    const ada = await oidc.signedIn()
    await ada.browser.code(request(shop))
    oidc.later(60)
    for (const fields of [
      { prompt: 'login' },
      { max_age: '0' },
      { max_age: '30' },
      { prompt: 'login', max_age: '9999' },
    ]) {
      const led = await ada.browser.authorize(request(shop, fields))
      t.is(led.status, 302)
      t.deepEqual([led.location.split('?')[0], led.query.again], ['/sign-in', '1'], JSON.stringify(fields))
      const still = await ada.browser.open(led.query.next ?? '')
      t.is(still.query.again, '1', 'who comes back without having signed in is led there again')
      const back = await ada.browser.signInAt(led, ada)
      t.is(back.query.state, STATE, back.text)
      const over = await ada.browser.open(led.query.next ?? '')
      t.is(over.status, 400, 'it is answered once')
      const { id_token } = (await oidc.post('token', redemption(shop, back.query.code ?? ''))).json
      const { auth_time, iat } = JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url').toString())
      t.true(iat - auth_time < 30)
      oidc.later(60)
    }
    t.is(typeof (await ada.browser.authorize(request(shop, { max_age: '600' }))).query.code, 'string')
    isError(t, await ada.browser.authorize(request(shop, { max_age: '30', prompt: 'none' })), 'login_required')
  },
)

test('A-OID-07 A-OID-10 consent is asked once, again for a new scope, and whenever prompt=consent says so', async (t) => {
  const shop = await oidc.operator.app({ name: 'Corner <Shop>' })
  const ada = await oidc.signedIn()
  const page = await ada.browser.authorize(request(shop, { scope: 'openid email' }))
  t.is(page.status, 200)
  for (const word of ['Corner &lt;Shop', 'app.test', ada.email, 'see your email address'])
    t.true(page.text.includes(word), `${word} in ${page.text}`)
  t.false(page.text.includes('see your balance'))
  t.regex(
    page.headers.get('content-security-policy') ?? '',
    /form-action 'self' https:\/\/app\.test;.*frame-ancestors 'none'/,
  )
  const agreed = await ada.browser.decide(page, 'allow')
  t.deepEqual([agreed.status, agreed.query.state], [303, STATE])
  t.is((await ada.browser.authorize(request(shop, { scope: 'openid' }))).status, 302)
  t.is((await ada.browser.authorize(request(shop, { scope: 'email openid' }))).status, 302)
  const more = await ada.browser.authorize(request(shop, { scope: 'openid balance' }))
  t.true(more.status === 200 && more.text.includes('Nothing is paid until you confirm'), more.text)
  t.is((await ada.browser.authorize(request(shop, { prompt: 'consent' }))).status, 200)
  t.is((await ada.browser.code(request(shop, { prompt: 'consent', scope: 'openid balance' }))).length, 64)
  t.is((await ada.browser.authorize(request(shop, { scope: 'openid balance email' }))).status, 302)
})

test('A-OID-09 E-AUT-03 who does not allow it is sent back with access_denied, and is asked again next time', async (t) => {
  const shop = await oidc.operator.app()
  const { browser } = await oidc.signedIn()
  const page = await browser.authorize(request(shop))
  isError(t, await browser.decide(page, 'deny'), 'access_denied')
  t.is((await browser.decide(page, 'allow')).status, 400, 'a page is answered once')
  t.is((await browser.authorize(request(shop))).status, 200)
})

test('A-OID-10 an app of the operator’s own asks for no consent', async (t) => {
  const own = await oidc.operator.app({ firstParty: true })
  const { browser } = await oidc.signedIn()
  t.is(typeof (await browser.authorize(request(own, { scope: 'openid email', prompt: 'none' }))).query.code, 'string')
  t.is((await browser.authorize(request(own, { prompt: 'consent' }))).status, 200)
})

test.serial(
  'A-OID-01 what waits for its user goes on in the browser that it was begun in, and in no other',
  async (t) => {
    const shop = await oidc.operator.app()
    const [ada, eve] = [await oidc.signedIn(), await oidc.signedIn()]
    const own = oidc.browser()
    const led = await own.authorize(request(shop))
    t.is(led.query.again, undefined)
    const next = led.query.next ?? ''
    for (const other of [eve.browser, oidc.browser(), oidc.browser('interaction=00')])
      isPage(t, await other.open(next), 'begun in another browser')
    await ada.browser.authorize(request(shop))
    isPage(t, await ada.browser.open(next), 'begun in another browser', 'with a cookie of its own')
    const consent = await own.signInAt(led, ada)
    t.is(consent.status, 200)
    isPage(t, await own.open('/oauth2/resume?interaction=int_x'), 'has ended')
    t.is((await eve.browser.decide(consent, 'allow')).status, 403, 'a form of another session')
    const later = await own.authorize(request(shop))
    oidc.later(3_601)
    isPage(t, await own.decide(later, 'allow'), 'too old')
  },
)

test.serial(
  'A-OID-06 id_token_hint of another user asks that one to sign in, and is login_required with prompt=none',
  async (t) => {
    const shop = await oidc.operator.app()
    const [ada, eve] = [await oidc.signedIn(), await oidc.signedIn()]
    const hint = (await oidc.post('token', redemption(shop, await ada.browser.code(request(shop))))).json.id_token
    oidc.later(700)
    await eve.browser.code(request(shop))
    const hinted = request(shop, { id_token_hint: hint })
    t.is(
      typeof (await ada.browser.authorize({ ...hinted, prompt: 'none' })).query.code,
      'string',
      'also when it is old',
    )
    isError(t, await eve.browser.authorize({ ...hinted, prompt: 'none' }), 'login_required')
    const led = await eve.browser.authorize(hinted)
    t.is(led.query.again, '1')
    isError(t, await eve.browser.signInAt(led, eve), 'login_required')
    const other = await oidc.operator.app()
    isFault(t, await ada.browser.authorize(request(other, { id_token_hint: hint })), 'invalid_request', STATE)
  },
)

test('A-CLI-02 A-CLI-03 redirect URIs live while their domain is verified; loopback ones of public apps always do', async (t) => {
  const { ledger } = oidc.operator
  const shop = await oidc.operator.app({
    redirectUris: ['https://app.test/cb', 'https://a.b.app.test/cb', 'https://xapp.test/cb'],
  })
  const { browser } = await oidc.signedIn()
  const at = async (redirect_uri: string) => (await browser.authorize(request(shop, { redirect_uri }))).status
  t.deepEqual(
    [await at('https://app.test/cb'), await at('https://a.b.app.test/cb'), await at('https://xapp.test/cb')],
    [200, 200, 400],
  )
  await ledger.clientApp.lapseDomain(shop.clientId, { domain: 'app.test' })
  await eventually('the lapse counts', async () => (await at('https://app.test/cb')) === 400)
  t.is(await at('https://a.b.app.test/cb'), 400)
  const local = await oidc.operator.app({ confidential: false, redirectUris: ['http://127.0.0.1:5000/cb'] })
  for (const uri of ['http://127.0.0.1:5000/cb', 'http://127.0.0.1:61234/cb'])
    t.is((await browser.authorize(request(local, { redirect_uri: uri }))).status, 200)
  await t.throwsAsync(oidc.operator.app({ redirectUris: ['http://127.0.0.1:5000/cb'] }), { message: /public/ })
})
