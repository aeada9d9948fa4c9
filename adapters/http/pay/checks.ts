import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { COOLDOWN_HOURS } from '../../../domain/use-cases/selling/challenges/open-challenge.ts'
import {
  checkTransactions,
  sawChallenges,
  type TransactionsCheck,
} from '../../../domain/use-cases/selling/settling/check-transactions.ts'
import type { Queries } from '../../../projections/index.ts'
import { createLooks } from '../core/bounds/looks.ts'
import type { Actor } from '../core/endpoint.ts'

const HOUR_MS = 3_600_000

export type Checks = ReturnType<typeof createChecks>

/** Looks at the chains for an account; refuses `busy` above the bounds of `createLooks`. */
export const createChecks = () => {
  const looks = createLooks<TransactionsCheck>()
  return {
    /** Checks an account's transactions; false when a chain could not be asked. */
    async check(
      flow: UseCaseContext,
      queries: Queries,
      accountId: string,
      transactionIds: readonly string[],
    ): Promise<boolean> {
      const key = JSON.stringify([accountId, transactionIds])
      const look = () => checkTransactions(flow, transactionIds, queries)
      const { challenges, isWhole } = await looks(key, accountId, look)
      await sawChallenges(flow.ledger, challenges)
      return isWhole
    },
  }
}

/** Transactions that one call looks for; older ones are looked for one by one. */
const PENDING_MAX = 50
/** Those of them that were paid in part, however many have not been paid at all. */
const UNDERPAID_MIN = 25

/**
 * The newest transactions that a key may see and that a payment may still be coming for: those that are pending, and
 * those of which a part was paid lately.
 */
export const pendingOf = async (
  queries: Queries,
  { accountId, storeScope: stores, testOnly: test }: Actor,
  now: Date,
): Promise<readonly string[]> => {
  const since = new Date(now.getTime() - COOLDOWN_HOURS * HOUR_MS).toISOString()
  const pending = await queries.transactions(accountId, { status: 'P', stores, test }, PENDING_MAX, 0)
  const underpaid = await queries.underpaidSince(accountId, { test, stores }, since, PENDING_MAX)
  const kept = PENDING_MAX - Math.min(underpaid.length, UNDERPAID_MIN)
  return [...pending.slice(0, kept).map(({ id }) => id), ...underpaid].slice(0, PENDING_MAX)
}
