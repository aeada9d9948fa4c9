import type { AcceptedAuthorization } from '../../gasless/authorization.ts'
import { isRefusal, refuse } from '../../kernel/refusal.ts'
import { type Authorization, authorizationId } from '../../selling/authorization-terms.ts'
import type { UseCaseContext } from '../context.ts'
import type { Sale } from '../selling/challenges/keep-challenge.ts'

/**
 * Payments that their payer, or their caller, gave a name to (X-IDEM-04). One name of one payer, or of one caller, pays
 * a resource once: another payment under it is told what became of the first. A name is nobody else's: a payer is known
 * by its signature, and a caller by the network and the program that it comes from.
 */

/** Milliseconds after its end in which a payment may still be found to be mined, because a chain's clock is behind. */
const CLOCK_SKEW_MS = 60_000

/** The name that a payer signs with a payment; it is looked up for whoever has shown the payer's signature. */
export const payerName = (
  { vault }: Pick<UseCaseContext, 'vault'>,
  resId: string,
  { network, from }: Pick<Authorization, 'network' | 'from'>,
  name: string,
): string => vault.fingerprint('payment-name', JSON.stringify([resId, 'payer', network, from, name]))

/** The name that a caller gives to a call; `caller` has the network, the program and the name. */
export const callerName = ({ vault }: Pick<UseCaseContext, 'vault'>, resId: string, caller: string): string =>
  vault.fingerprint('payment-name', JSON.stringify([resId, 'caller', caller]))

export type NamedPayment = {
  readonly fault?: undefined
  readonly id: string
  readonly authorization: AcceptedAuthorization
}

/**
 * The payment that has the name, taken and not failed; undefined where there is none, or it is this very one. Refuses
 * `busy` while nobody can say whether one is being taken.
 */
export const paymentNamed = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  name: string,
  own?: string,
): Promise<NamedPayment | undefined> => {
  const known = await ledger.paymentName.read(name)
  if (known.status === 'none' || known.authorizationId === own) return undefined
  const { authorizationId: id, validUntil } = known
  const authorization = await ledger.authorization.read(id)
  if (authorization.status === 'failed') return undefined
  if (authorization.status !== 'none') return { id, authorization }
  if (world.now().getTime() > Date.parse(validUntil) + CLOCK_SKEW_MS) return undefined
  return refuse('busy', 'A payment of the same name is being taken. Ask again in a moment.')
}

/**
 * Gives the names to a payment that is about to be taken. Answers the payment that has one of them already, and then
 * this one must not be taken.
 */
export const takeNames = async (
  flow: Pick<UseCaseContext, 'ledger' | 'world'>,
  { accountId, resId }: Sale,
  authorization: Authorization,
  names: readonly string[],
): Promise<NamedPayment | undefined> => {
  if (resId === null) return undefined
  const id = authorizationId(authorization)
  const validUntil = new Date(Number(authorization.validBefore) * 1_000).toISOString()
  for (const name of names) {
    const before = await paymentNamed(flow, name, id)
    if (before) return before
    const known = await flow.ledger.paymentName.read(name)
    const replaces = known.status === 'none' ? undefined : known.authorizationId
    try {
      await flow.ledger.paymentName.take(name, { accountId, resId, authorizationId: id, validUntil, replaces })
    } catch (error) {
      // Another payment was first: it may be told by now what became of it.
      const other = isRefusal(error, 'busy') ? await paymentNamed(flow, name, id) : undefined
      if (!other) throw error
      return other
    }
  }
  return undefined
}
