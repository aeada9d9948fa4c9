import type { Logger } from 'pino'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { hostAndPort } from '../../adapters/outbound/url-rules.ts'
import { fixedRates } from '../../adapters/rates/quotes/fixed.ts'
import { createMarketRates, type RatesReport } from '../../adapters/rates/quotes/market.ts'
import { assetsOn } from '../../domain/kernel/assets.ts'
import type { Chain, Rates } from '../../domain/kernel/ports.ts'
import { WEBHOOK_USER_AGENT } from '../../domain/selling/webhooks/delivery-request.ts'
import type { Config } from '../settings/config.ts'

/** How long a start waits for the first rates, so that the first buyers after it are not sent away. */
const FIRST_RATES_MS = 2_000

export type OpenRates = {
  readonly rates: Rates
  /** Answers undefined when rates are fixed. */
  readonly report: () => RatesReport | undefined
}

/**
 * The rates that the settings name, of the coins of these chains. Sources are asked over a guarded way out of their
 * own; only those that the operator named by a setting may be on a private host or without TLS.
 */
export const openRates = async (
  { rateSources }: Config,
  chains: ReadonlyMap<string, Pick<Chain, 'caip2'>>,
  log: Logger,
  closing: (close: () => unknown) => void,
): Promise<OpenRates> => {
  if (!rateSources) return { rates: fixedRates(), report: () => undefined }
  const allow = new Set(rateSources.filter(({ own }) => own).map(({ base }) => hostAndPort(new URL(base))))
  const outbound = createOutbound({ allow, userAgent: WEBHOOK_USER_AGENT })
  closing(() => outbound.close())
  const codes = [...chains].flatMap(([network, { caip2 }]) => assetsOn(network, caip2).map(({ code }) => code))
  const rates = createMarketRates({
    sources: rateSources,
    outbound,
    codes,
    log: (text, facts) => log.warn(facts, text),
    alarm: (text, facts) => log.error(facts, text),
  })
  closing(() => rates.close())
  await rates.asked(FIRST_RATES_MS)
  return { rates, report: rates.report }
}
