/** Rates of the market, with sources, clocks and rounds that a test moves. */

import { setImmediate as turn } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import { type ProviderName, providers } from '../../adapters/rates/providers.ts'
import { createMarketRates } from '../../adapters/rates/quotes/market.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { eventually } from '../../src/demo/stage.ts'
import { coingeckoSays, krakenSays, okxSays, type Played, playSources } from './played-sources.ts'

export const WALL_TIME_AT_ZERO = Date.parse('2026-11-20T12:00:00Z')
export const HOUR = 3_600_000
export const CODES = ['btc', 'eth', 'usdc', 'usdc_base', 'usdt']

/** Sources whose answers a test changes, clocks that it moves, and rounds that begin when it says so. */
export const market = async (
  t: ExecutionContext,
  names: readonly ProviderName[] = ['kraken', 'okx', 'coingecko'],
  atFirst: (say: Say) => void = () => {},
) => {
  const clock = { now: 1_000_000, wall: WALL_TIME_AT_ZERO }
  const pass = (ms: number) => {
    clock.now += ms
    clock.wall += ms
  }
  const answers: Record<string, (url: string) => Played> = {}
  const say: Say = (name, played) => {
    answers[name] = typeof played === 'function' ? played : () => played
  }
  /** All three at the same prices, of now. */
  const agree = (prices: { btc?: string; eth?: string; usdt?: string; usdc?: string } = {}) => {
    const { btc = '90000', eth = '2500', usdt = '1.0001', usdc = '0.9999' } = prices
    say('kraken', { body: krakenSays({ XXBTZUSD: btc, XETHZUSD: eth, USDTZUSD: usdt, USDCUSD: usdc }) })
    say('okx', () => ({
      body: okxSays({ 'BTC-USD': btc, 'ETH-USD': eth, 'USDT-USD': usdt, 'USDC-USD': usdc }, clock.wall),
    }))
    const ids = { bitcoin: btc, ethereum: eth, tether: usdt, 'usd-coin': usdc }
    say('coingecko', () => ({ body: coingeckoSays(ids, Math.floor(clock.wall / 1_000)) }))
  }
  agree()
  atFirst(say)
  const played = await playSources(answers)
  const outbound = createOutbound({ allow: parseAllowList(played.hostPort), userAgent: 'Daybook-Test/1' })
  const logged: [message: string, facts: object][] = []
  const alarms: [message: string, facts: object][] = []
  const asleep = new Map<object, { ms: number; wake: () => void }>()
  const pause = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const key = {}
      const wake = () => {
        asleep.delete(key)
        resolve()
      }
      signal.addEventListener('abort', wake)
      asleep.set(key, { ms, wake })
    })
  const start = () =>
    createMarketRates({
      sources: names.map((name) => ({ name, provider: providers[name], base: played.base(name) })),
      outbound,
      codes: CODES,
      log: (...line) => logged.push(line),
      alarm: (...line) => alarms.push(line),
      time: { now: () => clock.now, wallClock: () => clock.wall, pause },
    })
  const rates = start()
  t.teardown(async () => {
    const closing = rates.close()
    played.stop()
    await closing
    await outbound.close()
  })
  const rested = () => eventually('the end of a round', async () => asleep.size === names.length)
  /** One more round of all sources. */
  const round = async () => {
    for (const { wake } of [...asleep.values()]) wake()
    await turn()
    await rested()
  }
  const waits = () => [...asleep.values()].map(({ ms }) => ms).sort((a, b) => a - b)
  await rates.asked(20_000)
  await rested()
  return { rates, clock, pass, say, agree, round, waits, rested, logged, alarms, played, asleep }
}

type Say = (name: ProviderName, played: Played | ((url: string) => Played)) => void

export const refusalOf = (asking: Promise<string>): Promise<string> =>
  asking.catch((error: unknown) => {
    if (error instanceof Refusal) return error.code
    throw error
  })
