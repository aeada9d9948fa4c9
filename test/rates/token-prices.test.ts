import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import { createTokenPrices } from '../../adapters/rates/token-prices.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startReceiver } from '../outbound/receiver.ts'
import { startOwnTime } from '../support/own-time.ts'

const MINUTE = 60_000
const WALL_TIME_AT_ZERO = Date.parse('2026-11-20T12:00:00Z')

/** A price source on this machine, a clock of one's own, and prices that are read from there. */
const sources = async (t: ExecutionContext) => {
  const answer = { status: 200, body: '{"price":"1.5"}', delayMs: 0 }
  const receiver = await startReceiver((_, response) => {
    setTimeout(() => response.writeHead(answer.status, { location: '/other' }).end(answer.body), answer.delayMs)
  })
  const base = `http://127.0.0.1:${receiver.port}`
  const outbound = createOutbound({ allow: parseAllowList(`127.0.0.1:${receiver.port}`), userAgent: 'Daybook-Test/1' })
  const clock = { at: 0 }
  const prices = createTokenPrices({
    outbound,
    feeds: new Map([['coingecko', base]]),
    now: () => clock.at,
    wallClock: () => WALL_TIME_AT_ZERO + clock.at,
  })
  t.teardown(async () => {
    receiver.stop()
    await outbound.close()
  })
  return { prices, clock, answer, asked: () => receiver.received.map(({ url }) => url), url: `${base}/price`, receiver }
}

test('J-TOK-03 L-JSN-15 a source is an https URL or an id of a known feed', async (t) => {
  const { prices, url } = await sources(t)
  const longest = `coingecko:${'a'.repeat(81)}`
  const good = ['https://prices.example.com/x?y=1', 'coingecko:abc', 'coingecko:0-_x', longest, url]
  for (const source of good) t.is(prices.refusal(source), undefined, source)
  const bad = [
    'http://prices.example.com/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://10.0.0.1/x',
    'nope',
    '',
    'coingecko:ABC',
    'coingecko:',
    'coingecko:-a',
    'coingecko:a b',
    'coingecko:a/b',
    `${longest}a`,
    'other:abc',
    'Coingecko:abc',
    'ftp://prices.example.com/',
    'https://user:pass@prices.example.com/',
    'https:prices.example.com',
  ]
  for (const source of bad) t.truthy(prices.refusal(source), source)
})

test('N-32 a URL is read as it is, a feed by the id of the token', async (t) => {
  const { prices, answer, asked, url } = await sources(t)
  t.is(await prices.usdFrom(url), '1.5')
  answer.body = '{"shop-coin":{"usd":0.25}}'
  t.is(await prices.usdFrom('coingecko:shop-coin'), '0.25')
  t.deepEqual(asked(), ['/price', '/simple/price?ids=shop-coin&vs_currencies=usd&include_last_updated_at=true'])
  for (const source of ['other:x', 'coingecko:ABC', 'nope']) t.is(await prices.usdFrom(source), undefined)
  t.is(asked().length, 2)
})

test('a price serves for a minute, and then the next one', async (t) => {
  const { prices, clock, answer, asked, url } = await sources(t)
  t.is(await prices.usdFrom(url), '1.5')
  answer.body = '{"price":2}'
  clock.at = MINUTE - 1
  t.is(await prices.usdFrom(url), '1.5')
  t.is(asked().length, 1)
  clock.at = MINUTE
  t.is(await prices.usdFrom(url), '2')
  t.is(asked().length, 2)
})

test('N-23 a source that fails leaves its last price until it is ten minutes old, and then none', async (t) => {
  const { prices, clock, answer, url } = await sources(t)
  await prices.usdFrom(url)
  answer.status = 500
  clock.at = 2 * MINUTE
  t.is(await prices.usdFrom(url), '1.5')
  clock.at = 10 * MINUTE - 1
  t.is(await prices.usdFrom(url), '1.5')
  clock.at = 10 * MINUTE
  t.is(await prices.usdFrom(url), undefined)
  answer.status = 200
  clock.at += 10_000
  t.is(await prices.usdFrom(url), '1.5')
})

