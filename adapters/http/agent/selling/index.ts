import type { Downloads } from '../common/downloads.ts'
import { settlementEndpoints } from './settlements.ts'
import { transactionActions } from './transaction-actions.ts'
import { transactionEndpoints } from './transactions.ts'
import { unmatchedEndpoints } from './unmatched.ts'

/** What came, what it was taken for, and the records of that. */
export const settlingEndpoints = (downloads: Downloads) => [
  ...settlementEndpoints,
  ...unmatchedEndpoints,
  ...transactionEndpoints(downloads),
  ...transactionActions,
]
