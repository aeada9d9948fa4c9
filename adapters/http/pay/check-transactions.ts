import { z } from 'zod'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { openRecord } from '../../../domain/selling/transactions/open-record.ts'
import { TransactionShape } from '../agent/selling/transaction-lists.ts'
import { ownTransaction } from '../core/own-transaction.ts'
import { type Checks, pendingOf } from './checks.ts'
import { consoleFunction } from './console-function.ts'
import { optionalField, TransactionId } from './fields.ts'

/** Looking for payments right now, whether a chain is watched or not (M-TXN-08, M-TXN-09). */

const DOWN = 'A chain does not answer right now. Try again in a moment.'

const common = { auth: 'key', reach: 'store', callers: { capability: 'transactions.view', sandbox: 'secret' } } as const

/** The number of a transaction, under either of two names. */
const Named = z.object({ transaction_id: optionalField(TransactionId), transaction: optionalField(TransactionId) })

const namedIn = ({ transaction, transaction_id: id = transaction }: z.output<typeof Named>): string | undefined =>
  transaction !== undefined && transaction !== id
    ? refuse('invalid-request', 'transaction and transaction_id differ')
    : id

const one = (checks: Checks) =>
  consoleFunction(
    'check-transaction',
    {
      ...common,
      summary: 'Look on the chain for the payment of a transaction; answers its record afterwards',
      body: Named,
      returns: TransactionShape,
      refusals: ['transaction-not-found', 'busy', 'unavailable'],
      async answer({ body, actor, flow, queries, shows }) {
        const id = namedIn(body) ?? refuse('invalid-request', 'transaction_id: the number of a transaction')
        await ownTransaction(flow.ledger, actor, id)
        const isWhole = await checks.check(flow, queries, actor.accountId, [id])
        await shows()
        const row = await queries.transaction(actor.accountId, id)
        if (!row) return refuse('transaction-not-found')
        return isWhole || row.status === 'C' ? openRecord(flow.vault, row.id, row) : refuse('unavailable', DOWN)
      },
    },
    ['payment'],
  )

const all = (checks: Checks) =>
  consoleFunction('check-transactions', {
    ...common,
    summary:
      'Look on the chains for the payments of the newest pending transactions, or of the one that is named; answers their records afterwards',
    body: Named,
    returns: z.object({ checked: z.int(), settled: z.int(), transactions: z.array(TransactionShape) }),
    refusals: ['transaction-not-found', 'busy', 'unavailable'],
    async answer({ body, actor, flow, queries, shows }) {
      const named = namedIn(body)
      if (named !== undefined) await ownTransaction(flow.ledger, actor, named)
      const ids = named === undefined ? await pendingOf(queries, actor) : [named]
      const isWhole = await checks.check(flow, queries, actor.accountId, ids)
      await shows()
      const rows = await Promise.all(ids.map((id) => queries.transaction(actor.accountId, id)))
      const transactions = await Promise.all(rows.flatMap((row) => (row ? [openRecord(flow.vault, row.id, row)] : [])))
      const settled = transactions.filter(({ status }) => status === 'C').length
      if (!isWhole && settled === 0) return refuse('unavailable', DOWN)
      return { checked: ids.length, settled, transactions }
    },
  })

export const checkFunctions = (checks: Checks) => [...one(checks), ...all(checks)]
