import { Refusal } from '../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import {
  checkTransactions,
  sawChallenges,
  type TransactionsCheck,
} from '../../../domain/use-cases/selling/settling/check-transactions.ts'
import type { Queries } from '../../../projections/index.ts'
import type { Actor } from '../core/endpoint.ts'

/** Looks at chains under way in this process: each may read thousands of blocks. */
const CHECKS_MAX = 16
/** Looks under way for one account, so that the checks of one account do not take them all. */
const CHECKS_PER_ACCOUNT_MAX = 4

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
    if (underWay.size >= CHECKS_MAX || own.length >= CHECKS_PER_ACCOUNT_MAX)
      throw new Refusal('busy', 'Too many checks at once. Try again when one has ended.')
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

/** Pending transactions that one call looks for; older ones are looked for one by one. */
const PENDING_MAX = 50

/** The newest pending transactions that a key may see. */
export const pendingOf = async (queries: Queries, actor: Actor): Promise<readonly string[]> => {
  const filter = { status: 'P', stores: actor.storeScope, test: actor.testOnly }
  return (await queries.transactions(actor.accountId, filter, PENDING_MAX, 0)).map(({ id }) => id)
}
