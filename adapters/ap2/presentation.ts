import type { Jws, SdJwt } from './compact.ts'
import { hasherOf, isSame } from './digest.ts'
import { rejectForgery } from './fault.ts'
import { type Ap2Mandate, CLOSED, mandateOf, OPEN } from './mandate.ts'
import { checkSigned, type EcJwk } from './public-key.ts'
import type { JsonObject } from './strict-json.ts'

/**
 * The presenter of a mandate proves its key: by a key binding at the end, or by signing the next mandate of a chain.
 */

export type Presentation = {
  /** The mandate that agrees to the checkout. */
  readonly closed: Ap2Mandate
  /** The mandates before it, which bound what their holders could agree to. */
  readonly open: readonly Ap2Mandate[]
  /** What was signed for this seller and session alone; undefined where the issuer itself presents. */
  readonly proof: JsonObject | undefined
  /** The key that signed last, where it is not the issuer's. */
  readonly holder: EcJwk | undefined
}

const LAST: ReadonlySet<unknown> = new Set(['kb+sd-jwt', 'kb-sd-jwt'])
const BETWEEN: ReadonlySet<unknown> = new Set(['kb+sd-jwt+kb', 'kb-sd-jwt+kb'])

/** The presentation of a single mandate, whose issuer's signature was checked. */
export const presentedAlone = async (signed: SdJwt): Promise<Presentation> => {
  const closed = mandateOf(signed, CLOSED)
  const { confirmation: holder } = closed
  const { keyBinding } = signed
  if (!holder)
    return keyBinding ? rejectForgery('confirmation-unexpected') : { closed, open: [], proof: undefined, holder }
  if (!keyBinding) return rejectForgery('binding-missing')
  if (keyBinding.header.typ !== 'kb+jwt') rejectForgery('header-type')
  await checkSigned(keyBinding, holder)
  if (!isSame(keyBinding.payload.sd_hash, closed.claims.hash(signed.presented))) rejectForgery('binding-hash')
  return { closed, open: [], proof: keyBinding.payload, holder }
}

/**
 * The presentation of a chain, `open~~…~~closed`; the issuer's signature on the first mandate was checked. Each other
 * one is signed by the key that the one before asks for.
 */
export const presentedInChain = async (first: SdJwt, next: readonly SdJwt[]): Promise<Presentation> => {
  if ([first, ...next].some(({ keyBinding }) => keyBinding)) rejectForgery('binding-unexpected')
  const open = [mandateOf(first, OPEN)]
  for (const [i, signed] of next.entries()) {
    const before = open.at(-1) as Ap2Mandate
    const holder = before.confirmation ?? rejectForgery('confirmation-malformed')
    const isLast = i === next.length - 1
    if (!(isLast ? LAST : BETWEEN).has(signed.jwt.header.typ)) rejectForgery('header-type')
    await checkSigned(signed.jwt, holder)
    const mandate = mandateOf(signed, isLast ? CLOSED : OPEN)
    checkLink(signed.jwt, before)
    if (isLast && mandate.confirmation) rejectForgery('confirmation-unexpected')
    if (isLast) return { closed: mandate, open, proof: mandate.claims.root, holder }
    open.push(mandate)
  }
  return rejectForgery('malformed')
}

/**
 * Checks that a mandate names the one before it by just one of two hashes: of that mandate with what was disclosed of
 * it, or of what its issuer signed.
 */
const checkLink = ({ payload }: Jws, { signed, claims }: Ap2Mandate): void => {
  const { sd_hash: whole, issuer_jwt_hash: issued } = payload
  if ((whole === undefined) === (issued === undefined)) rejectForgery('binding-hash')
  const hash = hasherOf(signed.jwt.payload._sd_alg)
  const isLinked =
    whole === undefined ? isSame(issued, hash(signed.jwt.text)) : isSame(whole, claims.hash(signed.presented))
  if (!isLinked) rejectForgery('binding-hash')
}
