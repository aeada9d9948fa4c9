import type { MandateTier } from '../../domain/commerce/mandate-rules.ts'
import { isSame } from './digest.ts'
import { outOfScope } from './fault.ts'
import { placesOf } from './mandate.ts'
import type { Presentation } from './presentation.ts'
import type { Json } from './strict-json.ts'

/** For whom and for which session a mandate was presented (C-SES-12). */

export type MandateAudience = {
  /** The names of this seller; any of them will do. */
  readonly aud: string | readonly string[]
  /** The session's own. */
  readonly nonce: string
  /** Whether a mandate that a platform presents itself needs audience and nonce too. */
  readonly strictNonce: boolean
}

/** Names in one `aud`. */
const AUDIENCES_MAX = 16

/**
 * A platform that knows nothing of the nonce sends none: what the seller has signed, which is inside, names the session
 * and its terms already. What it does send has to be right.
 */
export const checkAudience = ({ closed, proof }: Presentation, tier: MandateTier, expected: MandateAudience): void => {
  const places = proof ? [proof] : placesOf(closed)
  const stated = (name: 'aud' | 'nonce') => places.map((place) => place[name]).filter((value) => value !== undefined)
  const mayBeMissing = proof === undefined && tier === 'platform' && !expected.strictNonce
  const [audiences, nonces] = [stated('aud'), stated('nonce')]
  if (audiences.length === 0 && !mayBeMissing) outOfScope('audience')
  if (!audiences.every((aud) => isOurs(aud, proof === undefined, expected.aud))) outOfScope('audience')
  if (nonces.length === 0 && !mayBeMissing) outOfScope('nonce')
  if (!nonces.every((nonce) => isSame(nonce, expected.nonce))) outOfScope('nonce')
}

/** Who proves a key does so for one alone (RFC 9901 section 4.3). */
const isOurs = (aud: Json | undefined, mayBeList: boolean, ours: MandateAudience['aud']): boolean => {
  const names = new Set(typeof ours === 'string' ? [ours] : ours)
  if (typeof aud === 'string') return names.has(aud)
  if (!mayBeList || !Array.isArray(aud) || aud.length > AUDIENCES_MAX) return false
  return aud.some((name) => typeof name === 'string' && names.has(name))
}
