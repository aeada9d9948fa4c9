import { z } from 'zod'
import { shownTransaction, TransactionShape } from '../agent/selling/transaction-lists.ts'
import { consoleFunction } from './console-function.ts'
import { TransactionId } from './fields.ts'

const getTransaction = consoleFunction(
  'get-transaction',
  {
    summary: 'One transaction',
    auth: 'key',
    reach: 'store',
    sandbox: 'secret',
    capability: 'transactions.view',
    body: z.object({ transaction_id: TransactionId }),
    returns: TransactionShape,
    refusals: ['transaction-not-found'],
    answer: ({ body, actor, flow, queries }) => shownTransaction(flow, queries, actor, body.transaction_id),
  },
  ['payment'],
)

export const transactionFunctions = [...getTransaction]
