import { z } from 'zod'
import { FIAT_DECIMALS, toUnits } from '../../../domain/kernel/money.ts'
import { countryIn } from '../../../domain/money/vat/rates.ts'
import { readJson } from '../../input/body.ts'

/** Fields of document 3's forms: everything is text there. */

const ID_MAX = 32

/** The number of a transaction. */
export const TransactionId = z.string().min(1).max(ID_MAX)

/** A plain decimal, without sign or exponent. */
export const Decimal = z.string().regex(/^\d{1,15}(\.\d{1,18})?$/, 'has to be a plain decimal number')

/** An amount of a currency as exact millionths; its whole part is as long as that of a JSON amount. */
export const FiatDecimal = z
  .string()
  .regex(
    /^\d{1,9}(\.\d{1,6})?$/,
    'has to be a plain decimal number with at most 9 digits before the point and 6 after it',
  )
  .transform((text) => toUnits(text, FIAT_DECIMALS))

/** ISO 4217; case does not matter. */
export const CurrencyCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'has to be a currency code of three letters')
  .transform((code) => code.toUpperCase())

/** ISO 3166, and XI for Northern Ireland; case does not matter, and Greece is EL too. */
export const CountryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'has to be a country code of two letters')
  .transform(countryIn)

const VAT_NUMBER_MAX = 40

/** A VAT number however a person writes it; whether it is one is checked later. */
export const VatNumberText = z.string().min(1).max(VAT_NUMBER_MAX)

/** The code of a coin; case does not matter. */
export const CoinCode = z
  .string()
  .regex(/^\w{1,32}$/, 'has to be the code of a coin')
  .transform((code) => code.toLowerCase())

/** A field that holds a JSON object as text. */
export const jsonField = <T extends z.ZodType>(shape: T) =>
  z
    .string()
    .transform((text) => readJson(text))
    .pipe(shape as z.ZodType<z.output<T>, object>)

/** A field that may be left out, or be empty as forms of browsers send it. */
export const optionalField = <T extends z.ZodType>(field: T) =>
  z
    .literal('')
    .transform(() => undefined)
    .or(field)
    .optional()

/** A list of items, separated by commas, each once. */
export const listField = <T extends z.ZodType>(item: T, max: number) =>
  z
    .string()
    .transform((text) => [...new Set(text.split(',').map((part) => part.trim()))])
    .pipe(z.array(item as z.ZodType<z.output<T>, string>).max(max))
