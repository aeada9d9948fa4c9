/** What users and apps of the fuzz have, and who calls in their names. */
import { csrfOf } from '../../adapters/http/core/csrf.ts'
import { codeOf, confirmIntent, createIntent } from '../../domain/use-cases/balance/intent.ts'
import type { Ids } from '../http/tenants/tenant.ts'
import type { TestApp } from '../support/app.ts'
import { type Balances, REDIRECT, type Shop, STATE } from '../support/balance-calls.ts'
import { payIntent, standingOrder } from '../support/balances.ts'
import { request } from '../support/oidc.ts'
import { person } from '../support/people.ts'
import { ok } from '../support/seller.ts'
import { FULL, joined, listed } from './names.ts'
import type { Caller } from './requests.ts'

/** Users with a balance, their browsers, and an app with what it has of them. */
export const peopleOf = async (app: TestApp, b: Balances): Promise<{ ids: Ids; callers: readonly Caller[] }> => {
  const { operator } = b
  const [ada, bob] = [await b.customer({ usd: 5_000 }), await operator.user()]
  const shop = await b.shop({ usd: 50, owner: ada.sub, firstParty: true })
  const open = await operator.app({ confidential: false, redirectUris: [REDIRECT] }, 'app.test')
  const [token, narrow] = [await b.token(ada, shop), await b.token(ada, shop, 'openid')]
  const session = async ({ sub }: { sub: string }, amr?: readonly string[]) => (await operator.session(sub, amr)).secret
  const browsers = {
    ada: await session(ada, ['pwd', 'otp']),
    'ada elsewhere': await session(ada),
    bob: await session(bob),
  }
  const ids = listed({
    client_id: [shop.clientId, open.clientId],
    client_secret: shop.clientSecret ?? '',
    credit_push_key: shop.creditPushKey ?? '',
    code: await codesOf(app, shop, browsers['ada elsewhere']),
    token: narrow,
    access_token: token,
    email: [ada.email, bob.email, 'nobody@x.test'],
    password: ada.password,
    'token client_id': shop.clientId,
    'authorize client_id': shop.clientId,
  })
  const money = await moneyOf(b, shop, ada.sub, token)
  const callers = [...appsOf(shop, open, { token, narrow }), ...browsersOf(browsers)]
  return { ids: joined([ids, money]), callers }
}

/** Codes that the app may still redeem. */
const codesOf = async (app: TestApp, shop: Shop, session: string): Promise<string[]> => {
  const browser = person(app, `sid=${session}`)
  const asking = new URLSearchParams(request(shop, { redirect_uri: REDIRECT }) as Record<string, string>)
  const code = async () =>
    new URL((await browser.open(`/oauth2?op=authorize&${asking}`)).location).searchParams.get('code') ?? ''
  return [await code(), await code(), await code()]
}

/** Payments, standing orders and top-ups, some that wait and some that are done. */
const moneyOf = async ({ operator: { flow }, ask }: Balances, shop: Shop, sub: string, token: string): Promise<Ids> => {
  const ways = { state: STATE, redirect_uri: REDIRECT }
  const made = async (op: string, act: string, fields: object) =>
    (await ok(ask(op, act, { ...shop.named, ...ways, ...fields }, token))).json
  const terms = { mode: 'adhoc', per_debit_cap: '5', lifetime_cap: '10', cooldown: 'none', description: 'Tea' }
  const { intent_id } = await made('intent', 'create', { amount: '12.30', currency: 'USD', description: 'Tea' })
  const { mandate_id } = await made('mandate', 'create', terms)
  const { topup_id } = await made('topup', 'start', { amount: '12.30' })
  const money = { sub, clientId: shop.clientId }
  const [paid, order] = [await payIntent(flow, { ...money, amount: 3_000_000n }), await standingOrder(flow, money)]
  const wish = { ...money, amount: 2_000_000n, description: 'Tea', redirectUri: REDIRECT, appState: STATE }
  const { intentId: waiting } = await createIntent(flow, { ...wish, idempotencyKey: undefined })
  await confirmIntent(flow, waiting, { amr: ['pwd', 'otp'] })
  return listed({
    intent_id: [intent_id, paid.intentId, waiting],
    mandate_id: [mandate_id, order.mandateId],
    topup_id,
    id: [intent_id, mandate_id, topup_id, waiting],
    '/confirm/:id id': intent_id,
    '/standing-orders/:id/confirm id': mandate_id,
    '/topup/:id id': topup_id,
    '/topup/:id/confirm id': topup_id,
    'complete intent_id': waiting,
    'complete code': codeOf(flow, waiting),
    'refund intent_id': paid.intentId,
    'debit mandate_id': order.mandateId,
  })
}

type App = { readonly clientId: string; readonly clientSecret: string | null }

const appsOf = (shop: App, open: App, { token, narrow }: { token: string; narrow: string }): Caller[] => {
  const basic = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`${shop.clientId}:${secret}`).toString('base64')}`,
  })
  const inBody = (client_secret: string) => ({ client_id: shop.clientId, client_secret })
  const secret = shop.clientSecret ?? ''
  const both: Pick<Caller, 'for'> = { for: ['client', 'app'] }
  const bearer = (value: string) => ({ for: ['bearer'] as const, headers: { authorization: `Bearer ${value}` } })
  return [
    { name: 'app', ...FULL, ...both, body: inBody(secret) },
    { name: 'app by Basic', ...both, headers: basic(secret) },
    { name: 'app with a wrong secret', ...both, body: inBody('nope') },
    { name: 'app with a wrong secret by Basic', ...both, headers: basic('nope') },
    { name: 'app twice', ...both, headers: basic(secret), body: inBody(secret) },
    { name: 'public app', ...FULL, for: ['app'], body: { client_id: open.clientId } },
    { name: 'token', ...FULL, ...bearer(token) },
    { name: 'token and app', ...FULL, ...bearer(token), body: inBody(secret) },
    { name: 'narrow token', ...bearer(narrow) },
    { name: 'token that is none', ...bearer('x'.repeat(43)) },
    { name: 'token in the body', for: ['bearer'], body: { access_token: token } },
  ]
}

const browsersOf = (secrets: Readonly<Record<string, string>>): Caller[] => {
  const theirs: Pick<Caller, 'for'> = { for: ['person', 'visitor'] }
  const of = (secret: string, csrf = csrfOf(secret)) => ({ headers: { cookie: `sid=${secret}` }, body: { csrf } })
  return [
    ...Object.entries(secrets).map(([name, secret]) => ({ name, ...FULL, ...theirs, ...of(secret) })),
    { name: 'a browser with a stale form', ...theirs, ...of(secrets.bob ?? '', 'stale') },
    { name: 'a browser with a cookie that is none', ...theirs, ...of('0'.repeat(64)) },
  ]
}
