import { z } from 'zod'
import { currencyQuotes, type Provider, urlUnder } from './provider.ts'

/** `{"result":"success","time_last_update_unix":1744588952,"base_code":"USD","rates":{"USD":1,"AED":3.6725,…},…}` */
const Answer = z.object({
  result: z.literal('success'),
  base_code: z.literal('USD'),
  time_last_update_unix: z.string().regex(/^\d{1,12}$/),
  rates: z.record(z.string(), z.unknown()),
})

/** The open rates of ExchangeRate-API: every currency, on every day of the week, once a day. */
export const erapi: Provider = {
  base: 'https://open.er-api.com',
  intervalMs: 3_600_000,
  coins: false,
  urls: (base) => [urlUnder(base, '/v6/latest/USD')],
  read(answer) {
    const { rates, time_last_update_unix: seconds } = Answer.parse(answer)
    return currencyQuotes(rates, { at: Number(seconds) * 1_000 })
  },
}
