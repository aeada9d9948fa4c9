/**
 * Clients of OpenID Connect and OAuth 2.0 as their makers publish them, and as their READMEs set them up: each signs
 * in, or fails at the page of its own app with a reason that names what to set.
 */
import test, { type ExecutionContext } from 'ava'
import { hasClients } from '../../../support/clients.ts'
import { type Oidc, openOidc } from '../../../support/oidc.ts'
import { hiddenIn, type Person, person } from '../../../support/people.ts'
import {
  haveApache,
  haveAuthlib,
  type SignInProvider,
  startApache,
  startAuthlibApps,
  startNodeApps,
} from '../../../support/sign-in-clients.ts'

const NAMES = [
  ...(['openid-client', 'openid-client-readme', 'oauth4webapi', 'oauth4webapi-readme'] as const),
  ...(['simple-oauth2', 'simple-oauth2-readme', 'passport-oauth2', 'passport-openidconnect'] as const),
  ...(['authlib', 'authlib-readme', 'mod'] as const),
]

let oidc: Oidc
let provider: SignInProvider
test.before(async () => {
  oidc = await openOidc()
  const redirectUris = [
    ...NAMES.map((name) => `http://localhost/${name}/cb`),
    ...['authjs', 'authjs-readme'].map((name) => `http://localhost/${name}/callback/daybook`),
  ]
  const { clientId, clientSecret } = await oidc.operator.app({ development: true, redirectUris })
  provider = { issuer: oidc.origin, id: clientId, secret: clientSecret ?? '' }
})
test.after.always(() => oidc?.stop())

/** Somebody who is signed in to Daybook, in a browser that goes wherever it is led, and agrees when it is asked. */
const visitor = async () => {
  const { sub, email, cookie } = await oidc.signedIn()
  const browser = person(oidc.app, cookie)
  const follow = async (path: string, from: string) => {
    let url = new URL(path, from).href
    for (let steps = 0; steps < 10; steps++) {
      const page = await browser.open(url)
      const agreed = page.text.includes('name="decision"') ? await agree(browser, page.text) : page
      if (agreed.location === '') return { url, ...agreed }
      url = new URL(agreed.location, url).href
    }
    throw new Error(`led in circles: ${url}`)
  }
  return { sub, email, browser, follow }
}

const agree = async (browser: Person, text: string) => {
  const action = /<form method="post" action="([^"]+)"/.exec(text)?.[1] ?? ''
  return await browser.post(action, { ...hiddenIn(text), decision: 'allow' })
}

const signsIn = async (t: ExecutionContext, origin: string, name: string) => {
  const ada = await visitor()
  const { url, status, text } = await ada.follow(`/${name}/login`, origin)
  t.deepEqual([status, new URL(url).origin], [200, origin], `${name}: ${url} ${text}`)
  t.like(JSON.parse(text), { sub: ada.sub, email: ada.email }, name)
}

/** Whoever comes back without a code is at the app's own page, whose address says what is missing. */
const failsAtHome = async (t: ExecutionContext, origin: string, name: string, reason: RegExp): Promise<string> => {
  const ada = await visitor()
  const { url, status, text } = await ada.follow(`/${name}/login`, origin)
  t.is(new URL(url).origin, origin, `${name}: ${url} ${text}`)
  t.false(text.includes(ada.sub), `${name}: ${status} ${text}`)
  t.regex(new URL(url).searchParams.get('error_description') ?? '', reason, name)
  return text
}

const STATE = /state is missing/
const PKCE = /switch PKCE on: send code_challenge with code_challenge_method=S256/

;(hasClients() ? test : test.skip)(
  'A-OID-01 A-OID-12 A-OID-18 A-CLI-01 openid-client, oauth4webapi, simple-oauth2 and passport sign in, or fail at their own page with what to set',
  async (t) => {
    const { origin, stop } = await startNodeApps(provider)
    t.teardown(stop)
    for (const name of ['openid-client', 'oauth4webapi', 'simple-oauth2']) await signsIn(t, origin, name)
    await signsIn(t, origin, 'passport-oauth2')
    for (const name of ['openid-client-readme', 'oauth4webapi-readme'])
      t.regex(await failsAtHome(t, origin, name, STATE), STATE)
    for (const name of ['simple-oauth2-readme', 'passport-openidconnect'])
      t.regex(await failsAtHome(t, origin, name, PKCE), PKCE)
  },
)

;(hasClients() ? test : test.skip)(
  'A-OID-01 A-OID-17 A-CLI-01 Auth.js signs in with state switched on, and without it fails at its own page, with the reason in the log of the app',
  async (t) => {
    const { origin, stop } = await startNodeApps(provider)
    t.teardown(stop)
    const attempt = async (name: string) => {
      const ada = await visitor()
      const { csrfToken } = JSON.parse((await ada.browser.open(`${origin}/${name}/csrf`)).text)
      const begun = await ada.browser.post(`${origin}/${name}/signin/daybook`, {
        csrfToken,
        callbackUrl: `/${name}/me`,
      })
      const end = await ada.follow(begun.location, origin)
      return { ada, end, me: JSON.parse((await ada.browser.open(`${origin}/${name}/me`)).text) }
    }
    const good = await attempt('authjs')
    t.deepEqual([good.end.status, good.me.user?.email], [200, good.ada.email], `${good.end.url} ${good.me.log}`)
    const bad = await attempt('authjs-readme')
    t.is(new URL(bad.end.url).origin, origin)
    t.true(bad.end.url.includes('error='), bad.end.url)
    t.is(bad.me.user, undefined)
    t.regex(bad.me.log, STATE)
  },
)

;(haveAuthlib() ? test : test.skip)(
  'A-OID-01 A-OID-12 A-OID-18 A-CLI-01 Authlib signs in with PKCE switched on, and without it fails at its own page with what to set',
  async (t) => {
    const { origin, stop } = await startAuthlibApps(provider)
    t.teardown(stop)
    await signsIn(t, origin, 'authlib')
    t.regex(await failsAtHome(t, origin, 'authlib-readme', PKCE), PKCE)
  },
)

;(haveApache() ? test : test.skip)(
  'A-OID-01 A-OID-12 A-OID-18 A-CLI-01 Apache with mod_auth_openidc signs in with PKCE switched on, and without it fails at its own page, whose address has what to set',
  async (t) => {
    const { origin, withPkce, stop } = await startApache(provider)
    t.teardown(stop)
    const ada = await visitor()
    const { status, headers, url, text } = await ada.follow('/mod/login', withPkce)
    t.deepEqual([status, new URL(url).origin], [200, withPkce], `${url} ${text}`)
    t.deepEqual([headers.get('x-sub'), headers.get('x-email')], [ada.sub, ada.email])
    // This version takes every `iss` for a sign-in that somebody else begins, and words its page so.
    await failsAtHome(t, origin, 'mod', PKCE)
  },
)
