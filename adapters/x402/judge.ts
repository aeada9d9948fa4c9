import { recoverPayer, type TokenDomain } from './eip3009.ts'
import type { SignedPayment } from './header.ts'
import type { PaymentRefusal } from './reasons.ts'
import { tokenDomainOf } from './tokens.ts'

/** Whether a signed payment pays what is asked, as far as it can be told without asking its chain (J-GAS-05). */

/** Seconds that an authorization must still be good for, as x402's own facilitator asks: it has to reach the chain. */
const AUTHORIZATION_MARGIN_SECONDS = 6

/** What is sold, from this service's own books and never from the call. */
export type Asked = {
  readonly caip2: string
  /** The token's contract. */
  readonly asset: string
  readonly payTo: string
  /** In the token's smallest unit. */
  readonly amount: string
}

/** The first reason why a payment does not meet the terms; its signature is not looked at. */
export const termsRefusal = (
  { version, scheme, caip2, authorization }: SignedPayment,
  asked: Asked,
  /** Unix seconds. */
  now: number,
): PaymentRefusal | undefined => {
  if (scheme !== 'exact') return 'scheme'
  if (caip2 !== asked.caip2) return 'network'
  if (!tokenDomainOf(asked.caip2, asked.asset)) return 'token'
  if (authorization.to !== asked.payTo) return 'recipient'
  const value = BigInt(authorization.value)
  // Version 1 lets a payer give more, version 2 wants the very amount.
  const isEnough = version === 1 ? value >= BigInt(asked.amount) : value === BigInt(asked.amount)
  if (!isEnough) return 'value'
  if (BigInt(authorization.validBefore) < BigInt(now + AUTHORIZATION_MARGIN_SECONDS)) return 'valid-before'
  if (BigInt(authorization.validAfter) > BigInt(now)) return 'valid-after'
  return undefined
}

/** Whether the payer's own key signed. A wallet that is a contract has no such key, and only its chain can say what it signed. */
export const isSignedByPayer = ({ authorization, signature }: SignedPayment, domain: TokenDomain): boolean =>
  recoverPayer(authorization, domain, signature) === authorization.from
