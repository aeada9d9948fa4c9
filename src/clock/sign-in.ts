import { tellLeft } from '../../adapters/http/auth/oidc/end-sessions.ts'
import type { SignInRows } from '../../adapters/postgres/sign-in/rows.ts'
import type { OutsidePorts } from '../../domain/use-cases/context.ts'
import { tendSigningKeys } from '../../domain/use-cases/signin/signing-keys.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import type { JobParts } from './timed-job.ts'

/** Forgets rows that are of no use any more, and rotates the signing key in time; what fails is tried again later. */
export const tidySignIn = async (
  flow: OutsidePorts & { ledger: Ledger },
  signIn: SignInRows,
  log: JobParts['log'],
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
