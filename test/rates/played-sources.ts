/**
 * Public sources of prices, played on this machine. The shapes are those of their documentation: docs.coingecko.com
 * (simple/price), docs.cdp.coinbase.com (coinbase-app/track-apis/exchange-rates), docs.kraken.com
 * (get-ticker-information), okx.com/docs-v5 (index tickers), exchangerate-api.com/docs/free.
 */

import { startReceiver } from '../outbound/receiver.ts'

export type Played = {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Never answers. */
  hangs?: boolean
}

/**
 * One server; the first part of the path is the source, `body` of which is asked for at each call, with the rest of the
 * URL.
 */
export const playSources = async (answers: Record<string, (url: string) => Played>) => {
  const receiver = await startReceiver(({ url }, response) => {
    const [, name = '', rest = ''] = /^\/([a-z]+)(.*)$/.exec(url) ?? []
    const { status = 200, headers = {}, body = '', hangs = false } = answers[name]?.(rest) ?? { status: 404 }
    if (!hangs) response.writeHead(status, headers).end(body)
  })
  return {
    hostPort: `127.0.0.1:${receiver.port}`,
    base: (name: string) => `http://127.0.0.1:${receiver.port}/${name}`,
    asked: () => receiver.received.map(({ url }) => url),
    stop: receiver.stop,
  }
}

/** Digits go into the JSON as they are given. */
export const coingeckoSays = (prices: Record<string, string>, seconds: number): string =>
  `{${Object.entries(prices).map(([id, usd]) => `"${id}":{"usd":${usd},"last_updated_at":${seconds}}`)}}`

/** How many of each a dollar buys. */
export const coinbaseSays = (rates: Record<string, string>): string =>
  JSON.stringify({ data: { currency: 'USD', rates } })

/** The ask of each pair, and a bid that is the same unless given. */
export const krakenSays = (pairs: Record<string, string | [ask: string, bid: string]>): string =>
  JSON.stringify({
    error: [],
    result: Object.fromEntries(
      Object.entries(pairs).map(([pair, price]) => {
        const [ask, bid] = typeof price === 'string' ? [price, price] : price
        const rest = { c: ['1.00000', '0.00067643'], v: ['4083.67', '4412.73'], p: ['1.0', '1.0'], t: [34619, 38907] }
        const day = { l: ['1.0', '1.0'], h: ['1.0', '1.0'], o: '1.0' }
        return [pair, { a: [ask, '1', '1.000'], b: [bid, '1', '1.000'], ...rest, ...day }]
      }),
    ),
  })

export const KRAKEN_KNOWS_NOT = '{"error":["EQuery:Unknown asset pair"]}'

export const okxSays = (indexes: Record<string, string>, at: number): string =>
  JSON.stringify({
    code: '0',
    msg: '',
    data: Object.entries(indexes).map(([instId, idxPx]) => ({
      instId,
      idxPx,
      high24h: idxPx,
      low24h: idxPx,
      open24h: idxPx,
      sodUtc0: idxPx,
      sodUtc8: idxPx,
      ts: String(at),
    })),
  })

export const erapiSays = (rates: Record<string, string>, seconds: number): string =>
  `{"result":"success","provider":"https://www.exchangerate-api.com","time_last_update_unix":${seconds},` +
  `"time_next_update_unix":${seconds + 87_590},"time_eol_unix":0,"base_code":"USD",` +
  `"rates":{"USD":1${Object.entries(rates)
    .map(([code, rate]) => `,"${code}":${rate}`)
    .join('')}}}`
