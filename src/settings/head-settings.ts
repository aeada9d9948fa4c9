import type { WitnessAddress } from '../../adapters/audit/witness/ask-witness.ts'
import { parseWitnesses } from '../../adapters/audit/witness/setting.ts'
import { countOf, secondsOf, urlOf, worded } from './setting-kinds.ts'

/** Who vouches for the heads of the log. */
export type HeadSettings = {
  readonly witnesses: readonly WitnessAddress[]
  /** A witness is asked at most once in so many seconds. */
  readonly cosignEverySeconds: number
  /** Of a time stamp authority (RFC 3161); undefined: nothing is stamped. */
  readonly stampUrl: string | undefined
  readonly stampEveryMinutes: number
}

/** A week. */
const STAMP_MINUTES_MAX = 10_080

export const headSettingsOf = (set: (name: string) => string | undefined): HeadSettings => ({
  witnesses: worded(() => parseWitnesses(set('WITNESSES'))),
  cosignEverySeconds: secondsOf('COSIGN_EVERY_SECONDS', set('COSIGN_EVERY_SECONDS') ?? '60'),
  stampUrl: urlOf('TIMESTAMP_URL', set('TIMESTAMP_URL'), ['https:', 'http:']),
  stampEveryMinutes: countOf('TIMESTAMP_EVERY_MINUTES', set('TIMESTAMP_EVERY_MINUTES') ?? '60', STAMP_MINUTES_MAX, 1),
})
