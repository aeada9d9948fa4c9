import { assetOf } from '../../../domain/kernel/assets.ts'
import { FIAT_DECIMALS, toDecimal } from '../../../domain/kernel/money.ts'
import { type AddressFamily, networkOf } from '../../../domain/kernel/networks.ts'

/** Amounts, coins and times as people read and type them. */

/** How long to wait. */
export const waitOf = (seconds: number): string => {
  if (seconds < 90) return `Please wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'} and try again.`
  return `Please wait ${Math.ceil(seconds / 60)} minutes and try again.`
}

/**
 * "1,234.50 USD": every digit that is asked, in groups of three, with at least the places that the currency is written
 * with.
 */
export const price = (units: bigint | string, currency: string): string => {
  const [whole = '0', fraction = ''] = toDecimal(BigInt(units), FIAT_DECIMALS).split('.')
  const places = fraction.padEnd(placesOf(currency), '0')
  return `${grouped(whole)}${places && `.${places}`} ${currency}`
}

/** "1,234.50000001": exactly the digits asked, never with an exponent. */
export const coinAmount = (units: bigint, decimals: number): string => {
  const [whole = '0', fraction = ''] = toDecimal(units, decimals).split('.')
  return `${grouped(whole)}${fraction && `.${fraction}`}`
}

export type CoinView = {
  readonly code: string
  /** "USD Coin" */
  readonly name: string
  /** What wallets write behind an amount: "USDC" */
  readonly symbol: string
  /** "Ethereum" */
  readonly network: string
  readonly family: AddressFamily | undefined
  readonly decimals: number
  readonly contract: string | undefined
}

/** A coin as a challenge or a quote describes it; one that says little about it means the catalogue's. */
export const coinOf = (described: {
  readonly asset: string
  readonly network: string
  readonly decimals?: number | undefined
  readonly name?: string | undefined
  readonly contract?: string | undefined
}): CoinView => {
  const { asset: code, network } = described
  const known = assetOf(code)
  const name = described.name ?? known?.name
  const symbol = symbolOf(code)
  return {
    code,
    symbol,
    network: networkOf(network)?.title ?? network,
    family: networkOf(network)?.family,
    name: name?.replace(/ on \S+$/, '') || symbol,
    decimals: described.decimals ?? known?.decimals ?? 0,
    contract: described.contract ?? known?.contract,
  }
}

/** What wallets write behind an amount: a code without its network. */
export const symbolOf = (code: string): string => (code.split('_')[0] ?? code).toUpperCase()

/** "21 Nov 2026, 15:05 UTC" */
export const moment = (iso: string): string => {
  const at = new Date(iso)
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${iso.slice(11, 16)} UTC`
}

/** What is said where something is sold again: "paid already on 21 Nov 2026, 15:05 UTC; this buys it again". */
export const paidBefore = (iso: string): string => `paid already on ${moment(iso)}; this buys it again`

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The end of a sentence whose last word is a name: a name that ends like a sentence, as “Tea & Co.” does, ends it. */
export const fullStopAfter = (name: string): string => (/[.!?…。！？]$/.test(name.trim()) ? '' : '.')

const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',')

const placesOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().minimumFractionDigits ?? 2
