import { refuse } from '../kernel/refusal.ts'

/**
 * A seller's rules on whose signed agreements it takes (J-AUTH-08, N-44). They are evidence of what was agreed to, and
 * never power to spend.
 */

/**
 * Who vouches for the key: an issuer of the seller's own list, the platform through which the buyer comes, or nobody:
 * then a mandate proves that one key has agreed, not whose it is.
 */
export type MandateTier = 'registered' | 'platform' | 'self'

/** A public key of an issuer, with its id. */
export type IssuerJwk = {
  readonly kty: 'EC'
  readonly crv: 'P-256' | 'P-384' | 'P-521'
  readonly x: string
  readonly y: string
  readonly kid: string
}

/** An issuer whose keys are listed here, or are read from the URL that the seller gives. */
type MandateIssuer = { readonly iss: string } & ({ readonly keys: readonly IssuerJwk[] } | { readonly jwksUri: string })

export type MandateRules = {
  accept: readonly MandateTier[]
  /** Whether a session can be completed only with a mandate. */
  require: boolean
  issuers: readonly MandateIssuer[]
}

export const DEFAULT_MANDATE_RULES: MandateRules = {
  accept: ['registered', 'platform', 'self'],
  require: false,
  issuers: [],
}

/** Refuses rules by which nobody could buy anything, and an issuer that is listed twice. */
export const refuseUnusable = ({ accept, require, issuers }: MandateRules): void => {
  if (require && accept.length === 0)
    refuse('invalid-request', 'payment.ap2: what is required has to be accepted from somebody')
  if (new Set(issuers.map(({ iss }) => iss)).size < issuers.length)
    refuse('invalid-request', 'payment.ap2.issuers: an iss stands twice, and has to be named once')
}
