import test from 'ava'
import { appAsking } from '../../../adapters/http/auth/balance/way-back.ts'
import { authorizeParameters, readRequest } from '../../../adapters/http/auth/oidc/authorize-request.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { registerApp } from '../../../domain/use-cases/signin/register-app.ts'
import { codeOf } from '../../domain/flow-setup.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  type Balances,
  type Clock,
  type Customer,
  openBalances,
  type Shop,
  STATE,
} from '../../support/balance-calls.ts'
import { deepTest } from '../../support/deep-test.ts'
import { formOf, redemption, request } from '../../support/oidc.ts'
import { hiddenIn } from '../../support/people.ts'
import { ok } from '../../support/seller.ts'

/** Apps in development: they keep a secret, and run on their maker's own machine. */

const CB = 'http://localhost:3000/cb'
const SAYS = 'in development'
const clock: Clock = { shiftMs: 0 }
let app: TestApp
let b: Balances
let ada: Customer
let shop: Shop
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + clock.shiftMs) } })
  b = await openBalances(app, clock)
  ;[ada, shop] = [await b.customer({ usd: 50 }), await b.shop({ development: true, redirectUris: [CB] })]
})
test.after.always(async () => {
  await b?.stop()
  await app?.stop()
})

const parameters = (of: Shop, fields: object = {}) =>
  formOf({ ...request(of, { redirect_uri: CB, scope: 'openid balance' }), ...fields })

test.serial(
  'A-CLI-03 an app in development signs in and is paid on its own machine, and every screen says what it is',
  async (t) => {
    const consent = await ada.browser.open(`/oauth2?op=authorize&${parameters(shop)}`)
    t.deepEqual([consent.status, consent.text.includes(SAYS)], [200, true], consent.text)
    const action = /<form method="post" action="([^"]+)"/.exec(consent.text)?.[1] ?? ''
    const { location } = await ada.browser.post(action, { ...hiddenIn(consent.text), decision: 'allow' })
    const code = new URL(location).searchParams.get('code') ?? ''
    t.true(location.startsWith(CB), location)
    const redeem = formOf(redemption(shop, code, { redirect_uri: CB })).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { access_token } = (await ok(app.call('POST', '/oauth2?op=token', { body: redeem, headers }))).json

    const back = { redirect_uri: CB, state: STATE, description: 'Tea' }
    const wish = { ...shop.named, amount: '2.50', currency: 'USD', ...back }
    const intent = (await ok(b.ask('intent', 'create', wish, access_token))).json
    t.true((await ada.browser.open(new URL(intent.confirm_url).pathname)).text.includes(SAYS))
    const paid = await b.confirm(ada, intent.confirm_url)
    t.true(paid.location.startsWith(`${CB}?payment=`), `${paid.status} ${paid.location}`)
    const confirmed = new URL(paid.location).searchParams.get('code') ?? ''
    const completing = { ...shop.named, intent_id: intent.intent_id, code: confirmed }
    t.is((await ok(b.ask('intent', 'complete', completing))).json.status, 'completed')

    const terms = { mode: 'adhoc', per_debit_cap: '5', lifetime_cap: '10', ...back }
    const order = (await ok(b.ask('mandate', 'create', terms, access_token))).json
    t.true((await ada.browser.open(new URL(order.confirm_url).pathname)).text.includes(SAYS))
    const topUp = (await ok(b.ask('topup', 'start', { ...shop.named, amount: '5', redirect_uri: CB, state: STATE })))
      .json
    const { pathname } = new URL(topUp.topup_url)
    const led = await ada.browser.open(pathname)
    const screen =
      led.location === '' ? led : await ada.browser.open(new URL(led.location, app.served().origin).pathname)
    t.true(screen.text.includes(SAYS), screen.text)
    t.true((await ada.browser.open('/account/apps')).text.includes('(in development)'))
  },
)

test.serial('A-CLI-03 an app with a secret that is not in development is refused on one’s own machine', async (t) => {
  const { flow } = b.operator
  const wish = { name: 'Shop', owner: null, confidential: true, firstParty: false, backchannelUrl: null }
  for (const uri of [CB, 'http://127.0.0.1:3000/cb'])
    t.is(await codeOf(registerApp(flow, { ...wish, redirectUris: [uri] })), 'redirect-uri-refused')
  const other = await b.shop()
  const page = await ada.browser.open(`/oauth2?op=authorize&${parameters(other)}`)
  t.deepEqual([page.status, page.location], [400, ''])
  const own = { ...wish, firstParty: true, development: true, redirectUris: [CB] }
  t.is(await codeOf(registerApp(flow, own)), 'invalid-request', 'nobody signs in to it unasked')
})

deepTest.serial('A-CLI-03 N-59 whoever makes an app says on its page that it is in development', async (t) => {
  const form = { name: 'Mine', kind: 'confidential', uris: CB, url: '' }
  t.is((await ada.browser.send('/account/developer/new', form)).status, 422)
  const made = await ada.browser.send('/account/developer/new', { ...form, development: '1' })
  t.deepEqual([made.status, made.text.includes('Client secret')], [200, true], made.text)
  t.true((await ada.browser.open('/account/developer')).text.includes(SAYS))
})

test.serial('A-CLI-03 production takes no app in development, and leads nobody to one that there was', async (t) => {
  const production: UseCaseContext = { ...b.operator.flow, developmentApps: false }
  const wish = { name: 'Shop', owner: null, confidential: true, firstParty: false, backchannelUrl: null }
  const local = { ...wish, development: true, redirectUris: [CB] }
  t.is(await codeOf(registerApp(production, local)), 'state-forbids')
  const asked = authorizeParameters.parse(Object.fromEntries(parameters(shop)))
  t.is((await readRequest(b.operator.flow, asked)).redirectUri, CB)
  t.is(await codeOf(readRequest(production, asked)), 'invalid-request')
  t.is(appAsking(production, await production.ledger.clientApp.read(shop.clientId), CB), undefined)
})
