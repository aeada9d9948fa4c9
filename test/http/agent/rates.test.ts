import test from 'ava'
import { coinbaseSays, krakenSays, okxSays, playSources } from '../../rates/played-sources.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { activeSeller, freshAddress, ok } from '../../support/seller.ts'

/** The service with rates of the market, of which one stablecoin has lost its dollar and one currency has no rate. */

let app: TestApp
let sources: Awaited<ReturnType<typeof playSources>>
const down = { kraken: false }
const lies = { ether: false }
const clock = { aheadMs: 0 }

test.before(async () => {
  sources = await playSources({
    kraken: () =>
      down.kraken
        ? { status: 500 }
        : { body: krakenSays({ XETHZUSD: lies.ether ? '1500' : '2500', USDCUSD: '1.0002', USDTZUSD: '0.93' }) },
    okx: () => ({
      body: okxSays({ 'ETH-USD': lies.ether ? '1500' : '2502', 'USDC-USD': '1', 'USDT-USD': '0.94' }, Date.now()),
    }),
    coinbase: () => ({ body: coinbaseSays({ EUR: '0.8', ETH: '0.000400000' }) }),
  })
  app = await startApp({
    world: { now: () => new Date(Date.now() + clock.aheadMs) },
    env: {
      RATES: 'kraken,okx,coinbase',
      RATES_KRAKEN_URL: sources.base('kraken'),
      RATES_OKX_URL: sources.base('okx'),
      RATES_COINBASE_URL: sources.base('coinbase'),
    },
  })
})

test.after.always(async () => {
  await app?.stop()
  sources?.stop()
})

const sellerOf = async (coins: readonly string[]) => {
  const { key } = await activeSeller(app)
  const address = freshAddress()
  for (const asset of coins) await ok(app.call('POST', '/v1/wallets', { key, body: { asset, address } }))
  return key
}

const resourceOf = async (coins: readonly string[], body: object) => {
  const key = await sellerOf(coins)
  const made = await ok(app.call('POST', '/v1/resources', { key, body: { ...body, accepted_assets: coins } }))
  return { key, resId: made.json.res_id as string }
}

deepTest.serial(
  'N-23 a coin without a price that can be relied on is left out of the 402, and the others are offered',
  async (t) => {
    const { resId } = await resourceOf(['eth', 'usdc', 'usdt'], { amount: 100 })
    const { status, json } = await app.call('GET', `/r/${resId}`)
    t.is(status, 402)
    const accepts = json.accepts as { asset: string; amount: string }[]
    t.deepEqual(accepts.map(({ asset }) => asset).sort(), ['eth', 'usdc'])
    t.regex(accepts.find(({ asset }) => asset === 'eth')?.amount ?? '', /^0\.0400/)
    t.regex(accepts.find(({ asset }) => asset === 'usdc')?.amount ?? '', /^100\.00/)
    const page = await fetch(`${app.served().origin}/r/${resId}`, { headers: { accept: 'text/html' } })
    const html = await page.text()
    t.regex(html, /USD Coin/)
    t.notRegex(html, /Tether/)
  },
)

deepTest.serial(
  'N-23 Q-22 a set that lacks a coin for want of a price is remembered for five minutes, a whole one for longer',
  async (t) => {
    const [lacking, whole] = [
      await resourceOf(['eth', 'usdt'], { amount: 100 }),
      await resourceOf(['eth', 'usdc'], { amount: 100 }),
    ]
    const shown = async (resId: string) => (await app.call('GET', `/r/${resId}`)).json.accepts[0].challengeId as string
    const both = async () => ({ lacking: await shown(lacking.resId), whole: await shown(whole.resId) })
    const first = await both()
    clock.aheadMs += 290_000
    t.deepEqual(await both(), first)
    clock.aheadMs += 10_000
    const second = await both()
    t.not(second.lacking, first.lacking)
    t.is(second.whole, first.whole)
  },
)

