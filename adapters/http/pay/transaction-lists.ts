import { z } from 'zod'
import type { Downloads } from '../agent/common/downloads.ts'
import { page } from '../agent/common/paging.ts'
import {
  filters,
  Listed,
  shownTransaction,
  TransactionShape,
  transactionDownload,
  transactionList,
} from '../agent/selling/transaction-lists.ts'
import type { Endpoint } from '../core/endpoint.ts'
import { consoleFunction } from './console-function.ts'
import { TransactionId } from './fields.ts'

const getTransactions = consoleFunction('get-transactions', {
  summary: 'Transactions, newest first',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'transactions.view', sandbox: 'secret' },
  body: z.object({ ...page.query, ...filters }),
  returns: Listed,
  answer: ({ body, actor, flow, queries }) => transactionList(flow, queries, actor, body),
})

const downloadTransactions = (downloads: Downloads) =>
  consoleFunction('download-transactions', {
    summary: 'Transactions as CSV, oldest first; the answer is the file itself',
    auth: 'key',
    reach: 'store',
    callers: { capability: 'transactions.export', sandbox: 'secret' },
    body: z.object(filters),
    returns: z.string(),
    produces: 'text/csv',
    refusals: ['busy'],
    answer: ({ body, actor, flow, queries }) => transactionDownload(downloads, flow, queries, actor, body),
  })

export const transactionListFunctions = (downloads: Downloads): Endpoint[] => [
  ...getTransactions,
  ...downloadTransactions(downloads),
]

const getTransaction = consoleFunction(
  'get-transaction',
  {
    summary: 'One transaction',
    auth: 'key',
    reach: 'store',
    callers: { capability: 'transactions.view', sandbox: 'secret' },
    body: z.object({ transaction_id: TransactionId }),
    returns: TransactionShape,
    refusals: ['transaction-not-found'],
    answer: ({ body, actor, flow, queries }) => shownTransaction(flow, queries, actor, body.transaction_id),
  },
  ['payment'],
)

export const transactionFunctions = [...getTransaction]
