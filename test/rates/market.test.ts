import test from 'ava'
import { coinbaseSays, coingeckoSays, erapiSays, krakenSays, okxSays } from './played-sources.ts'
import { HOUR, market, refusalOf, WALL_TIME_AT_ZERO } from './playing-market.ts'

test('N-23 a coin costs the median of its sources, and a stablecoin a dollar', async (t) => {
  const { rates, say, round, clock } = await market(t)
  say('kraken', { body: krakenSays({ XXBTZUSD: ['90010.00000', '90000.00000'], XETHZUSD: '2501' }) })
  say('okx', { body: okxSays({ 'BTC-USD': '90001.1', 'ETH-USD': '2500' }, clock.wall) })
  say('coingecko', { body: coingeckoSays({ bitcoin: '90017.123456789012', ethereum: '2499' }, clock.wall / 1_000) })
  await round()
  t.is(await rates.usdPer('btc'), '90005')
  t.is(await rates.usdPer('eth'), '2500')
  t.is(await rates.usdPer('eth_arb'), '2500')
  for (const code of ['usdc', 'usdc_base', 'usdt', 'USD']) t.is(await rates.usdPer(code), '1', code)
})

test('N-23 digits come through whole: 1.2e-7, twelve places, and a tenth', async (t) => {
  for (const [written, price] of [
    ['123456789012.123456789012', '123456789012.123456789012'],
    ['1.2e-7', '0.00000012'],
    ['0.1', '0.1'],
    ['0.30000000000000004', '0.3'],
  ] as const) {
    const { rates } = await market(t, ['okx', 'coingecko'], (say) => {
      say('okx', { body: okxSays({ 'BTC-USD': written }, WALL_TIME_AT_ZERO) })
      say('coingecko', { body: coingeckoSays({ bitcoin: written }, WALL_TIME_AT_ZERO / 1_000) })
    })
    t.is(await rates.usdPer('btc'), price)
  }
})

test('N-23 one source that is far off does not count, and of two who disagree none does', async (t) => {
  const { rates, say, round, clock } = await market(t)
  say('okx', { body: okxSays({ 'BTC-USD': '45000' }, clock.wall) })
  await round()
  t.is(await rates.usdPer('btc'), '90000')
  t.like(rates.report().coins.find(({ symbol }) => symbol === 'BTC') ?? {}, { sources: 2 })
  say('kraken', { status: 500 })
  clock.now += 60_000
  await round()
  clock.now += 60_000
  await round()
  t.is(await refusalOf(rates.usdPer('btc')), 'unavailable')
})

test('N-23 a quote counts for ninety seconds from when it was asked for, whatever becomes of the clock', async (t) => {
  const { rates, pass, clock, say, round } = await market(t, ['kraken', 'coinbase'])
  const both = () => {
    say('kraken', { body: krakenSays({ XXBTZUSD: '80000' }) })
    say('coinbase', { body: coinbaseSays({ BTC: '0.0000125000', EUR: '0.86' }) })
  }
  both()
  await round()
  pass(89_999)
  t.is(await rates.usdPer('btc'), '80000')
  clock.wall -= 24 * HOUR
  pass(1)
  t.is(await refusalOf(rates.usdPer('btc')), 'unavailable')
  await round()
  t.is(await rates.usdPer('btc'), '80000')
})

test('N-23 a quote is as old as its source says: one that repeats an old price is stale', async (t) => {
  const { rates, say, round, clock, pass } = await market(t, ['okx', 'coingecko', 'kraken'])
  say('kraken', { status: 500 })
  pass(90_000)
  await round()
  t.is(await rates.usdPer('btc'), '90000')
  const then = clock.wall
  say('okx', { body: okxSays({ 'BTC-USD': '90000' }, then) })
  pass(60_000)
  await round()
  t.is(await rates.usdPer('btc'), '90000')
  pass(30_000)
  await round()
  t.is(await refusalOf(rates.usdPer('btc')), 'unavailable')
  say('okx', { body: okxSays({ 'BTC-USD': '90000' }, clock.wall + HOUR) })
  await round()
  t.is(await rates.usdPer('btc'), '90000', 'a clock that is ahead of ours')
  say('okx', { status: 500 })
  pass(90_000)
  await round()
  t.is(await refusalOf(rates.usdPer('btc')), 'unavailable', 'and its quotes live no longer')
})