deepTest.serial(
  'N-23 when no coin at all has a price, the caller is told to come back, and nothing is opened',
  async (t) => {
    const { key, resId } = await resourceOf(['usdt'], { amount: 100 })
    for (const answer of [
      await app.call('GET', `/r/${resId}`),
      await app.call('POST', '/v1/challenge', { key, body: { res_id: resId } }),
    ]) {
      t.is(answer.status, 503)
      t.is(answer.json.error_code, 'svc_unavailable')
      t.is(answer.headers.get('retry-after'), '1')
    }
  },
)

deepTest.serial(
  'N-23 a currency has the rate of the market; one without a rate is svc_unavailable, one that is none svc_invalid_request',
  async (t) => {
    const { key, resId } = await resourceOf(['usdc'], { amount: 80, currency: 'EUR' })
    const { json } = await app.call('GET', `/r/${resId}`)
    t.regex(json.accepts[0].amount, /^100\.00/)
    const create = (currency: string) => app.call('POST', '/v1/resources', { key, body: { amount: 1, currency } })
    const [unknown, none] = [await create('GBP'), await create('ZZZ')]
    t.deepEqual([unknown.status, unknown.json.error_code], [503, 'svc_unavailable'])
    t.deepEqual([none.status, none.json.error_code], [400, 'svc_invalid_request'])
  },
)

test.serial(
  'the state of the rates is in /readyz and in the metrics, and does not make the service unready',
  async (t) => {
    const { status, json } = await app.call('GET', '/readyz')
    t.is(status, 200)
    t.deepEqual(json.checks.rates, {
      status: 'down',
      sources: { kraken: 'ok', okx: 'ok', coinbase: 'ok' },
      missing: ['usdt'],
      held_back: [],
    })
    const metrics = await (await fetch(app.served().metricsUrl)).text()
    t.regex(metrics, /^daybook_rate_quote_age_seconds\{source="kraken"\} \d/m)
    t.regex(metrics, /^daybook_rate_sources\{coin="ETH"\} 3$/m)
    t.regex(metrics, /^daybook_rate_sources\{coin="USDT"\} 2$/m)
    t.regex(metrics, /^daybook_rate_against\{coin="ETH"\} 0$/m)
    t.regex(metrics, /^daybook_rate_held_back\{code="ETH"\} 0$/m)
    t.regex(metrics, /^daybook_rate_depegged\{coin="USDT"\} 1$/m)
    t.regex(metrics, /^daybook_rate_depegged\{coin="USDC"\} 0$/m)
  },
)

test.serial('the service starts while a source is down, and with rates already there', async (t) => {
  down.kraken = true
  await app.restart()
  const { json } = await app.call('GET', '/readyz')
  t.deepEqual(json.checks.rates, {
    status: 'down',
    sources: { kraken: 'down', okx: 'ok', coinbase: 'ok' },
    missing: ['usdt', 'usdc'],
    held_back: [],
  })
  const { resId } = await resourceOf(['eth', 'usdc'], { amount: 100 })
  const { json: required } = await app.call('GET', `/r/${resId}`)
  t.deepEqual(
    required.accepts.map(({ asset }: { asset: string }) => asset),
    ['eth'],
  )
})

test.serial(
  'N-23 a coin on which two of three sources agree wrongly at a start is not offered, and is named by /readyz and a metric',
  async (t) => {
    down.kraken = false
    lies.ether = true
    await app.restart()
    const { json } = await app.call('GET', '/readyz')
    t.like(json.checks.rates, { status: 'down', missing: ['eth', 'usdt'], held_back: ['ETH'] })
    const metrics = await (await fetch(app.served().metricsUrl)).text()
    t.regex(metrics, /^daybook_rate_held_back\{code="ETH"\} 1$/m)
    t.regex(metrics, /^daybook_rate_held_back\{code="USDC"\} 0$/m)
    const { resId } = await resourceOf(['eth', 'usdc'], { amount: 100 })
    const { json: required } = await app.call('GET', `/r/${resId}`)
    t.deepEqual(
      required.accepts.map(({ asset }: { asset: string }) => asset),
      ['usdc'],
    )
  },
)
