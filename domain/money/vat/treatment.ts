import { refuse } from '../../kernel/refusal.ts'
import type { VatNumber } from './ports.ts'
import { EU_COUNTRIES, isDomestic, type OwnRates, ownRate, standardRate } from './rates.ts'

/** The country that taxes a sale of something digital, and the rate (M-VAT-01). */

export type TaxedSale = {
  /** The country where the seller is taxed. */
  readonly seller: string
  /** The buyer's country. When undefined, the VAT number tells it, and without a number it is a sale at home. */
  readonly buyer: string | undefined
  readonly number: VatNumber | undefined
  /** The day of the sale, YYYY-MM-DD. */
  readonly day: string
  readonly rates: OwnRates
}

export type Treatment = {
  /** The country whose VAT is due, or the buyer's country where none is due. */
  readonly country: string
  /** The rate in millionths of the price. */
  readonly rate: bigint
  readonly reverseCharge: boolean
}

/**
 * How a sale is taxed. At home it has the seller's rate. Within the EU it has the rate of the buyer's country (one-stop
 * shop), or none when the buyer is a business of another member state, who then accounts for it. Elsewhere it is an
 * export, without VAT unless the seller gave a rate for that country. Refuses `invalid-request` where a rate is needed
 * and none is known.
 */
export const treatmentOf = ({ seller, buyer, number, day, rates }: TaxedSale): Treatment => {
  const usable = number && isUsable(number) ? number : undefined
  const country = buyer ?? usable?.country ?? seller
  if (isDomestic(seller, country)) return { country: seller, rate: rateOn(seller, day, rates), reverseCharge: false }
  if (!EU_COUNTRIES.has(seller) || !EU_COUNTRIES.has(country))
    return { country, rate: ownRate(country, rates) ?? 0n, reverseCharge: false }
  if (usable?.country === country) return { country, rate: 0n, reverseCharge: true }
  return { country, rate: rateOn(country, day, rates), reverseCharge: false }
}

/**
 * Whether a number counts. A number that the registry says nothing about counts by its form, so that a registry that is
 * down is in nobody's way.
 */
const isUsable = ({ valid }: VatNumber): boolean => valid !== false

/**
 * Refuses `invalid-request` for rules by which not even a sale at home could be taxed. Otherwise the seller's calls
 * would fail later, and not the change that brings such rules.
 */
export const refuseUntaxable = (
  { enabled, country, rates }: { enabled: boolean; country: string; rates: OwnRates },
  day: string,
): void => {
  if (!enabled) return
  if (country === '') refuse('invalid-request', 'vat: has to have a country before it is enabled')
  rateOn(country, day, rates)
}

const rateOn = (country: string, day: string, rates: OwnRates): bigint =>
  ownRate(country, rates) ??
  standardRate(country, day) ??
  refuse(
    'invalid-request',
    `country: ${country} has no VAT rate here for ${day}. Set it in the settings, as vat.rates.`,
  )
