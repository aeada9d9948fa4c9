import { z } from 'zod'
import { expireDue } from '../../../domain/use-cases/card/expire-due.ts'
import { endpoint } from '../core/endpoint.ts'
import { type Checks, pendingOf } from './checks.ts'

/**
 * What Daybook does by the clock anyway, done now for the caller's own account (M-GEN-08, N-71): payments are looked
 * for before anything is given up. A chain that does not answer holds up nothing else.
 */
export const cronEndpoints = (checks: Checks) => [
  endpoint({
    method: 'get',
    path: '/api.php',
    when: { cron: true },
    summary: 'Do what is due for your account now: look for pending payments, give up what nobody paid in time',
    auth: 'key',
    reach: 'store',
    acts: true,
    callers: { capability: 'settings.edit' },
    query: z.object({ cron: z.string() }),
    returns: z.object({
      expired_requests: z.int(),
      expired_transactions: z.int(),
      checked: z.int(),
      settled: z.int(),
    }),
    refusals: ['busy'],
    async answer({ actor, flow, queries, shows }) {
      const { accountId, storeScope: stores } = actor
      const ids = await pendingOf(queries, actor, flow.world.now())
      await checks.check(flow, queries, accountId, ids)
      await shows()
      const after = await Promise.all(ids.map((id) => queries.transaction(accountId, id)))
      const expired = await expireDue(flow.ledger, flow.world, {
        expiredRequests: (before, limit) => queries.expiredRequests(before, limit, { accountId, stores }),
        expiredTransactions: (before, limit) => queries.expiredTransactions(before, limit, { accountId, stores }),
        challengesOfRequest: queries.challengesOfRequest,
        cardPagesOfRequest: queries.cardPagesOfRequest,
      })
      return {
        expired_requests: expired.requests,
        expired_transactions: expired.transactions,
        checked: ids.length,
        settled: after.filter((row) => row?.status === 'C').length,
      }
    },
  }),
]
