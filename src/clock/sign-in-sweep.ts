import { tellLeft } from '../../adapters/http/auth/oidc/end-sessions.ts'
import type { SignInRows } from '../../adapters/postgres/sign-in/rows.ts'
import type { Outside } from '../../domain/use-cases/context.ts'
import { tendSigningKeys } from '../../domain/use-cases/signin/signing-keys.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { type Sweeping, sweep } from './sweep.ts'

/** How often the sign-in service is tidied up; the first time is one such pause after the start. */
const EVERY_MS = 60_000
const NAME = 'sign-in-sweep'

type Parts = Sweeping & { outside: Outside; signIn: SignInRows }

/**
 * Forgets rows that are of no use any more, and rotates the signing key in time; in one process at a time, until the
 * signal aborts.
 */
export const sweepSignIn = ({ outside, signIn, ...parts }: Parts, signal: AbortSignal): Promise<unknown> =>
  sweep({ name: NAME, everyMs: EVERY_MS, waitsFirst: true }, parts, signal, (ledger) =>
    tidySignIn({ ...outside, ledger }, signIn, parts.log),
  )

/** One round; what fails is tried again in the next. */
export const tidySignIn = async (
  flow: Outside & { ledger: Ledger },
  signIn: SignInRows,
  log: Sweeping['log'],
): Promise<void> => {
  const now = flow.world.now()
  const tasks = [
    tendSigningKeys(flow),
    tellLeft({ flow, signIn }),
    signIn.tokens.sweepTokens(now),
    signIn.sessions.sweepSessions(now),
    signIn.interactions.sweepInteractions(now),
    signIn.challenges.sweepChallenges(now),
    signIn.enrolments.sweepEnrolments(now),
    signIn.limits.sweepLimits(now),
    signIn.signIns.sweepSignIns(now),
  ]
  for (const result of await Promise.allSettled(tasks))
    if (result.status === 'rejected')
      log.warn({ err: result.reason }, 'the sign-in service could not be tidied up, trying again')
}
