import { z } from 'zod'
import { WRITABLE_KEYS, type WritableKey } from '../../../domain/selling/transactions/transaction-edits.ts'
import { CoinCode, Decimal } from './fields.ts'

/**
 * What each writable key of a transaction may be set to (M-TXN-10). All is text; a whole number may also be sent as
 * one.
 */

/** Characters: of a line, of a text of several lines, of an id or a code, of a URL, digits of a count. */
const LINE_MAX = 200
const TEXT_MAX = 4_000
const CODE_MAX = 100
const URL_MAX = 2_048
const COUNT_DIGITS_MAX = 9

const Given = z.union([z.string(), z.int()]).transform(String)
const text = (max: number) => Given.pipe(z.string().max(max))
/** What may also be cleared. */
const orEmpty = (shape: z.ZodType<string, string>) => Given.pipe(z.union([z.literal(''), shape]))

const Time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'a time as YYYY-MM-DD HH:MM:SS, UTC')
  .refine((time) => isTime(time), 'there is no such time')
const Amount = orEmpty(Decimal)
const Digits = z.string().regex(new RegExp(`^(0|[1-9]\\d{0,${COUNT_DIGITS_MAX - 1}})$`), 'a whole number')
/** A page that a browser may be sent to. */
const Redirect = z.url({ protocol: /^https?$/ }).max(URL_MAX)

const shapes = {
  status: z.enum(['P', 'C', 'X']),
  hash: text(LINE_MAX),
  title: text(LINE_MAX),
  description: text(TEXT_MAX),
  to: text(LINE_MAX),
  to_name: text(LINE_MAX),
  amount: Amount,
  amount_fiat: Amount,
  cryptocurrency: orEmpty(CoinCode),
  from: text(LINE_MAX),
  vat: Amount,
  webhook: text(URL_MAX),
  billing: text(TEXT_MAX),
  redirect: orEmpty(Redirect),
  opened_at: orEmpty(Time),
  bank_details: text(TEXT_MAX),
  checkout_id: text(CODE_MAX),
  customer_id: text(CODE_MAX),
  discount_code: text(CODE_MAX),
  store_id: Given.pipe(Digits),
  custom_token_type: text(CODE_MAX),
  confirmed_time: orEmpty(Time),
  creation_time: Time,
  is_test: Given.pipe(z.enum(['0', '1'])),
  confirmation_count: orEmpty(Digits),
  first_confirmed_time: orEmpty(Time),
  last_confirmed_time: orEmpty(Time),
} satisfies Record<WritableKey, z.ZodType<string>>

export const Values = z.strictObject(shapes).partial()

/** The keys of an object that a merchant may not write. */
export const notWritable = (values: object): string[] =>
  Object.keys(values).filter((key) => !WRITABLE_KEYS.some((known) => known === key))

const isTime = (time: string): boolean => {
  const iso = `${time.replace(' ', 'T')}.000Z`
  const at = new Date(iso)
  return !Number.isNaN(at.getTime()) && at.toISOString() === iso
}
