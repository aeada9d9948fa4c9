/**
 * Why a mandate is not taken. The three faults are what callers branch on (C-SES-10 to C-SES-12); the words are for
 * logs and for people.
 */

export type Fault = 'signature' | 'expired' | 'scope'

export type SignatureReason =
  | 'too-long'
  | 'too-many-parts'
  | 'malformed'
  | 'not-base64url'
  | 'not-json'
  | 'too-deep'
  | 'name-repeated'
  | 'header-algorithm'
  | 'header-type'
  | 'header-critical'
  | 'header-names-url'
  | 'key-malformed'
  | 'key-unknown'
  | 'signature-wrong'
  | 'digest-algorithm'
  | 'digest-malformed'
  | 'digest-repeated'
  | 'disclosure-malformed'
  | 'disclosure-unreferenced'
  | 'disclosure-overwrites'
  | 'name-reserved'
  | 'claim-not-open'
  | 'payload-malformed'
  | 'type-wrong'
  | 'issuer-not-owner'
  | 'status-not-asked'
  | 'confirmation-malformed'
  | 'confirmation-unexpected'
  | 'binding-missing'
  | 'binding-unexpected'
  | 'binding-hash'
  | 'time-malformed'
  | 'time-missing'
  | 'not-yet-valid'

type ScopeReason =
  | 'audience'
  | 'nonce'
  | 'checkout-missing'
  | 'checkout-hash'
  | 'checkout-not-ours'
  | 'other-session'
  | 'currency-differs'
  | 'line-items-differ'
  | 'totals-differ'
  | 'constraint-missing'
  | 'constraint-withheld'
  | 'constraint-unknown'
  | 'constraint-malformed'
  | 'merchant-not-allowed'
  | 'items-not-allowed'

export type FaultReason = SignatureReason | 'expired' | ScopeReason

/** Thrown inside, and answered as a value by `verifyMandate`. */
export class MandateFault extends Error {
  override readonly name = 'MandateFault'
  readonly fault: Fault
  readonly reason: FaultReason

  constructor(fault: Fault, reason: FaultReason) {
    super(`${fault}: ${reason}`)
    this.fault = fault
    this.reason = reason
  }
}

export const rejectForgery = (reason: SignatureReason): never => {
  throw new MandateFault('signature', reason)
}

export const outOfScope = (reason: ScopeReason): never => {
  throw new MandateFault('scope', reason)
}
