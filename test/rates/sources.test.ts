import test from 'ava'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import { providers } from '../../adapters/rates/providers.ts'
import { createMarketRates } from '../../adapters/rates/quotes/market.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startOwnTime } from '../support/own-time.ts'
import {
  coinbaseSays,
  erapiSays,
  KRAKEN_KNOWS_NOT,
  krakenSays,
  okxSays,
  type Played,
  playSources,
} from './played-sources.ts'
import { CODES, market, refusalOf, WALL_TIME_AT_ZERO } from './playing-market.ts'

for (const [fault, played] of [
  ['a status 500', { status: 500, body: krakenSays({ XXBTZUSD: '1' }) }],
  ['a status 429', { status: 429 }],
  ['no JSON', { body: '<html>' }],
  ['JSON of another shape', { body: '{"error":[],"result":[{"XXBTZUSD":"1"}]}' }],
  ['an error in its own words', { body: '{"error":["EService:Unavailable"]}' }],
  ['no price in it', { body: krakenSays({ XXBTZUSD: '0.00000' }) }],
  [
    'more than a megabyte',
    { body: `${krakenSays({ XXBTZUSD: '90000' }).slice(0, -1)},"pad":"${'x'.repeat(1_100_000)}"}` },
  ],
  ['a redirect', { status: 302, headers: { location: '/okx/api/v5/market/index-tickers' } }],
] as readonly [string, Played][])
  test(`N-23 X-SSRF-01 a source that answers with ${fault} counts for nothing and holds up nobody`, async (t) => {
    const { rates, say, round, pass, logged, played: server } = await market(t)
    say('kraken', played)
    await round()
    pass(89_000)
    await round()
    t.is(await rates.usdPer('btc'), '90000', 'the others, and what it said before')
    pass(1_000)
    t.is(await rates.usdPer('btc'), '90000', 'the others')
    t.like(rates.report().coins[0] ?? {}, { sources: 2 })
    t.like(rates.report().sources.find(({ name }) => name === 'kraken') ?? {}, { fresh: false, ageMs: 90_000 })
    t.deepEqual(
      logged.map(([message, facts]) => [message, (facts as { source: string }).source]),
      [['a source of rates fails', 'kraken']],
    )
    const others = server.asked().filter((url) => url.startsWith('/okx')).length
    t.is(others, 3, 'a redirect is not followed')
    say('okx', { status: 500 })
    pass(90_000)
    await round()
    t.is(await refusalOf(rates.usdPer('btc')), 'unavailable', 'one alone is not enough')
    t.deepEqual([...rates.report().missing], CODES)
  })

test('N-23 a source that never answers keeps nobody waiting, also at the start', async (t) => {
  const wholeTime = startOwnTime()
  const { rates, say, asleep, played } = await market(t)
  say('kraken', { hangs: true })
  for (const { wake } of [...asleep.values()]) wake()
  await eventually('the others', async () => asleep.size === 2)
  const ownTime = startOwnTime()
  t.is(await rates.usdPer('btc'), '90000')
  t.true(ownTime() < 1_000)
  const again = createMarketRates({
    sources: [{ name: 'kraken', provider: providers.kraken, base: played.base('kraken') }],
    outbound: { get: () => new Promise(() => {}) },
    codes: CODES,
    log: () => {},
    alarm: () => {},
  })
  await again.asked(100)
  t.is(await refusalOf(again.usdPer('btc')), 'unavailable')
  await eventually('the end of its time', async () => asleep.size === 3)
  t.true(wholeTime() < 15_000)
})

test('a renamed coin is found under its new name or its old one, and an unknown pair spoils no other', async (t) => {
  const { rates, say, round, clock } = await market(t, ['kraken', 'okx', 'coinbase'])
  const knownToKraken = (pair: string) => (url: string) => ({
    body: url.includes(`pair=${pair}`)
      ? krakenSays({ [pair]: '3.01' })
      : url.includes('XXBT')
        ? krakenSays({ XXBTZUSD: '90000' })
        : KRAKEN_KNOWS_NOT,
  })
  for (const [onKraken, onOkx, atCoinbase] of [
    ['TONUSD', 'GRAM-USD', 'TON'],
    ['GRAMUSD', 'TON-USD', 'GRAM'],
  ] as const) {
    say('kraken', knownToKraken(onKraken))
    say('okx', { body: okxSays({ [onOkx]: '3', 'BTC-USD': '90000' }, clock.wall) })
    say('coinbase', { body: coinbaseSays({ [atCoinbase]: '0.333333333' }) })
    await round()
    t.is(await rates.usdPer('ton'), '3.000000003')
    t.is(await rates.usdPer('btc'), '90000')
  }
})

