import { z } from 'zod'
import { FIAT_DECIMALS, toDecimal, toUnits } from '../../../../domain/kernel/money.ts'

/** Fiat amounts on the wire are JSON numbers; within they are exact millionths. */

/** 15 significant digits are what a JSON number carries exactly. */
const AMOUNT_MAX = 999_999_999.999_999

/** A fiat amount of at least a millionth and at most six places, as millionths. */
export const FiatAmount = z
  .number()
  .positive()
  .max(AMOUNT_MAX)
  .refine(
    (value) => /^\d+(\.\d{1,6})?$/.test(plain(value)) && Number(plain(value)) === value,
    'has to have at most 6 places after the point',
  )

/** ISO 4217, in capitals. Whether anybody prices it is asked later. */
export const CurrencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, 'has to be a currency code of three capital letters, such as USD')

/** The millionths of a number that FiatAmount has passed, read from its shortest decimal form: nothing is rounded. */
export const fiatUnits = (amount: number): bigint => toUnits(plain(amount), FIAT_DECIMALS)

export const fiatNumber = (units: bigint | string): number => Number(toDecimal(BigInt(units), FIAT_DECIMALS))

/** JavaScript writes a millionth as 1e-6. */
const plain = (value: number): string => (value < 1e-5 ? value.toFixed(6).replace(/0+$/, '') : String(value))
