/**
 * Providers by their places in the setting, from 1. A provider that does not answer, or has not come to that block, is
 * in neither list.
 */
export type ChainVoices = {
  /** Providers that have the very same transfer in the very same block, as deep as was asked for. */
  readonly same: readonly number[]
  readonly against: readonly number[]
}