test('N-23 a price is as old as its source says, and ten minutes are too old also when it was only just read', async (t) => {
  const { prices, clock, answer, asked } = await sources(t)
  const found = (secondsAgo: number) => {
    answer.body = `{"shop-coin":{"usd":0.25,"last_updated_at":${(WALL_TIME_AT_ZERO + clock.at) / 1_000 - secondsAgo}}}`
  }
  found(601)
  t.is(await prices.usdFrom('coingecko:shop-coin'), undefined)
  clock.at += MINUTE
  found(570)
  t.is(await prices.usdFrom('coingecko:shop-coin'), '0.25')
  clock.at += 29_999
  t.is(await prices.usdFrom('coingecko:shop-coin'), '0.25')
  clock.at += 1
  t.is(await prices.usdFrom('coingecko:shop-coin'), undefined)
  t.is(asked().length, 2, 'an old price is no reason to ask more than once a minute')
  clock.at += MINUTE
  found(-300)
  t.is(await prices.usdFrom('coingecko:shop-coin'), '0.25', 'a clock that is ahead of ours')
  answer.status = 500
  clock.at += 10 * MINUTE
  t.is(await prices.usdFrom('coingecko:shop-coin'), undefined, 'and makes nothing last longer')
})

test('a source that failed is left alone for ten seconds, however often it is wanted', async (t) => {
  const { prices, clock, answer, asked, url } = await sources(t)
  answer.body = 'no'
  for (let n = 0; n < 50; n++) t.is(await prices.usdFrom(url), undefined)
  t.is(asked().length, 1)
  clock.at = 10_000
  await prices.usdFrom(url)
  t.is(asked().length, 2)
})

test('a hundred who want a price at once ask for it once', async (t) => {
  const { prices, answer, asked, url } = await sources(t)
  answer.delayMs = 100
  const all = await Promise.all(Array.from({ length: 100 }, () => prices.usdFrom(url)))
  t.deepEqual(new Set(all), new Set(['1.5']))
  t.is(asked().length, 1)
})

test('nobody waits longer than two seconds, and what comes later serves the next', async (t) => {
  const { prices, answer, asked, url } = await sources(t)
  answer.delayMs = 3_000
  const ownTime = startOwnTime()
  t.is(await prices.usdFrom(url), undefined)
  t.true(ownTime() < 2_900)
  await pause(1_500)
  t.is(await eventually('the price', async () => (await prices.usdFrom(url)) ?? false), '1.5')
  t.is(asked().length, 1)
})

test('X-SSRF-01 a redirect, an answer that is too long and an address that is not public are no price', async (t) => {
  const { prices, answer, asked, url, clock } = await sources(t)
  answer.status = 302
  t.is(await prices.usdFrom(url), undefined)
  t.deepEqual(asked(), ['/price'])
  answer.status = 200
  answer.body = `{"pad":"${'x'.repeat(70_000)}","price":1}`
  clock.at += MINUTE
  t.is(await prices.usdFrom(url), undefined)
  answer.body = `{"pad":"${'x'.repeat(60_000)}","price":1}`
  clock.at += MINUTE
  t.is(await prices.usdFrom(url), '1')
  t.is(await prices.usdFrom(url.replace('127.0.0.1', 'localhost')), undefined)
})

test('a thousand sources are remembered, and the one used longest ago makes room', async (t) => {
  const { prices, asked, url } = await sources(t)
  const of = (n: number) => prices.usdFrom(`${url}/${n}`)
  for (let n = 0; n < 1_000; n += 50) await Promise.all(Array.from({ length: 50 }, (_, k) => of(n + k)))
  t.is(asked().length, 1_000)
  await of(0)
  t.is(asked().length, 1_000)
  await of(1_000)
  await of(0)
  t.is(asked().length, 1_001)
  await of(1)
  t.is(asked().length, 1_002)
})
