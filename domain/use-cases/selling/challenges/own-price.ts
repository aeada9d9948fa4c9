import { mulDivRound, type OwnPrice, RATE_DECIMALS, toUnits, type Units } from '../../../kernel/money.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import type { LockedWorth } from '../../../selling/sale-rate.ts'
import type { UseCaseContext } from '../../context.ts'

/** A price, and the same in millionths of a US dollar. */
type LockedPrice = {
  readonly accountId: string
  readonly amount: Units
  readonly currency: string
  readonly usd: Units
}

/**
 * The price in the currency of its seller's account, for the seller's books. Nobody is kept from paying because that
 * currency has no rate right now: then the books go without.
 */
export const ownPriceOf = async (
  { ledger, rates }: UseCaseContext,
  { accountId, amount, currency, usd }: LockedPrice,
): Promise<Pick<LockedWorth, 'ownPrice'>> => {
  const { currency: own } = await ledger.settings.recent(accountId)
  if (own === currency) return { ownPrice: { currency: own, amount } }
  if (own === USD) return { ownPrice: { currency: own, amount: usd, ...sourceOf(rates, currency) } }
  try {
    const rate = toUnits(await rates.usdPer(own), RATE_DECIMALS)
    const converted = mulDivRound(BigInt(usd), 10n ** BigInt(RATE_DECIMALS), rate)
    return { ownPrice: { currency: own, amount: String(converted), ...sourceOf(rates, own) } }
  } catch (error) {
    if (error instanceof Refusal) return {}
    throw error
  }
}

const USD = 'USD'

const sourceOf = (rates: UseCaseContext['rates'], currency: string): Pick<OwnPrice, 'source'> => {
  const source = rates.sourceOf?.(currency)
  return source === undefined ? {} : { source }
}
