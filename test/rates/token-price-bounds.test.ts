import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { createTokenPrices } from '../../adapters/rates/token-prices.ts'

/** The bounds within which prices of custom tokens are asked for, played without a network. */

const FEEDS = new Map([['coingecko', 'https://feed.example']])
const WALL = Date.parse('2026-11-20T12:00:00Z')

/** Sources that answer when they are let, and a clock of one's own. */
const played = () => {
  const waiting: ((body: string) => void)[] = []
  const asked: string[] = []
  const clock = { at: 0 }
  const get = (url: string) => {
    asked.push(url)
    return new Promise<{ status: number; body: string }>((resolve) => {
      waiting.push((body) => resolve({ status: body === '' ? 500 : 200, body }))
    })
  }
  const outbound = { get, refusal: (url: string) => `outbound: ${url}` } as unknown as Parameters<
    typeof createTokenPrices
  >[0]['outbound']
  const prices = createTokenPrices({ outbound, feeds: FEEDS, now: () => clock.at, wallClock: () => WALL + clock.at })
  const answer = async (body: string) => {
    waiting.shift()?.(body)
    for (let n = 0; n < 5; n++) await turn()
  }
  return { prices, clock, asked, answer }
}

test('J-TOK-03 a source is refused for what is wrong with it', (t) => {
  const { prices } = played()
  t.is(prices.refusal('other:abc'), 'other is not a price feed: there is coingecko')
  t.is(prices.refusal('coingecko:-a'), 'the id of a feed is [a-z0-9][a-z0-9_-]{0,80}')
  t.is(prices.refusal('coingecko:abc'), undefined)
  t.is(prices.refusal('https://a.example/'), 'outbound: https://a.example/')
})

test('N-32 a feed is asked by the id of the token, and what names neither a URL nor a feed is not asked at all', async (t) => {
  const { prices, asked, answer } = played()
  const wanted = prices.usdFrom('coingecko:shop-coin')
  await answer('{"shop-coin":{"usd":2}}')
  t.is(await wanted, '2')
  t.deepEqual(asked, ['https://feed.example/simple/price?ids=shop-coin&vs_currencies=usd&include_last_updated_at=true'])
  for (const none of ['other:abc', 'coingecko:', 'nope']) t.is(await prices.usdFrom(none), undefined)
  t.is(asked.length, 1)
})

test('a source that failed late is left alone for ten seconds from its answer on', async (t) => {
  const { prices, clock, asked, answer } = played()
  clock.at = 20_000
  const first = prices.usdFrom('https://a.example/')
  clock.at = 21_000
  await answer('')
  t.is(await first, undefined)
  clock.at = 30_999
  t.is(await prices.usdFrom('https://a.example/'), undefined)
  t.is(asked.length, 1)
  clock.at = 31_000
  const second = prices.usdFrom('https://a.example/')
  await answer('{"price":3}')
  t.is(await second, '3')
  t.is(asked.length, 2)
})

test('a price is fresh from the question on, and as old as its source says', async (t) => {
  const { prices, clock, asked, answer } = played()
  clock.at = 100_000
  const first = prices.usdFrom('https://a.example/')
  clock.at = 101_000
  await answer(`{"price":3,"last_updated_at":${(WALL + 100_000) / 1_000 - 590}}`)
  t.is(await first, '3')
  clock.at = 109_999
  t.is(await prices.usdFrom('https://a.example/'), '3')
  clock.at = 110_000
  t.is(await prices.usdFrom('https://a.example/'), undefined)
  t.is(asked.length, 1)
  clock.at = 160_000
  const next = prices.usdFrom('https://a.example/')
  t.is(asked.length, 2)
  await answer('{"price":4}')
  t.is(await next, '4')
})

test('64 sources are asked at once, and the next one when one of them has answered', async (t) => {
  const { prices, asked, answer } = played()
  const all = Array.from({ length: 64 }, (_, n) => prices.usdFrom(`https://a.example/${n}`))
  t.is(asked.length, 64)
  t.is(await prices.usdFrom('https://a.example/64'), undefined)
  t.is(asked.length, 64)
  await answer('{"price":1}')
  t.is(await all[0], '1')
  const next = prices.usdFrom('https://a.example/64')
  t.is(asked.length, 65)
  for (let n = 0; n < 64; n++) await answer('{"price":2}')
  t.is(await next, '2')
})

test('a source that is being asked is never forgotten, whatever comes meanwhile', async (t) => {
  const { prices, asked, answer } = played()
  const first = prices.usdFrom('https://a.example/slow')
  const others = Array.from({ length: 63 }, (_, n) => prices.usdFrom(`https://a.example/busy/${n}`))
  for (let n = 0; n < 1_100; n++) await prices.usdFrom(`https://a.example/${n}`)
  const again = prices.usdFrom('https://a.example/slow')
  t.is(asked.length, 64)
  for (let n = 0; n < 64; n++) await answer('{"price":5}')
  t.deepEqual(
    [await first, await again, ...(await Promise.all(others))],
    Array.from({ length: 65 }, () => '5'),
  )
})
