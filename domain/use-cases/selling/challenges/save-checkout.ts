import { isRefusal, refuse } from '../../../kernel/refusal.ts'
import { type Checkout, type CheckoutCommands, NOTHING_SAID, slugOf } from '../../../selling/checkout.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import type { UseCaseContext } from '../../context.ts'
import type { Once } from '../../once.ts'

/** Numbers tried when the first is another checkout's; two in a row are already beyond all likelihood. */
const NUMBERS_MAX = 8

export type SavedCheckout = Checkout & { readonly number: string }

/**
 * Saves a new checkout under the first free number made from a fresh id. A repeat of the same request answers the
 * checkout that it made before, as it was then, whatever has changed since (X-IDEM-01, S-CHK-03); `wished` is called
 * for a new one alone.
 */
export const saveCheckout = (
  { ledger, world }: UseCaseContext,
  once: Once,
  wished: () => Promise<Omit<CheckoutCommands['create'], 'slug' | 'origin' | 'request'>>,
): Promise<SavedCheckout> => {
  const origin = once.id('co')
  const numbers = Array.from({ length: NUMBERS_MAX }, (_, n) => world.numberFrom('checkout', origin, String(n)))
  return once.make(
    () => madeBefore(ledger, numbers, origin),
    async () => {
      const wish = await wished()
      for (const number of numbers) {
        const slug = slugOf(wish.title, number)
        const made = await createAt(ledger, String(number), { ...wish, slug, origin, ...once.mark })
        if (made) return made
      }
      throw new Error(`no free checkout number for ${origin}`)
    },
  )
}

const createAt = async (
  ledger: Ledger,
  number: string,
  data: CheckoutCommands['create'],
): Promise<SavedCheckout | undefined> => {
  try {
    const { state } = await ledger.checkout.create(number, data)
    return state.status === 'none' ? refuse('checkout-not-found') : { ...state, number }
  } catch (error) {
    const taken = isRefusal(error, 'id-taken') && (await ledger.checkout.read(number))
    // The same request came at the same time and was first: that is for `once` to tell.
    if (!taken || taken.status === 'none' || taken.origin === data.origin) throw error
    return undefined
  }
}

const madeBefore = async (
  ledger: Ledger,
  numbers: readonly number[],
  origin: string,
): Promise<SavedCheckout | { status: 'none' }> => {
  for (const number of numbers) {
    const state = await ledger.checkout.read(String(number))
    if (state.status === 'none') return state
    if (state.origin === origin) {
      const { first, createdAt } = state
      return { ...state, ...NOTHING_SAID, ...first, number: String(number), version: 1, changedAt: createdAt }
    }
  }
  return { status: 'none' }
}
