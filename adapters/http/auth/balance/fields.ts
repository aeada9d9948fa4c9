import { z } from 'zod'
import { FIAT_DECIMALS, toDecimal, toUnits, type Units } from '../../../../domain/kernel/money.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'

/**
 * What the balance operations have in common on the wire. Forms hold text only, so an amount may be text in JSON too
 * (N-55).
 */

/** US dollars that one payment, push or top-up can move. */
const AMOUNT_MAX = 999_999_999.99
const CENTS = /^(0|[1-9]\d{0,8})(\.\d{1,2})?$/

/** An amount as an app sends it; `usdUnits` checks its form, and refuses it with a code of its own. */
export const Amount = z
  .union([z.string().max(40), z.number()])
  .meta({ description: `US dollars, with at most 2 decimals, up to ${AMOUNT_MAX}` })

/** Millionths of an amount, exactly. Refuses `amount-invalid`: nothing is rounded, and nothing is free. */
export const usdUnits = (amount: z.output<typeof Amount>, what = 'amount'): Units => {
  const text = String(amount)
  const units = CENTS.test(text) ? toUnits(text, FIAT_DECIMALS) : 0n
  return units > 0n
    ? String(units)
    : refuse('amount-invalid', `${what}: has to be above 0, in US dollars with at most 2 places after the point`)
}

/** Millionths as the number that JSON carries; it is exact up to 15 digits. */
export const usdNumber = (units: bigint | Units): number => Number(toDecimal(BigInt(units), FIAT_DECIMALS))

/** A key or reference of the app's own, by which it asks for the same thing once more (L-AUT-10). */
export const Reference = z.string().regex(/^[\x20-\x7e]{1,255}$/, 'has to be 1 to 255 printable ASCII characters')

/** The purpose of a payment in the app's words; the user reads it on the screen and in the history. */
export const Description = z.string().trim().min(1).max(200)

/** The app's own state, which goes back to the app as it came. */
export const AppState = z.string().max(2_048)

/** Balances are in US dollars alone. Refuses `currency-unsupported`. */
export const onlyUsd = (currency: string): 'USD' =>
  currency === 'USD'
    ? 'USD'
    : refuse('currency-unsupported', 'currency: balances are in USD alone, so send USD or leave it out')

/** An id of one of the kinds that apps get, `pi_…`; anything else is simply not found. */
export const Id = z.string().max(64)

/** True when the same was done before: this call has changed nothing (A-INT-05). */
export const Duplicate = z.literal(true).optional()
export const duplicateOf = (duplicate: boolean): { duplicate?: true } => (duplicate ? { duplicate: true } : {})

/** How often an app may call these operations, and how often an address may guess a secret (L-AUT-11). */
export const OFTEN = { client: 'balance', failures: 'tokenFailures' } as const
