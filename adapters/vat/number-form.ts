/** The form and the check digits of VAT numbers, by country. */

import {
  austria,
  belgium,
  bulgaria,
  type Country,
  checkVAT,
  croatia,
  cyprus,
  czechRepublic,
  denmark,
  estonia,
  finland,
  france,
  germany,
  greece,
  hungary,
  ireland,
  italy,
  latvia,
  lithuania,
  luxembourg,
  malta,
  netherlands,
  norway,
  poland,
  portugal,
  romania,
  slovakiaRepublic,
  slovenia,
  spain,
  sweden,
  switzerland,
  unitedKingdom,
} from 'jsvat'
import { countryIn } from '../../domain/money/vat/rates.ts'

export type NumberForm = {
  readonly number: string
  /** Empty when numbers of its country cannot be checked. */
  readonly country: string
  readonly right: boolean
}

/**
 * Reads a number in any letter case and with any usual separators. The country has to stand before it, Greece as EL or
 * GR.
 */
export const numberForm = (given: string): NumberForm => {
  const clean = given.toUpperCase().replaceAll(/[\s.\-/]/g, '')
  const country = countryIn(clean.slice(0, 2))
  const rules = rulesOf.get(country)
  if (!rules) return { number: clean, country: '', right: false }
  const number = country === 'GR' ? `EL${clean.slice(2)}` : clean
  return { number, country, right: checkVAT(number, [rules]).isValid }
}

/** Northern Ireland, which jsvat does not know, has the numbers of the United Kingdom. */
const northernIreland: Country = {
  ...unitedKingdom,
  name: 'Northern Ireland',
  codes: ['XI'],
  rules: {
    ...unitedKingdom.rules,
    regex: unitedKingdom.rules.regex.map(({ source }) => new RegExp(source.replace('GB', 'XI'))),
  },
}

const EU: readonly Country[] = [
  austria,
  belgium,
  bulgaria,
  croatia,
  cyprus,
  czechRepublic,
  denmark,
  estonia,
  finland,
  france,
  germany,
  greece,
  hungary,
  ireland,
  italy,
  latvia,
  lithuania,
  luxembourg,
  malta,
  netherlands,
  poland,
  portugal,
  romania,
  slovakiaRepublic,
  slovenia,
  spain,
  sweden,
]

/** One country's rules at a time: given several, jsvat also takes three letters or digits for a country. */
const rulesOf: ReadonlyMap<string, Country> = new Map(
  [...EU, northernIreland, norway, switzerland, unitedKingdom].map((rules) => [rules.codes[0] as string, rules]),
)
