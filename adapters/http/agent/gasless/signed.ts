import { assetsOn } from '../../../../domain/kernel/assets.ts'
import type { Authorization } from '../../../../domain/selling/authorization-terms.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { canonicalSignature } from '../../../x402/eip3009.ts'
import type { SignedPayment } from '../../../x402/header.ts'
import { differenceFrom, isSignedByPayer } from '../../../x402/judge.ts'
import type { PaymentRefusal } from '../../../x402/reasons.ts'
import { gaslessTokens, tokenDomainOf } from '../../../x402/tokens.ts'

/** A signed payment in the words of the protocol, and what it means on the chains that are connected here. */

export type AuthorizationReading =
  | { readonly fault: PaymentRefusal }
  | {
      readonly fault?: undefined
      readonly authorization: Authorization
      /** The payer's own key signed it. If not, the payer may still be a contract, which only its chain can ask. */
      readonly isOwnKey: boolean
    }

/** Version 1 names no token, so it means the one of its network. */
export const signedOn = ({ chains }: Pick<UseCaseContext, 'chains'>, payment: SignedPayment): AuthorizationReading => {
  const { scheme, caip2, accepted, authorization, signature } = payment
  if (scheme !== 'exact') return { fault: 'scheme' }
  const chain = [...chains.values()].find((each) => each.caip2 === caip2)
  if (!chain || caip2 === undefined) return { fault: 'network' }
  const contract = accepted?.asset ?? (Object.hasOwn(gaslessTokens, caip2) ? gaslessTokens[caip2]?.address : undefined)
  const asset = assetsOn(chain.network, caip2).find((each) => contract !== undefined && each.contract === contract)
  const domain = contract === undefined ? undefined : tokenDomainOf(caip2, contract)
  if (!asset || !domain || contract === undefined) return { fault: 'token' }
  const differs = accepted && differenceFrom(accepted, payment)
  if (differs) return { fault: differs }
  const isOwnKey = isSignedByPayer(payment, domain)
  // A wallet that is a contract takes its own signatures as they are, and no others.
  const canonical = isOwnKey ? (canonicalSignature(signature) ?? signature) : signature
  const { code, network } = asset
  return { authorization: { ...authorization, network, asset: code, contract, signature: canonical }, isOwnKey }
}
