import type { Of } from '../../kernel/decider.ts'
import type { TransactionCommands } from './transaction-commands.ts'
import type { TransactionEvents } from './transaction-events.ts'

/** What follows for a transaction when its payment settles. */

type Completable = {
  readonly accountId: string
  readonly test: boolean
  readonly status: 'P' | 'C' | 'X'
  readonly reversedThrough: bigint
}

/**
 * An expired transaction may still complete, when the payment was made in time and seen late. So may one that was
 * underpaid at first, when the rest has come, or its seller has matched it (N-62).
 */
export const completion = (
  { accountId, test, status, reversedThrough }: Completable,
  { position, ...payment }: TransactionCommands['complete'],
): readonly Of<TransactionEvents>[] => {
  if (status === 'C') return []
  if (position !== undefined && BigInt(position) <= reversedThrough) return []
  return [{ type: 'TransactionCompleted', data: { accountId, test, ...payment } }]
}

/** A transaction that was paid by the time at which it is written. */
export const paidOpening = ({
  opening,
  payment,
}: TransactionCommands['createCompleted']): readonly Of<TransactionEvents>[] => [
  { type: 'TransactionCreated', data: opening },
  ...completion({ accountId: opening.accountId, test: opening.test, status: 'P', reversedThrough: -1n }, payment),
]
