import { furtherTokenNetworks, tokenTypesWith } from '../../domain/kernel/token-types.ts'
import { BadValue, urlOf } from './setting-kinds.ts'

/** The settings of custom tokens: their further networks, and where their prices come from. */

/** The types of custom token, with the two further networks that settings name. */
export const tokenTypes = (a: string, b: string): ReadonlyMap<string, string> => {
  const known = furtherTokenNetworks.join(', ')
  for (const [setting, name] of [
    ['CUSTOM_NETWORK_A', a],
    ['CUSTOM_NETWORK_B', b],
  ])
    if (!furtherTokenNetworks.includes(name as string)) throw new BadValue(`${setting} is not one of ${known}: ${name}`)
  if (a === b) throw new BadValue(`CUSTOM_NETWORK_A and CUSTOM_NETWORK_B are the same: ${a}`)
  return tokenTypesWith([a, b])
}

/** The name of a price feed, as sellers write it. */
export const feedOf = (name: string): string => {
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(name) || /^https?$/.test(name))
    throw new BadValue(`PRICE_FEED is not a name of lower-case letters, digits and dashes: ${name}`)
  return name
}

/** The base URL of a price feed. Ids are added to it, so that it ends without a slash, a query or a fragment. */
export const feedUrl = (value: string): string => {
  const url = urlOf('PRICE_FEED_URL', value, ['https:', 'http:']) as string
  if (/[?#]/.test(url)) throw new BadValue('PRICE_FEED_URL has a query or a fragment')
  return url.replace(/\/+$/, '')
}
