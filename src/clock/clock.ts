import type { Logger } from 'pino'
import { tellLeft } from '../../adapters/http/auth/oidc/end-sessions.ts'
import type { CallLimitRows } from '../../adapters/postgres/call-limits.ts'
import type { Leases } from '../../adapters/postgres/lease.ts'
import type { RequestLog } from '../../adapters/postgres/requests/request-log.ts'
import type { SignInRows } from '../../adapters/postgres/sign-in/rows.ts'
import { tellDueNews } from '../../domain/use-cases/account/tell-news.ts'
import { debitDue } from '../../domain/use-cases/balance/debit-due.ts'
import { endDueCardPages } from '../../domain/use-cases/card/end-due.ts'
import { expireDue } from '../../domain/use-cases/card/expire-due.ts'
import type { OutsidePorts } from '../../domain/use-cases/context.ts'
import { endDueGames } from '../../domain/use-cases/game/end-due.ts'
import { lookForRefunds } from '../../domain/use-cases/selling/refunds/refund-payment.ts'
import { lookForReturns } from '../../domain/use-cases/selling/refunds/return-transfer.ts'
import { tendSigningKeys } from '../../domain/use-cases/signin/signing-keys.ts'
import type { Ledger, LedgerDoors } from '../../domain/write-side/ledger.ts'
import type { Queries } from '../../projections/index.ts'
import type { Backups } from './backups.ts'
import { recheckDomains } from './domain-checks.ts'
import { sendDueNotifications } from './notifications.ts'
import { type JobParts, runTimedJob, type TimedJob } from './timed-job.ts'

type Parts = {
  readonly leases: Leases
  readonly doors: LedgerDoors
  readonly queries: Queries
  readonly outside: OutsidePorts
  readonly signIn: SignInRows
  readonly requestLog: Pick<RequestLog, 'sweep'>
  readonly callLimits: Pick<CallLimitRows, 'sweep'>
  /** Undefined where no backups are made by the clock. */
  readonly backups: Backups | undefined
  readonly log: Logger
}

/** Milliseconds between two looks for what is due. */
const DUE_EVERY_MS = 5_000
/** Milliseconds between two looks at card pages: asking processors takes longer, and is not urgent. */
const CARD_PAGES_EVERY_MS = 60_000
/** Milliseconds between two looks for refunds that lack confirmations. */
const REFUNDS_EVERY_MS = 15_000
const SIGN_IN_EVERY_MS = 60_000
const REQUEST_LOG_EVERY_MS = 60_000
/** Milliseconds between two deletions of full buckets: a flood of networks makes rows for no longer than that. */
const CALL_LIMITS_EVERY_MS = 10_000

/** Runs all timed jobs, each in one process at a time. Resolves once all have ended after the signal. */
export const startClock = (parts: Parts, signal: AbortSignal): Promise<unknown> =>
  Promise.all([
    ...jobsOf(parts).map((job) => runTimedJob(job, parts, signal)),
    ...(parts.backups ? [runTimedJob(parts.backups.job, parts, signal)] : []),
    sendDueNotifications({ ...parts, sending: parts.outside }, signal),
  ])

const jobsOf = ({ queries, outside, signIn, requestLog, callLimits, log }: Parts): readonly TimedJob[] => [
  { name: 'expiry', everyMs: DUE_EVERY_MS, round: (ledger) => expireDue(ledger, outside.world, queries) },
  {
    name: 'standing-orders',
    everyMs: DUE_EVERY_MS,
    round: (ledger) =>
      debitDue(ledger, outside.world, queries, (err, mandateId) =>
        log.warn({ err, mandateId }, 'a standing order could not be tried'),
      ),
  },
  { name: 'news', everyMs: DUE_EVERY_MS, round: (ledger) => tellDueNews(ledger, outside.world, queries) },
  { name: 'games', everyMs: DUE_EVERY_MS, round: (ledger) => endDueGames(ledger, outside.world, queries) },
  cardPages(outside, queries, log),
  refunds(outside, queries, log),
  {
    name: 'sign-in-sweep',
    everyMs: SIGN_IN_EVERY_MS,
    waitsFirst: true,
    round: (ledger) => tidySignIn({ ...outside, ledger }, signIn, log),
  },
  {
    name: 'request-log-sweep',
    everyMs: REQUEST_LOG_EVERY_MS,
    waitsFirst: true,
    round: () => requestLog.sweep(outside.world.now()),
  },
  {
    name: 'call-limits-sweep',
    everyMs: CALL_LIMITS_EVERY_MS,
    waitsFirst: true,
    round: (_, held) => callLimits.sweep(held),
  },
  {
    name: 'domain-sweep',
    everyMs: DUE_EVERY_MS,
    round: (ledger, held) => recheckDomains({ ...outside, ledger }, { queries, signIn, log }, held),
  },
]

/** Each round goes on where the one before has ended. */
const cardPages = (outside: OutsidePorts, queries: Queries, log: Logger): TimedJob => {
  let after = ''
  const failed = (err: unknown, cardPayment: string) =>
    log.warn({ err, cardPayment }, 'a page of a card processor could not be ended')
  return {
    name: 'card-pages',
    everyMs: CARD_PAGES_EVERY_MS,
    async round(ledger, held) {
      after = await endDueCardPages({ ...outside, ledger }, queries, after, failed, held)
    },
  }
}

/** Each round goes on where the one before has ended. */
const refunds = (outside: OutsidePorts, queries: Queries, log: Logger): TimedJob => {
  let after = ''
  const failed = (err: unknown, transactionId: string) =>
    log.warn({ err, transactionId }, 'a refund could not be looked for')
  let returnsAfter = ''
  const failedReturn = (err: unknown, transfer: string) =>
    log.warn({ err, transfer }, 'a return could not be looked for')
  return {
    name: 'refunds',
    everyMs: REFUNDS_EVERY_MS,
    async round(ledger) {
      after = await lookForRefunds({ ...outside, ledger }, queries, after, failed)
      returnsAfter = await lookForReturns({ ...outside, ledger }, queries, returnsAfter, failedReturn)
    },
  }
}

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
    signIn.memberSessions.sweepMemberSessions(now),
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