test('each source is asked for all coins at once, at its own pace, and less often while it does not want us', async (t) => {
  const names = ['coinbase', 'coingecko', 'erapi', 'kraken', 'okx'] as const
  const { say, round, waits, played, agree, pass } = await market(t, names)
  say('coinbase', { body: coinbaseSays({ EUR: '0.86' }) })
  say('erapi', { body: erapiSays({ EUR: '0.86' }, WALL_TIME_AT_ZERO / 1_000) })
  await round()
  t.deepEqual(waits(), [30_000, 30_000, 30_000, 60_000, 3_600_000])
  for (const name of names) say(name, { status: 500 })
  await round()
  t.deepEqual(waits(), [10_000, 10_000, 10_000, 10_000, 10_000])
  for (const name of names) say(name, { status: 429 })
  await round()
  t.deepEqual(waits(), [120_000, 120_000, 120_000, 120_000, 3_600_000])
  agree()
  pass(1)
  await round()
  t.deepEqual(waits().slice(0, 3), [30_000, 30_000, 60_000])
  const last = (name: string) =>
    played
      .asked()
      .filter((url) => url.startsWith(`/${name}/`))
      .slice(name === 'kraken' ? -3 : -1)
  t.deepEqual(last('coinbase'), ['/coinbase/v2/exchange-rates?currency=USD'])
  t.deepEqual(last('okx'), ['/okx/api/v5/market/index-tickers?quoteCcy=USD'])
  t.deepEqual(last('erapi'), ['/erapi/v6/latest/USD'])
  t.deepEqual(last('kraken').map(decodeURIComponent).sort(), [
    '/kraken/0/public/Ticker?pair=GRAMUSD',
    '/kraken/0/public/Ticker?pair=TONUSD',
    '/kraken/0/public/Ticker?pair=XXBTZUSD,XETHZUSD,XLTCZUSD,SOLUSD,TRXUSD,BNBUSD,POLUSD,AVAXUSD,USDCUSD,USDTZUSD',
  ])
  t.deepEqual(last('coingecko').map(decodeURIComponent), [
    '/coingecko/simple/price?ids=bitcoin,ethereum,litecoin,solana,tron,the-open-network,binancecoin,polygon-ecosystem-token,avalanche-2,usd-coin,tether&vs_currencies=usd&include_last_updated_at=true&precision=full',
  ])
})

test('a key in the address of a source goes along with each call, and into no log', async (t) => {
  const played = await playSources({ pro: () => ({ status: 401 }) })
  const outbound = createOutbound({ allow: parseAllowList(played.hostPort), userAgent: 'Daybook-Test/1' })
  const logged: unknown[] = []
  const rates = createMarketRates({
    sources: [
      { name: 'coingecko', provider: providers.coingecko, base: `${played.base('pro')}/api/v3/?x_cg_pro_api_key=hush` },
    ],
    outbound,
    codes: CODES,
    log: (...line) => logged.push(line),
    alarm: () => {},
  })
  await rates.asked(5_000)
  t.regex(played.asked()[0] ?? '', /^\/pro\/api\/v3\/simple\/price\?x_cg_pro_api_key=hush&ids=bitcoin/)
  t.deepEqual(logged, [['a source of rates fails', { source: 'coingecko', fault: 'status 401' }]])
  await rates.close()
  played.stop()
  await outbound.close()
})

test('once closed, nobody is asked any more', async (t) => {
  const { rates, played } = await market(t)
  await rates.close()
  const { length } = played.asked()
  await new Promise((resolve) => setTimeout(resolve, 100))
  t.is(played.asked().length, length)
})
