import { setTimeout as pause } from 'node:timers/promises'
import { tellLeft } from '../adapters/http/auth/end-sessions.ts'
import type { Leases } from '../adapters/postgres/lease.ts'
import type { SignInRows } from '../adapters/postgres/sign-in/rows.ts'
import type { Outside } from '../domain/flows/flow.ts'
import { tendSigningKeys } from '../domain/flows/sign-in/signing-keys.ts'
import type { Ledger, LedgerDoors } from '../domain/ledger.ts'

/** How often the sign-in service is tidied up; the first time is one such pause after the start. */
const EVERY_MS = 60_000
const NAME = 'sign-in-sweep'

type Parts = { leases: Leases; doors: LedgerDoors; outside: Outside; signIn: SignInRows; log: Log }

/** Forgets rows that are of no use any more, and rotates the signing key in time; in one process at a time, until the signal aborts. */
export const sweepSignIn = ({ leases, doors, outside, signIn, log }: Parts, signal: AbortSignal): Promise<unknown> => {
  const { ledger } = doors.open({ actor: NAME, correlationId: NAME })
  return leases.hold(NAME, signal, async (held) => {
    while (!held.aborted) {
      await pause(EVERY_MS, undefined, { signal: held }).catch(() => {})
      if (!held.aborted) await tidySignIn({ ...outside, ledger }, signIn, log)
    }
  })
}

/** One round; what fails is tried again in the next. */
export const tidySignIn = async (flow: Outside & { ledger: Ledger }, signIn: SignInRows, log: Log): Promise<void> => {
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

type Log = { warn(fields: object, message: string): void }
