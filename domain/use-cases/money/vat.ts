import { FIAT_DECIMALS, toDecimal } from '../../kernel/money.ts'
import { stepFor, type VatSum, vatOf } from '../../money/vat/amounts.ts'
import type { VatNumber } from '../../money/vat/ports.ts'
import { PERCENT_DECIMALS } from '../../money/vat/rates.ts'
import { type Treatment, treatmentOf } from '../../money/vat/treatment.ts'
import type { UseCaseContext } from '../context.ts'

export type VatWish = {
  readonly accountId: string
  /** Millionths of the currency. */
  readonly amount: bigint
  readonly currency: string
  /** The buyer's country, where it is known. */
  readonly country: string | undefined
  readonly number: string | undefined
  /** YYYY-MM-DD; today unless given. */
  readonly day: string | undefined
}

export type VatResult = VatSum &
  Treatment & {
    /** What a record keeps of it, as JSON text; empty when the account has no VAT. */
    readonly details: string
  }

/**
 * The VAT of a price by the account's settings, none where it is not enabled (M-VAT-01). A VAT number only counts once
 * it was checked.
 */
export const vatFor = async (flow: UseCaseContext, wish: VatWish): Promise<VatResult> => {
  const { vat: rules } = await flow.ledger.settings.read(wish.accountId)
  const { amount, currency, country: buyer } = wish
  if (!rules.enabled) {
    const country = buyer ?? rules.country
    return { net: amount, vat: 0n, total: amount, country, rate: 0n, reverseCharge: false, details: '' }
  }
  const number = wish.number === undefined ? undefined : await flow.vatRegistry.check(wish.number, rules.number)
  const day = wish.day ?? flow.world.now().toISOString().slice(0, 10)
  const treatment = treatmentOf({ seller: rules.country, buyer, number, day, rates: rules.rates })
  const { inclusive } = rules
  const sums = vatOf(amount, { rate: treatment.rate, inclusive, step: stepFor(currency, amount) })
  return { ...sums, ...treatment, details: detailsOf(sums, treatment, number) }
}

/** Percent as text: 255000n is "25.5". */
export const percentOf = (rate: bigint): string => toDecimal(rate, PERCENT_DECIMALS)

const detailsOf = ({ net, vat }: VatSum, { country, rate, reverseCharge }: Treatment, number: VatNumber | undefined) =>
  JSON.stringify({
    country,
    rate: percentOf(rate),
    base: toDecimal(net, FIAT_DECIMALS),
    amount: toDecimal(vat, FIAT_DECIMALS),
    number: number?.number ?? null,
    valid: number?.valid ?? null,
    checked: number?.checked ?? null,
    ...(number?.consultation !== undefined && { consultation: number.consultation }),
    reverse_charge: reverseCharge,
    ...(reverseCharge && { note: REVERSE_CHARGE_NOTE }),
  })

/** What an invoice without VAT has to say (Directive 2006/112/EC, articles 196 and 226). */
const REVERSE_CHARGE_NOTE = 'Reverse charge: the buyer accounts for the VAT (Article 196 of Directive 2006/112/EC).'
