/**
 * Providers by their places in the setting, from 1. Who does not answer, or has not come to that block, is in neither.
 */
export type ChainVoices = {
  /** They have the very same transfer in the very same block, as deep as was asked for. */
  readonly same: readonly number[]
  readonly against: readonly number[]
}
