import { minorDigits } from '../kernel/currencies.ts'
import { FIAT_DECIMALS, type Units } from '../kernel/money.ts'

/**
 * The units in which a card processor counts each currency. Its table is not ISO 4217: MGA has no smaller unit there,
 * ISK has two digits that must be zeros, and currencies with three digits in ISO must end in a zero. UGX is documented
 * in two ways and so refused (docs.stripe.com/currencies#special-cases).
 */

/** Currencies without digits at the processor although ISO has some; those of `ZERO_DIGITS` have none in ISO either. */
const WITHOUT_DIGITS: ReadonlySet<string> = new Set(['MGA'])
const ZERO_DIGITS: ReadonlySet<string> = new Set('BIF CLP DJF GNF JPY KMF KRW PYG RWF VND VUV XAF XOF XPF'.split(' '))
/** Currencies with two digits that must be zeros. */
const WHOLE_ALONE: ReadonlySet<string> = new Set(['ISK'])
const THREE_DIGITS: ReadonlySet<string> = new Set('BHD JOD KWD OMR TND'.split(' '))
/** The largest amount that a processor takes has eight digits. */
const CHARGED_MAX = 99_999_999n

/** The digits of a currency as it is counted, and the step that an amount has to be a multiple of, in that unit. */
type CountingUnit = { readonly digits: number; readonly step: bigint }

/** Millionths of a currency in the processor's smallest unit; undefined when a card cannot be charged that exactly. */
export const chargedFor = (amount: Units, currency: string): Units | undefined => {
  const counted = countedIn(currency)
  if (!counted) return undefined
  const unit = 10n ** BigInt(FIAT_DECIMALS - counted.digits)
  const millionths = BigInt(amount)
  const charged = millionths / unit
  const isExact = millionths % unit === 0n && charged % counted.step === 0n
  return isExact && charged > 0n && charged <= CHARGED_MAX ? String(charged) : undefined
}

/** The inverse: an amount in the processor's smallest units, in millionths of the currency. */
export const worthOfCharged = (charged: Units, currency: string): Units | undefined => {
  const counted = countedIn(currency)
  return counted && String(BigInt(charged) * 10n ** BigInt(FIAT_DECIMALS - counted.digits))
}

const countedIn = (currency: string): CountingUnit | undefined => {
  if (ZERO_DIGITS.has(currency) || WITHOUT_DIGITS.has(currency)) return { digits: 0, step: 1n }
  if (WHOLE_ALONE.has(currency)) return { digits: 2, step: 100n }
  if (THREE_DIGITS.has(currency)) return { digits: 3, step: 10n }
  return minorDigits(currency) === 2 ? { digits: 2, step: 1n } : undefined
}
