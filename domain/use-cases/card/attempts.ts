import type { CardPayment } from '../../card/payment.ts'
import type { World } from '../../kernel/ports.ts'
import type { Ledger } from '../../write-side/ledger.ts'

/** The payments by card of one sale, one page of the processor after the other. */

type Parts = { readonly ledger: Pick<Ledger, 'cardPayment'>; readonly world: World }
type Attempt = { readonly id: string; readonly payment: CardPayment }

/** Pages of the processor that one sale may open one after the other. */
export const ATTEMPTS_MAX = 20

/** The id of a payment: the same for the same sale and attempt, so that whoever asks twice is led to one page. */
export const cardPaymentId = (world: World, origin: string, attempt: number): string =>
  world.idFrom('cp', 'card-payment', origin, String(attempt))

/** The payments of a sale that were begun, as the log has them. */
export const attemptsOf = async ({ ledger, world }: Parts, origin: string): Promise<readonly Attempt[]> => {
  const begun: Attempt[] = []
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const id = cardPaymentId(world, origin, attempt)
    const payment = await ledger.cardPayment.read(id)
    if (payment.status === 'none') break
    begun.push({ id, payment })
  }
  return begun
}

/** Whether somebody may still be paying on one of these: it is open, or what was paid is being taken. */
export const mayBePaid = ({ status, expiresAt }: CardPayment, now: string): boolean =>
  status === 'reported' || (status === 'open' && expiresAt > now)

/**
 * Whether somebody may be paying by card for a request whose price is fixed, which is the origin of all its payments.
 */
export const isPayingByCard = async (parts: Parts, requestId: string): Promise<boolean> => {
  const now = parts.world.now().toISOString()
  return (await attemptsOf(parts, requestId)).some(({ payment }) => mayBePaid(payment, now))
}