test('N-23 an older quote of a source does not take the place of a newer one', async (t) => {
  const { rates, say, round, clock } = await market(t, ['okx', 'coingecko'])
  say('okx', { body: okxSays({ 'BTC-USD': '90900' }, clock.wall - 30_000) })
  await round()
  t.is(await rates.usdPer('btc'), '90000')
})

test('N-23 a stablecoin that is off its dollar is refused until it is back, and each change is logged once', async (t) => {
  const { rates, agree, round, logged } = await market(t)
  const after = async (usdt: string) => {
    agree({ usdt })
    await round()
    const answer = await refusalOf(rates.usdPer('usdt'))
    return `${answer} ${rates.report().coins.find(({ symbol }) => symbol === 'USDT')?.depegged} ${logged.length}`
  }
  t.is(await after('0.99'), '1 false 0')
  t.is(await after('0.98999'), 'unavailable true 1')
  t.deepEqual([...rates.report().missing], ['usdt'])
  t.is(await after('0.97'), 'unavailable true 1')
  t.is(await rates.usdPer('usdc'), '1')
  t.is(await rates.usdPer('btc'), '90000')
  t.is(await after('1.0099'), '1 false 2')
  t.is(await after('1.0101'), 'unavailable true 3')
  t.deepEqual(logged.map(([, facts]) => facts) as unknown, [
    { coin: 'USDT', usd: '0.98999' },
    { coin: 'USDT', usd: '1.0099' },
    { coin: 'USDT', usd: '1.0101' },
  ])
})

test('N-23 one stray quote is no lost peg', async (t) => {
  const { rates, say, round, clock, logged } = await market(t)
  say('okx', { body: okxSays({ 'USDT-USD': '0.2' }, clock.wall) })
  await round()
  t.is(await rates.usdPer('usdt'), '1')
  t.deepEqual(logged, [])
})

test('N-23 a currency may be a day old and have one source, but its sources must not be far apart', async (t) => {
  const { rates, say, round, pass, clock } = await market(t, ['coinbase', 'erapi', 'okx'])
  const midnight = () => Math.floor(clock.wall / (24 * HOUR)) * 24 * 3_600
  say('coinbase', { status: 500 })
  say('erapi', { body: erapiSays({ EUR: '0.8', KWD: '0.307', VND: '25000', ARS: '1000' }, midnight()) })
  await round()
  t.is(await rates.usdPer('EUR'), '1.25')
  t.is(await rates.usdPer('VND'), '0.00004')
  t.is(await rates.usdPer('KWD'), '3.257328990228')
  say('coinbase', { body: coinbaseSays({ EUR: '0.82', ARS: '1500', BTC: '0.0000111111' }) })
  await round()
  t.is(await rates.usdPer('EUR'), '1.234756097561')
  t.is(await refusalOf(rates.usdPer('ARS')), 'unavailable')
  t.is(await refusalOf(rates.usdPer('GBP')), 'unavailable', 'a currency that no source has')
  say('coinbase', { status: 500 })
  pass(14 * HOUR - 1)
  await round()
  t.is(await rates.usdPer('EUR'), '1.234756097561')
  pass(1)
  t.is(await rates.usdPer('EUR'), '1.219512195122', 'of midnight and so of 26 hours ago: only the other is left')
  pass(12 * HOUR)
  t.is(await refusalOf(rates.usdPer('EUR')), 'unavailable')
})

test('N-23 a code that is neither a coin nor a currency is refused as a mistake, not as an outage', async (t) => {
  const { rates } = await market(t)
  for (const code of ['ZZZ', 'XTS', 'XAU', 'BTC', 'eur', '', '__proto__', 'constructor', 'usdx'])
    t.is(await refusalOf(rates.usdPer(code)), 'invalid-request', code)
})
