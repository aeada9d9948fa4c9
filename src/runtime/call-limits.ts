import type { Logger } from 'pino'
import { type CallBuckets, createSharedBuckets } from '../../adapters/http/core/bounds/shared-buckets.ts'
import type { CallLimits } from '../../adapters/http/serving/admission.ts'
import { createStrangerBytes } from '../../adapters/http/serving/stranger-bytes.ts'
import type { Records } from '../engine/foundation.ts'
import type { Config } from '../settings/config.ts'
import type { RateConfig } from '../settings/setting-kinds.ts'

/** The limits of calls, counted together with the other processes on the same PostgreSQL. */
export const openCallLimits = (
  { limits, signInLimits, strangerBytes }: Pick<Config, 'limits' | 'signInLimits' | 'strangerBytes'>,
  { callLimits, vault }: Pick<Records, 'callLimits' | 'vault'>,
  log: Logger,
) => {
  const shared = createSharedBuckets(callLimits, (caller) => vault.fingerprint('call-limit', caller), log)
  const bucketsOf = <N extends CallLimitName>(rates: Readonly<Record<N, RateConfig>>) =>
    Object.fromEntries(
      Object.entries<RateConfig>(rates).map(([name, rate]) => [name, shared.calls(`calls.${name as N}`, rate)]),
    ) as Record<N, CallBuckets>
  const all: CallLimits = {
    ...bucketsOf(limits),
    signIn: bucketsOf(signInLimits),
    strangerBytes: createStrangerBytes(shared, strangerBytes),
  }
  return { limits: all, countsAlone: shared.countsAlone, close: shared.close }
}

/** The limits that go by the name of their setting. */
type CallLimitName = keyof Config['limits'] | keyof Config['signInLimits']
