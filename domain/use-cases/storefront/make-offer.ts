import { isRefusal, refuse } from '../../kernel/refusal.ts'
import { type Checkout, isNamed, numberNamed } from '../../selling/checkout.ts'
import { type Lander, landerFor } from '../../storefront/landers.ts'
import type { UseCaseContext } from '../context.ts'

/** What the visitors of a lander can do there (S-LAN-06). */

/** Numbers tried when the first is another offer's; two in a row are already beyond all likelihood. */
const NUMBERS_MAX = 8

export type LanderVisit = { readonly checkout: Checkout; readonly lander: Lander }

/** The lander at an address, by its payment link; undefined when there is none, or the link was deleted. */
export const landerAt = async (
  { ledger }: Pick<UseCaseContext, 'ledger'>,
  named: string,
): Promise<LanderVisit | undefined> => {
  const checkoutId = numberNamed(named)
  const checkout = checkoutId === undefined ? undefined : await ledger.checkout.recent(checkoutId)
  if (checkoutId === undefined || checkout?.status !== 'saved' || !isNamed(checkout, named)) return undefined
  const lander = landerFor(await ledger.landers.recent(checkout.accountId), checkoutId)
  return lander && { checkout, lander }
}

export type OfferWish = {
  /** The offered amount, in millionths of the currency. */
  readonly amount: bigint
  /** The currency of the offer; that of the payment link when undefined. */
  readonly currency: string | undefined
  readonly email: string
  readonly message: string
}

/** Writes an offer down, sealed; answers its number. Refuses a currency that nobody prices. */
export const makeOffer = async (
  flow: UseCaseContext,
  { checkout, lander }: LanderVisit,
  wish: OfferWish,
): Promise<string> => {
  const { ledger, vault, world } = flow
  const { accountId, currency: asked } = checkout
  const { currency = asked } = wish
  if (currency !== asked) await flow.rates.usdPer(currency)
  const [email, message] = await Promise.all([
    vault.seal(accountId, wish.email),
    wish.message === '' ? null : vault.seal(accountId, wish.message),
  ])
  const { landerId, checkoutId } = lander
  const origin = world.id('of')
  const made = { accountId, landerId, checkoutId, amount: String(wish.amount), currency, email, message, origin }
  for (let n = 0; n < NUMBERS_MAX; n++) {
    const number = String(world.numberFrom('offer', origin, String(n)))
    try {
      await ledger.offer.make(number, made)
      return number
    } catch (error) {
      if (!isRefusal(error, 'id-taken')) throw error
    }
  }
  return refuse('busy', 'Try again in a moment.')
}
