/**
 * What the fuzz plays on: a service with a seller, users and apps that have one of everything, and a credential of
 * every kind.
 */
import { type Ids, openTenant } from '../http/tenants/tenant.ts'
import { type AppOptions, startApp, type TestApp } from '../support/app.ts'
import { type Balances, openBalances, REDIRECT, STATE } from '../support/balance-calls.ts'
import { requestOf } from '../support/buyer.ts'
import { goToCard, takesCards } from '../support/card/paying.ts'
import { type CardProcessor, startCardProcessor } from '../support/card/processor.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { challengeOf, VERIFIER } from '../support/oidc.ts'
import { shop as otherSeller } from '../support/sale.ts'
import { PAY_TO } from '../support/seller.ts'
import { gameOf } from './game.ts'
import { FULL, joined, listed } from './names.ts'
import { noticesOf } from './notices.ts'
import { peopleOf } from './people.ts'
import type { Caller } from './requests.ts'
import { sellersOf, shopOf } from './sellers.ts'
import type { Named } from './values.ts'

const MANY = '1000000'
/** Of whoever runs Daybook; nobody else can be paid there. */
const PLATFORM = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
/** So high that no call is refused for them. */
const RATES = [
  ...['KEY', 'ADDRESS', 'CLIENT'].flatMap((who) => [`${who}_RATE_PER_SECOND`, `${who}_RATE_BURST`]),
  ...['AUTHORIZE', 'USERINFO', 'TOKEN_FAILURES', 'BALANCE'].map((what) => `${what}_PER_MINUTE`),
]

export type Stage = Awaited<ReturnType<typeof openStage>>

/** A service of its own, which asks no name server and no card processor but ours. */
export const openStage = async ({ env = {}, world = {} }: Pick<AppOptions, 'env' | 'world'> = {}) => {
  const [dns, processor] = await Promise.all([startDnsServer(), startCardProcessor()])
  const clock = { shiftMs: 0 }
  const app = await startApp({
    env: {
      ...Object.fromEntries(RATES.map((name) => [name, MANY])),
      DNS_SERVERS: dns.address,
      PLATFORM_WALLETS: `eth=${PLATFORM}`,
      LANDER_FREE_SLOTS: '50',
      CARD_PROCESSOR_URL: processor.url,
      ...env,
    },
    world: { ...world, now: () => new Date(Date.now() + clock.shiftMs) },
  })
  const balances = await openBalances(app, clock, world)
  let scenes = 0
  const scene = (tries = SCENE_TRIES): Promise<Scene> =>
    openScene({ app, balances, processor }, ++scenes).catch((error: unknown) => {
      if (tries <= 1) throw error
      return scene(tries - 1)
    })
  return {
    app,
    balances,
    clock,
    processor,
    /** New people, apps and sellers: what was played on before may be gone. */
    scene: () => scene(),
    async stop() {
      await balances.stop()
      await app.stop()
      await Promise.all([dns.stop(), processor.stop()])
    },
  }
}

/** A machine that is busy answers 503 now and then, also to who sets the scene. */
const SCENE_TRIES = 3

export type Scene = { readonly named: Named; readonly callers: readonly Caller[] }

type Ground = { readonly app: TestApp; readonly balances: Balances; readonly processor: CardProcessor }

const openScene = async ({ app, balances, processor }: Ground, nth: number): Promise<Scene> => {
  const [tenant, foreign] = [await openTenant(app, `quokka${nth}x`, 1_000 + nth), await otherSeller(app)]
  const { hook, secret } = await takesCards(app, processor, tenant.key)
  const paid = processor.pay((await goToCard(app, processor, await requestOf(app, tenant, { amount: 5 }))).id)
  const notices = noticesOf(processor, paid)
  const [shop, people] = [await shopOf(app, tenant), await peopleOf(app, balances)]
  const game = await gameOf(app, balances, tenant.key, foreign.key)
  const card = { ...processor.account().keys, '/hooks/card/:id id': hook.slice(hook.lastIndexOf('/') + 1) }
  const outside = listed({ url: app.receiver.url, webhook_url: app.receiver.url, ...card })
  const ids = joined([...tenant.stores, shop, people.ids, game, ALWAYS, outside])
  const bank: Caller = { name: 'the card processor', ...FULL, for: ['none'], signs: secret }
  return {
    named: { ids: { ...ids, '/hooks/card/:id raw': notices }, any: [...new Set(Object.values(ids).flat())] },
    callers: [...sellersOf(tenant, foreign.key), ...people.callers, NOBODY, STRANGER, bank],
  }
}

const NOBODY: Caller = { name: 'nobody', full: true, for: ['none', 'offered', 'visitor'] }
const STRANGER: Caller = { name: 'a stranger', for: ['shop', 'cloud', 'key', 'client', 'app', 'bearer', 'person'] }

/** Names that are the same on every stage. */
const ALWAYS: Ids = listed({
  address: PAY_TO,
  contract_address: PAY_TO,
  primary_wallet: PAY_TO,
  img: 'https://shop.example/coin.png',
  asset: ['eth', 'btc', 'usdc'],
  currency: ['USD', 'EUR', 'XXX'],
  currency_code: ['USD', 'EUR'],
  '/oauth2 currency': 'USD',
  amount: ['1', '2.50', '0.01'],
  sched_amount: '4.50',
  per_debit_cap: '5',
  lifetime_cap: '60',
  sched_interval: 'monthly',
  cooldown: 'none',
  token: 'x'.repeat(40),
  next: ['/account', 'https://evil.example/'],
  scope: ['openid', 'openid balance'],
  redirect_uri: REDIRECT,
  uris: REDIRECT,
  state: STATE,
  code_challenge: challengeOf(VERIFIER),
  code_verifier: VERIFIER,
  response_type: 'code',
  code_challenge_method: 'S256',
  grant_type: 'authorization_code',
  prompt: ['none', 'login', 'consent'],
  new_password: 'a new and long password',
  sid: 'ses_x',
  domain: ['app.test', 'other.test'],
  decision: ['approve', 'allow', 'deny'],
  picture: 'https://x.test/me.png',
  locale: ['de', 'en-GB'],
  vat_number: 'DE123456789',
  payout_asset: ['EUR', 'eth'],
  limit: '5',
  page: ['1', '2'],
  from: '1',
  to: '3',
  after: '1',
  '/v1/custom-fields index': '0',
  '/v1/discount-codes code': ['fuzzcode', 'tea'],
  '/v1/custom-tokens code': 'fuzzcoin',
  '/v1/custom-tokens type': 'erc-20',
})
