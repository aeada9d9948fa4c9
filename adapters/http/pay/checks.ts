import { Refusal } from '../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { COOLDOWN_HOURS } from '../../../domain/use-cases/selling/challenges/open-challenge.ts'
import {
  checkTransactions,
  sawChallenges,
  type TransactionsCheck,
} from '../../../domain/use-cases/selling/settling/check-transactions.ts'
import type { Queries } from '../../../projections/index.ts'
import type { Actor } from '../core/endpoint.ts'

/**
 * Looks at chains under way in this process, each of which may read thousands of blocks: above this, an account has one
 * at a time. Whoever has none under way is always let in, so that no seller takes the looks of another.
 */
const CHECKS_MAX = 16
/** Looks under way for one account. */
const CHECKS_PER_ACCOUNT_MAX = 4

const HOUR_MS = 3_600_000

export type Checks = ReturnType<typeof createChecks>

/** Lets calls that ask for the same at the same time share one look, and refuses `busy` above the bounds. */
export const createChecks = () => {
  const underWay = new Map<string, { readonly accountId: string; readonly look: Promise<TransactionsCheck> }>()

  const start = (
    key: string,
    accountId: string,
    look: () => Promise<TransactionsCheck>,
  ): Promise<TransactionsCheck> => {
    const own = [...underWay.values()].filter((other) => other.accountId === accountId)
    const most = underWay.size >= CHECKS_MAX ? 1 : CHECKS_PER_ACCOUNT_MAX
    if (own.length >= most) throw new Refusal('busy', 'Too many checks at once. Try again when one has ended.')
    const looking = look().finally(() => underWay.delete(key))
    underWay.set(key, { accountId, look: looking })
    return looking
  }

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
      const { challenges, isWhole } = await (underWay.get(key)?.look ?? start(key, accountId, look))
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
