import { z } from 'zod'
import { toDecimal } from '../../../domain/kernel/money.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { openRecord } from '../../../domain/selling/transactions/open-record.ts'
import { isGone } from '../../../domain/selling/transactions/transaction.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { type PaymentSoFar, paymentSoFar } from '../../../domain/use-cases/selling/settling/payment-so-far.ts'
import type { Queries } from '../../../projections/index.ts'
import type { TransactionRow } from '../../../projections/selling/transactions/transaction-queries.ts'
import { TransactionShape } from '../agent/selling/transaction-lists.ts'
import type { Actor } from '../core/endpoint.ts'
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
    ? refuse('invalid-request', 'transaction and transaction_id: they mean the same, and differ here; send one of them')
    : id

/** Money at the address of a transaction that is not known to be for it; `match-transfer` says that it is. */
const Unmatched = z.object({
  transfer: z.string(),
  hash: z.string(),
  amount: z.string(),
  candidates: z.array(z.string()),
})

/** A record, and what came on the chain for it, in the coin: all of it, whether anybody told its hash or not. */
const Checked: z.ZodType<object, object> = TransactionShape.extend({
  asked: z.string().optional(),
  paid: z.string().optional(),
  missing: z.string().optional(),
  unmatched: z.array(Unmatched).optional(),
}).meta({
  id: 'CheckedTransaction',
  description:
    'The record of a transaction, and what came for it in coins: `asked`, `paid` (also what still waits for confirmations) and `missing`; they are left out while no coin was chosen. `unmatched`: what came to its address and is not known to be for it; match-transfer says that it is.',
})

const checkedRecord = async (
  { ledger, vault }: UseCaseContext,
  queries: Queries,
  actor: Actor,
  row: TransactionRow,
): Promise<object> => {
  const transaction = await ledger.transaction.read(row.id)
  const sum = isGone(transaction) ? undefined : await paymentSoFar(ledger, transaction, queries)
  return { ...(await openRecord(vault, row.id, row)), ...(sum && shownSum(sum, actor)) }
}

const shownSum = ({ decimals, unmatched: all, ...sum }: PaymentSoFar, { storeScope }: Actor) => {
  // What may be for several can be another store's, whose challenges a key of one store does not see (J-AUTH-04).
  const unmatched = storeScope === undefined ? all : all.filter(({ candidates }) => candidates.length === 1)
  const coin = (units: bigint) => toDecimal(units, decimals)
  return {
    asked: coin(sum.asked),
    paid: coin(sum.paid),
    missing: coin(sum.missing),
    ...(unmatched.length > 0 && {
      unmatched: unmatched.map(({ transferId: transfer, hash, paid, candidates }) => ({
        transfer,
        hash,
        amount: coin(BigInt(paid)),
        candidates: [...candidates],
      })),
    }),
  }
}

const one = (checks: Checks) =>
  consoleFunction(
    'check-transaction',
    {
      ...common,
      summary: 'Look on the chain for the payment of a transaction; answers its record, and what was paid of it',
      body: Named,
      returns: Checked,
      refusals: ['transaction-not-found', 'busy', 'unavailable'],
      async answer({ body, actor, flow, queries, shows }) {
        const id = namedIn(body) ?? refuse('invalid-request', 'transaction_id: has to be the number of a transaction')
        await ownTransaction(flow.ledger, actor, id)
        const isWhole = await checks.check(flow, queries, actor.accountId, [id])
        await shows()
        const row = await queries.transaction(actor.accountId, id)
        if (!row) return refuse('transaction-not-found')
        return isWhole || row.status === 'C' ? checkedRecord(flow, queries, actor, row) : refuse('unavailable', DOWN)
      },
    },
    ['payment'],
  )

const all = (checks: Checks) =>
  consoleFunction('check-transactions', {
    ...common,
    summary:
      'Look on the chains for the payments of the newest transactions that wait for one, or of the one that is named; answers their records, and what was paid of them',
    body: Named,
    returns: z.object({ checked: z.int(), settled: z.int(), transactions: z.array(Checked) }),
    refusals: ['transaction-not-found', 'busy', 'unavailable'],
    async answer({ body, actor, flow, queries, shows }) {
      const named = namedIn(body)
      if (named !== undefined) await ownTransaction(flow.ledger, actor, named)
      const ids = named === undefined ? await pendingOf(queries, actor, flow.world.now()) : [named]
      const isWhole = await checks.check(flow, queries, actor.accountId, ids)
      await shows()
      const rows = await Promise.all(ids.map((id) => queries.transaction(actor.accountId, id)))
      const transactions = await Promise.all(
        rows.flatMap((row) => (row ? [checkedRecord(flow, queries, actor, row)] : [])),
      )
      const settled = rows.filter((row) => row?.status === 'C').length
      if (!isWhole && settled === 0) return refuse('unavailable', DOWN)
      return { checked: ids.length, settled, transactions }
    },
  })

export const checkFunctions = (checks: Checks) => [...one(checks), ...all(checks)]
