import type { Logger } from 'pino'
import type { Leases } from '../../adapters/postgres/lease.ts'
import type { SignInRows } from '../../adapters/postgres/sign-in/rows.ts'
import type { Outside } from '../../domain/use-cases/context.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import type { Queries } from '../../projections/index.ts'
import { sweepDomains } from './domain-sweep.ts'
import { sweepNotifications } from './notification-sweep.ts'
import { sweepSignIn } from './sign-in-sweep.ts'
import { sweepDue } from './sweeps.ts'

type Parts = {
  leases: Leases
  doors: LedgerDoors
  queries: Queries
  outside: Outside
  signIn: SignInRows
  log: Logger
}

/**
 * All that is done by the clock, each thing in one process at a time. Resolves once all of it has ended after the
 * signal.
 */
export const startSweeps = (parts: Parts, signal: AbortSignal): Promise<unknown> => {
  const { queries, outside } = parts
  return Promise.all([
    sweepDue({ ...parts, due: queries }, signal),
    sweepSignIn(parts, signal),
    sweepNotifications({ ...parts, sending: outside }, signal),
    sweepDomains(parts, signal),
  ])
}
