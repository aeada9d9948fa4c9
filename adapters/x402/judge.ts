import { recoverPayer, type TokenDomain } from './eip3009.ts'
import type { SignedPayment } from './header.ts'
import type { PaymentRefusal } from './reasons.ts'
import type { Requirements } from './requirements.ts'
import { tokenDomainOf } from './tokens.ts'

/** Checks a signed payment by itself, without the books and without its chain (J-GAS-05). */

/**
 * The reason why a payment does not fit the requirements that came with it; undefined when it does. They are not
 * believed, but they have to agree with the payment.
 */
export const differenceFrom = (said: Requirements, payment: SignedPayment): PaymentRefusal | undefined => {
  const { authorization, version, caip2 } = payment
  if (said.scheme !== 'exact') return 'scheme'
  if (said.caip2 === undefined || said.caip2 !== caip2) return 'network'
  const token = tokenDomainOf(said.caip2, said.asset)
  if (!token) return 'token'
  if (said.token && said.token.name !== token.name) return 'token-name'
  if (said.token && said.token.version !== token.version) return 'token-version'
  if (said.payTo !== authorization.to) return 'recipient'
  const [value, amount] = [BigInt(authorization.value), BigInt(said.amount)]
  // Version 1 lets a payer give more, version 2 wants exactly the amount.
  return value === amount || (version === 1 && value > amount) ? undefined : 'value'
}

/**
 * Whether the payer's own key signed. A wallet that is a contract has no such key, and only its chain can say what it
 * signed.
 */
export const isSignedByPayer = ({ authorization, signature }: SignedPayment, domain: TokenDomain): boolean =>
  recoverPayer(authorization, domain, signature) === authorization.from
