import { z } from 'zod'
import { readJson } from '../body.ts'

/** Fields of document 3's forms: everything is text there. */

const ID_MAX = 32

/** The number of a transaction. */
export const TransactionId = z.string().min(1).max(ID_MAX)

/** A plain decimal, without sign or exponent. */
export const Decimal = z.string().regex(/^\d{1,15}(\.\d{1,18})?$/, 'a plain decimal number')

/** ISO 4217; case does not matter. */
export const CurrencyCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'a currency code of three letters')
  .transform((code) => code.toUpperCase())

/** The code of a coin; case does not matter. */
export const CoinCode = z
  .string()
  .regex(/^\w{1,32}$/, 'the code of a coin')
  .transform((code) => code.toLowerCase())

/** A field that holds a JSON object as text. */
export const jsonField = <T extends z.ZodType>(shape: T) =>
  z
    .string()
    .transform(readJson)
    .pipe(shape as z.ZodType<z.output<T>, object>)

/** A field that may be left out, or be empty as forms of browsers send it. */
export const optionalField = <T extends z.ZodType>(field: T) =>
  z
    .literal('')
    .transform(() => undefined)
    .or(field)
    .optional()
