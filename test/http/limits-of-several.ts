/** Limits that several processes count together, each with a pool of its own on one database. */
import type { ExecutionContext } from 'ava'
import { createSharedBuckets } from '../../adapters/http/core/bounds/shared-buckets.ts'
import type { Rate } from '../../adapters/http/core/bounds/token-buckets.ts'
import { createCallLimitRows } from '../../adapters/postgres/call-limits.ts'
import { connect } from '../../adapters/postgres/connect.ts'
import type { LimitName } from '../../domain/kernel/refusals/limits.ts'
import { countStatements } from '../support/count-statements.ts'
import { testDatabase } from '../support/postgres.ts'

/** So slow that nothing flows in while a test runs. */
export const slow = (burst: number) => ({ perSecond: 1 / 3_600, burst })
export const LIMIT: LimitName = 'calls.key'
const STATEMENT = { settle: /into daybook_run\.call_limits/ }

type StartOptions = { readonly isNew?: boolean; readonly nowMs?: () => number; readonly answerMs?: number }

/** Milliseconds for which a busy machine is waited for. */
export const PATIENT_MS = 20_000
/** Milliseconds in which every bucket fills. */
const AGES_MS = 1e13

/** Starts processes on one database; `kill` ends one as SIGKILL would. */
export const setUp = async (t: ExecutionContext) => {
  const { url, sql } = await testDatabase(t)
  await createCallLimitRows(sql)
  let alive = 0
  const start = async ({
    isNew = false,
    nowMs = () => performance.now(),
    answerMs = PATIENT_MS,
  }: StartOptions = {}) => {
    let ranMs = 0
    const options = { nowMs: () => nowMs() + ranMs, answerMs }
    const parts = { named: String, processes: () => alive }
    alive++
    const counted = countStatements(connect(url, { max: 2 }), STATEMENT)
    const warnings: string[] = []
    const log = { warn: (_: object, message: string) => void warnings.push(message) }
    const shared = createSharedBuckets(await createCallLimitRows(counted.sql), parts, log, options)
    const buckets = (rate: Rate, limit: LimitName = LIMIT) => {
      const made = shared.calls(limit, rate)
      // The part that a process has for itself flows in while it runs.
      if (!isNew) ranMs = AGES_MS
      return made
    }
    const bytes = (rate: Rate) => {
      const made = shared.bytes('calls.strangerBytes', rate, 'Too much.')
      ranMs = AGES_MS
      return made
    }
    const kill = async () => {
      alive--
      await counted.sql.end({ timeout: 0 })
    }
    const stop = async () => {
      await shared.close()
      alive--
    }
    t.teardown(async () => {
      await shared.close()
      await counted.sql.end({ timeout: 0 })
    })
    return { shared, buckets, bytes, warnings, kill, stop, statements: () => counted.count('settle') }
  }
  /** Lets time pass for all buckets. */
  const wait = (seconds: number) =>
    sql`update daybook_run.call_limits set idle_at = idle_at - make_interval(secs => ${seconds})`
  return { url, sql, start, wait }
}
