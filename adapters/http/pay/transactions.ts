import { z } from 'zod'
import { refuse } from '../../../domain/refusal.ts'
import { transactionRecord } from '../../../domain/sell/transaction-record.ts'
import { inScope, maySee } from '../actor.ts'
import { consoleFunction } from './console-function.ts'
import { TransactionId } from './fields.ts'

const getTransaction = consoleFunction(
  'get-transaction',
  {
    summary: 'One transaction',
    auth: 'key',
    sandbox: 'secret',
    capability: 'transactions.view',
    body: z.object({ transaction_id: TransactionId }),
    returns: z.record(z.string(), z.string()),
    refusals: ['transaction-not-found'],
    async answer({ body, actor, queries }) {
      const row = await queries.transaction(actor.accountId, body.transaction_id)
      return row && maySee(actor, row) && inScope(actor, row.storeId)
        ? transactionRecord(row.id, row)
        : refuse('transaction-not-found', 'No such transaction.')
    },
  },
  ['payment'],
)

export const transactionFunctions = [...getTransaction]
