import test from 'ava'
import fc from 'fast-check'
import { createQuoteBook } from '../../adapters/rates/quotes/quote-book.ts'
import { coinbaseSays, coingeckoSays, erapiSays, krakenSays, okxSays } from './played-sources.ts'
import { HOUR, market, refusalOf, WALL_TIME_AT_ZERO } from './playing-market.ts'

/** Sources that are wrong together: prices that most of them agree on and that are not believed. */

const MINUTE = 60_000
/** Sources say so every half a minute. */
const ROUND = 30_000

test('N-23 two sources that agree on a wrong price do not outvote the right one: the coin has no price, and somebody is told', async (t) => {
  const { rates, say, agree, round, pass, clock, alarms, logged } = await market(t)
  const lie = (usd: string) => {
    agree({ btc: usd })
    const right = { bitcoin: '90000', ethereum: '2500', tether: '1', 'usd-coin': '1' }
    say('coingecko', { body: coingeckoSays(right, Math.floor(clock.wall / 1_000)) })
  }
  t.is(await rates.usdPer('btc'), '90000')
  lie('60000')
  pass(ROUND)
  await round()
  for (let n = 0; n < 5; n++) {
    t.is(await refusalOf(rates.usdPer('btc')), 'unavailable')
    t.deepEqual([...rates.report().heldBack], ['BTC'])
    t.is(alarms.length, n === 4 ? 1 : 0, 'after two minutes')
    pass(ROUND)
    lie('60000')
    await round()
  }
  const { coins, missing } = rates.report()
  t.like(coins.find(({ symbol }) => symbol === 'BTC') ?? {}, { sources: 0 })
  t.deepEqual([...missing], ['btc'])
  t.is(await rates.usdPer('eth'), '2500', 'other coins go on')
  t.deepEqual(alarms, [
    [
      'a price is held back: it is too far from the last good one',
      {
        code: 'BTC',
        usd: '60000',
        sources: 2,
        against: 1,
        said: { kraken: '60000', okx: '60000', coingecko: '90000' },
        lastGoodUsd: '90000',
        lastGoodAgeMs: 4 * ROUND,
      },
    ],
  ])
  agree()
  await round()
  t.is(await rates.usdPer('btc'), '90000')
  t.deepEqual(rates.report().heldBack, [])
  t.deepEqual(logged, [['a price is believed again', { code: 'BTC', usd: '90000' }]])
})

test('N-23 a price that all sources agree on may move by 5 % at once, by more only as the last good one gets older', async (t) => {
  const { rates, agree, round, pass, alarms } = await market(t)
  const after = async (btc: string, ms = ROUND) => {
    agree({ btc })
    pass(ms)
    await round()
    return refusalOf(rates.usdPer('btc'))
  }
  t.is(await after('94500'), '94500')
  t.is(await after('90000'), '90000')
  t.is(await after('76500'), 'unavailable', 'a real fall of 15 %')
  t.deepEqual([...rates.report().heldBack], ['BTC'])
  for (let minutes = 5; minutes <= 105; minutes += 5) t.is(await after('76500', 5 * MINUTE), 'unavailable')
  t.is(await after('76500', 5 * MINUTE), '76500', 'the old price is 17.65 % above it, and so 1.765 hours old')
  t.is(alarms.length, 1)
  t.is(await after('75000'), '75000')
})

test('N-23 where one disagrees, or only two say anything, a price may move by 2.5 % at once', async (t) => {
  const { rates, say, round, pass, clock } = await market(t)
  const after = async (usd: string, third: string | undefined) => {
    say('kraken', { body: krakenSays({ XXBTZUSD: usd }) })
    say('okx', { body: okxSays({ 'BTC-USD': usd }, clock.wall) })
    if (third === undefined) say('coingecko', { status: 500 })
    else say('coingecko', { body: `{"bitcoin":{"usd":${third},"last_updated_at":${Math.floor(clock.wall / 1_000)}}}` })
    pass(1_000)
    await round()
    return refusalOf(rates.usdPer('btc'))
  }
  t.is(await after('92250', '90000'), '92250')
  t.like(rates.report().coins.find(({ symbol }) => symbol === 'BTC') ?? {}, { sources: 2, against: 1 })
  t.is(await after('92251', '90000'), 'unavailable')
  t.is(await after('90000', '90000'), '90000')
  t.is(await after('94000', '94000'), '94000', 'all three')
  t.is(await after('90000', '90000'), '90000')
  pass(90_000)
  t.is(await after('94000', undefined), 'unavailable', 'two alone')
  t.is(await after('92000', undefined), '92000')
})

