import type { Logger } from 'pino'
import { type CallBuckets, createSharedBuckets } from '../../adapters/http/core/bounds/shared-buckets.ts'
import type { CallLimits } from '../../adapters/http/serving/admission.ts'
import { createStrangerBytes } from '../../adapters/http/serving/stranger-bytes.ts'
import type { Presence } from '../../adapters/processes/presence.ts'
import type { Records } from '../engine/foundation.ts'
import type { Config } from '../settings/config.ts'
import type { RateConfig } from '../settings/setting-kinds.ts'

/** The limits of calls, counted together with the other processes on the same PostgreSQL. */
export const openCallLimits = (
  { limits, signInLimits, strangerBytes }: Pick<Config, 'limits' | 'signInLimits' | 'strangerBytes'>,
  { callLimits, vault }: Pick<Records, 'callLimits' | 'vault'>,
  presence: Pick<Presence, 'members' | 'isKnown' | 'changed'>,
  log: Logger,
) => {
  // Asked at every call, while the members change with the hours.
  let alive = presence.members().length
  const unheard = presence.changed(() => {
    alive = presence.members().length
  })
  const parts = {
    named: (caller: string) => vault.fingerprint('call-limit', caller),
    // The others leave this process its part once they know of it.
    processes: () => (presence.isKnown() ? alive : 0),
  }
  const shared = createSharedBuckets(callLimits, parts, log)
  const bucketsOf = <N extends CallLimitName>(rates: Readonly<Record<N, RateConfig>>) =>
    Object.fromEntries(
      Object.entries<RateConfig>(rates).map(([name, rate]) => [name, shared.calls(`calls.${name as N}`, rate)]),
    ) as Record<N, CallBuckets>
  const all: CallLimits = {
    ...bucketsOf(limits),
    signIn: bucketsOf(signInLimits),
    strangerBytes: createStrangerBytes(shared, strangerBytes),
  }
  const close = async () => {
    unheard()
    await shared.close()
  }
  return { limits: all, countsAlone: shared.countsAlone, close }
}

/** The limits that go by the name of their setting. */
type CallLimitName = keyof Config['limits'] | keyof Config['signInLimits']
