/** The setting RATES: `fixed`, or the sources that are asked, parted by commas. */

import { type Provider, type ProviderName, providers } from '../providers.ts'
import type { RateSource } from './market.ts'

/** The sources that are asked; undefined for the fixed table. `own` says that a setting gave the source's address. */
export type RateSources = readonly (RateSource & { readonly own: boolean })[] | undefined

/** Two must agree on a coin, so with fewer there would be no price at all. */
const COIN_SOURCES_MIN = 2

/** `urlOf` answers the base URL that the settings give for a source. Throws an Error that says what is wrong. */
export const parseRates = (text: string, urlOf: (source: string) => string | undefined): RateSources => {
  if (text === 'fixed') return undefined
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !Object.hasOwn(providers, name))
  if (unknown !== undefined)
    throw new Error(`RATES is neither fixed nor a list of ${Object.keys(providers).join(', ')}: ${unknown}`)
  if (new Set(names).size < names.length) throw new Error(`RATES names a source twice: ${text}`)
  const sources = names.map((name) => {
    const provider: Provider = providers[name as ProviderName]
    const own = urlOf(name)
    return { name, provider, base: own ?? provider.base, own: own !== undefined }
  })
  if (sources.filter(({ provider }) => provider.coins).length < COIN_SOURCES_MIN)
    throw new Error(`RATES needs ${COIN_SOURCES_MIN} sources that price coins, which must agree: ${text}`)
  return sources
}

/** The names of all sources, because a coin needs two that know it. */
export const ALL_SOURCES = Object.keys(providers).join()
