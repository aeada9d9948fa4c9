import type { WitnessAddress } from '../../adapters/audit/witness/ask-witness.ts'
import { parseWitnesses } from '../../adapters/audit/witness/setting.ts'
import type { SettingReader } from './given/reader.ts'
import { countOf, secondsOf, urlOf, worded } from './setting-kinds.ts'

/** The settings of those who vouch for the heads of the log. */
export type HeadSettings = {
  readonly witnesses: readonly WitnessAddress[]
  /** Seconds within which a witness is asked at most once. */
  readonly cosignEverySeconds: number
  /** The URL of a time stamp authority (RFC 3161); undefined: nothing is stamped. */
  readonly stampUrl: string | undefined
  readonly stampEveryMinutes: number
}

/** A week, in minutes. */
const STAMP_MINUTES_MAX = 10_080

export const headSettingsOf = ({ set, value }: SettingReader): HeadSettings => ({
  witnesses: worded(() => parseWitnesses(set('WITNESSES'))),
  cosignEverySeconds: secondsOf('COSIGN_EVERY_SECONDS', value('COSIGN_EVERY_SECONDS')),
  stampUrl: urlOf('TIMESTAMP_URL', set('TIMESTAMP_URL'), ['https:', 'http:']),
  stampEveryMinutes: countOf('TIMESTAMP_EVERY_MINUTES', value('TIMESTAMP_EVERY_MINUTES'), STAMP_MINUTES_MAX, 1),
})
