import { toUnits } from '../../kernel/money.ts'

/**
 * Standard rates by country, each with the first day on which it holds (M-VAT-01). A rate that was announced is one
 * more row.
 */

/** Rates are millionths of the price: 19 % is 190000. */
export const WHOLE = 1_000_000n

/** Places of a percentage; with four of them it is a whole number of millionths. */
export const PERCENT_DECIMALS = 4

/** Percentages by country that a seller gave in the place of the table's, whatever the day. */
export type OwnRates = { readonly [country: string]: string }

/**
 * The standard rate of a country on a day (YYYY-MM-DD). Undefined for a country that is not in the table, and for a day
 * before the first that is known.
 */
export const standardRate = (country: string, day: string): bigint | undefined => {
  const rows = Object.hasOwn(STANDARD_RATES, country) ? STANDARD_RATES[country] : undefined
  const percent = rows?.findLast(([from]) => from <= day)?.[1]
  return percent === undefined ? undefined : rateIn(percent)
}

export const ownRate = (country: string, rates: OwnRates): bigint | undefined => {
  const percent = Object.hasOwn(rates, country) ? rates[country] : undefined
  return percent === undefined ? undefined : rateIn(percent)
}

/** "25.5" is 255000n. */
const rateIn = (percent: string): bigint => toUnits(percent, PERCENT_DECIMALS)

/** Rates in percent, the oldest first, beginning with the one that held at the start of 2020. */
export const STANDARD_RATES: { readonly [country: string]: readonly (readonly [from: string, percent: string])[] } = {
  AT: [['1984-01-01', '20']],
  BE: [['1996-01-01', '21']],
  BG: [['1999-01-01', '20']],
  CH: [
    ['2018-01-01', '7.7'],
    ['2024-01-01', '8.1'],
  ],
  CY: [['2014-01-13', '19']],
  CZ: [['2013-01-01', '21']],
  // Lowered for half a year in the pandemic.
  DE: [
    ['2007-01-01', '19'],
    ['2020-07-01', '16'],
    ['2021-01-01', '19'],
  ],
  DK: [['1992-01-01', '25']],
  EE: [
    ['2009-07-01', '20'],
    ['2024-01-01', '22'],
    ['2025-07-01', '24'],
  ],
  ES: [['2012-09-01', '21']],
  FI: [
    ['2013-01-01', '24'],
    ['2024-09-01', '25.5'],
  ],
  FR: [['2014-01-01', '20']],
  GB: [['2011-01-04', '20']],
  GR: [['2016-06-01', '24']],
  HR: [['2012-03-01', '25']],
  HU: [['2012-01-01', '27']],
  // Lowered for half a year in the pandemic.
  IE: [
    ['2012-01-01', '23'],
    ['2020-09-01', '21'],
    ['2021-03-01', '23'],
  ],
  IT: [['2013-10-01', '22']],
  LT: [['2009-09-01', '21']],
  // Lowered for a year against the rise of prices.
  LU: [
    ['2015-01-01', '17'],
    ['2023-01-01', '16'],
    ['2024-01-01', '17'],
  ],
  LV: [['2012-07-01', '21']],
  MT: [['2004-01-01', '18']],
  NL: [['2012-10-01', '21']],
  NO: [['2005-01-01', '25']],
  PL: [['2011-01-01', '23']],
  PT: [['2011-01-01', '23']],
  RO: [
    ['2017-01-01', '19'],
    ['2025-08-01', '21'],
  ],
  SE: [['1990-07-01', '25']],
  SI: [['2013-07-01', '22']],
  SK: [
    ['2011-01-01', '20'],
    ['2025-01-01', '23'],
  ],
  // The rate of the United Kingdom, for as long as it has a code of its own.
  XI: [['2011-01-04', '20']],
}

/**
 * The countries whose VAT Daybook knows: the 27 of the European Union and Northern Ireland (XI), which follows its
 * rules for goods; Great Britain, Switzerland and Norway. ISO 3166, but for XI.
 */
export const EU_COUNTRIES: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'.split(' '),
)

/** A country as its code is written here; on tax forms and in VAT numbers Greece is EL. */
export const countryIn = (code: string): string => {
  const upper = code.toUpperCase()
  return upper === 'EL' ? 'GR' : upper
}

/** Whether a sale from one to the other stays at home: Northern Ireland is a part of the United Kingdom. */
export const isDomestic = (seller: string, buyer: string): boolean => home(seller) === home(buyer)

const home = (country: string) => (country === 'XI' ? 'GB' : country)
