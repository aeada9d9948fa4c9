import { z } from 'zod'
import { usdIn } from '../decimal.ts'
import { tickersOf } from '../symbols.ts'
import { coinQuotes, EXCHANGE_INTERVAL_MS, type Provider, urlUnder } from './provider.ts'

/** `{"code":"0","msg":"","data":[{"instId":"BTC-USD","idxPx":"43350","ts":"1649419644492",…}]}` */
const Answer = z.object({ code: z.literal('0'), data: z.array(z.unknown()) })
const Index = z.object({ instId: z.string(), idxPx: z.string(), ts: z.string().regex(/^\d{1,15}$/) })

/**
 * OKX's indexes in dollars, each a mean over several exchanges; its own markets are in Tether, whose price is in
 * question here.
 */
export const okx: Provider = {
  base: 'https://www.okx.com',
  intervalMs: EXCHANGE_INTERVAL_MS,
  coins: true,
  urls: (base) => [urlUnder(base, '/api/v5/market/index-tickers', { quoteCcy: 'USD' })],
  read(answer) {
    const indexes = new Map(
      Answer.parse(answer).data.flatMap((each) => {
        const index = Index.safeParse(each).data
        return index ? [[index.instId, index] as const] : []
      }),
    )
    return coinQuotes((coin) => {
      const index = tickersOf(coin).flatMap((ticker) => indexes.get(`${ticker}-USD`) ?? [])[0]
      return index && { usd: usdIn(index.idxPx), at: Number(index.ts) }
    })
  },
}