test('N-23 before there is a good price a majority alone is not believed, so that a restart does not let a wrong one in', async (t) => {
  const { rates, say, round, pass, clock, alarms } = await market(t, undefined, (say) => {
    say('kraken', { body: krakenSays({ XXBTZUSD: '60000', XETHZUSD: '2500' }) })
    say('okx', { body: okxSays({ 'BTC-USD': '60000', 'ETH-USD': '2500' }, WALL_TIME_AT_ZERO) })
  })
  t.is(await refusalOf(rates.usdPer('btc')), 'unavailable')
  t.is(await rates.usdPer('eth'), '2500')
  for (let n = 0; n < 4; n++) {
    pass(ROUND)
    say('okx', { body: okxSays({ 'BTC-USD': '60000', 'ETH-USD': '2500' }, clock.wall) })
    await round()
  }
  t.is(await refusalOf(rates.usdPer('btc')), 'unavailable')
  t.deepEqual(
    alarms.map(([message, facts]) => [message, (facts as { code: string }).code]),
    [['a price is held back: too many sources disagree to begin with this one', 'BTC']],
  )
  say('okx', { body: okxSays({ 'BTC-USD': '90000' }, clock.wall) })
  say('kraken', { body: krakenSays({ XXBTZUSD: '90000' }) })
  await round()
  t.is(await rates.usdPer('btc'), '90000')
})

test('N-23 no first price is taken before every source was asked, however fast two of them answer', (t) => {
  const book = createQuoteBook(() => 0)
  const say = (source: string, usd: bigint) => book.take(source, [{ code: 'BTC', usd }], 0, 0)
  say('kraken', 60n)
  say('okx', 60n)
  t.is(book.price('BTC'), undefined)
  say('coingecko', 90n)
  book.open()
  t.is(book.price('BTC'), undefined)
  t.like(book.doubt('BTC') ?? {}, { usd: 60n, sources: 2, against: 1, last: undefined })
  say('coinbase', 60n)
  t.like(book.price('BTC') ?? {}, { usd: 60n, sources: 3, against: 1 }, 'three of four are more than two thirds')
})

test('N-23 whatever two of three sources say and for how long, what is taken is near the right price by their time', (t) => {
  const lies = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 150 })
  fc.assert(
    fc.property(lies, (percents) => {
      let now = 0
      const book = createQuoteBook(() => now)
      const say = (source: string, usd: bigint) => book.take(source, [{ code: 'BTC', usd }], now, now)
      const right = 10n ** 15n
      for (const source of ['kraken', 'okx', 'coingecko']) say(source, right)
      book.open()
      for (const [n, percent] of percents.entries()) {
        now += ROUND
        say('kraken', (right * BigInt(percent)) / 100n)
        say('okx', (right * BigInt(percent)) / 100n)
        say('coingecko', right)
        const price = book.price('BTC')?.usd
        if (price === undefined) continue
        const elapsed = (n + 1) * ROUND + MINUTE
        const allowed = 10_000n + BigInt(Math.ceil((1_000 * Math.max(HOUR / 4, elapsed)) / HOUR))
        t.true(price * 10_000n <= right * allowed && right * 10_000n <= price * allowed)
      }
    }),
  )
})

test('N-23 two sources alone neither take a dollar from a stablecoin nor give a lost one back', async (t) => {
  const { rates, say, agree, round, pass, clock, logged, alarms } = await market(t)
  const lie = (usd: string) => {
    say('kraken', { body: krakenSays({ USDTZUSD: usd }) })
    say('okx', { body: okxSays({ 'USDT-USD': usd }, clock.wall) })
  }
  const look = async () => {
    pass(ROUND)
    await round()
    const { coins } = rates.report()
    return [await refusalOf(rates.usdPer('usdt')), coins.find(({ symbol }) => symbol === 'USDT')?.depegged]
  }
  lie('0.5')
  t.deepEqual(await look(), ['unavailable', false])
  t.deepEqual([logged.length, alarms.length], [0, 0])
  agree({ usdt: '0.96' })
  t.deepEqual(await look(), ['unavailable', true], 'all three say so')
  lie('1')
  t.deepEqual(await look(), ['unavailable', true])
  t.deepEqual([...rates.report().heldBack], ['USDT'])
  agree()
  t.deepEqual(await look(), ['1', false])
})

test('N-23 a currency may move by 10 % a day, and who looks after the service hears of those that somebody wanted', async (t) => {
  const { rates, say, round, pass, clock, alarms } = await market(t, ['coinbase', 'erapi', 'okx'])
  const after = async (perDollar: string) => {
    say('erapi', { body: erapiSays({ EUR: perDollar, EGP: perDollar }, Math.floor(clock.wall / 1_000)) })
    await round()
    return refusalOf(rates.usdPer('EUR'))
  }
  say('coinbase', { status: 500 })
  t.is(await after('1'), '1')
  pass(HOUR)
  t.is(await after('0.91'), '1.098901098901', 'the move of a day at once')
  t.is(await after('0.90'), 'unavailable')
  t.deepEqual([...rates.report().heldBack], ['EUR'])
  t.is(await refusalOf(rates.usdPer('EGP')), 'unavailable')
  t.deepEqual([...rates.report().heldBack], ['EUR', 'EGP'])
  pass(2 * MINUTE)
  await round()
  t.deepEqual(
    alarms.map(([, facts]) => (facts as { code: string }).code),
    ['EUR', 'EGP'],
  )
  say('coinbase', { body: coinbaseSays({ EUR: '0.91', EGP: '0.91' }) })
  pass(30 * HOUR)
  t.is(await after('0.90'), '1.105006105006', 'a day later it is believed')
})
