import type { Units } from '../../kernel/money.ts'
import type { Transfer } from '../../kernel/ports.ts'
import type { View } from '../books/entry.ts'

/**
 * A transfer that the ledger has booked, and what each of the three says of it: the lists that merchants and support
 * see, the journal of the accountants, and the chain.
 */

export type BookedTransfer = {
  /** Its place in the ledger's own order: that of the event which booked it first. */
  readonly place: string
  readonly transferId: string
  /** A payment came to the account; a refund left it. */
  readonly kind: 'payment' | 'refund'
  /** The account whose money it is. */
  readonly accountId: string
  readonly network: string
  readonly hash: string
  /** What transfers call the coin: the code of the catalogue, or a contract. */
  readonly coin: string
  /** What the journal calls the coin. */
  readonly asset: string
  readonly decimals: number
  readonly payer: string
  readonly payee: string
  /** What the event that booked it says, in the coin's smallest unit. */
  readonly amount: Units
  /** When it was recorded, and when it was mined. */
  readonly at: string
  readonly minedAt: string
  readonly test: boolean
  /** The ledger has taken it back, because its block was replaced. */
  readonly gone: boolean
  /** Another transaction has carried out the same signature, and stands for it in the journal. */
  readonly isMoved: boolean
  /** Whether it carried out a signature. */
  readonly signed: boolean
  /** Whether somebody said by hand what it pays. */
  readonly matched: boolean
  readonly challengeId: string | null
  readonly row: TransferRow | undefined
  readonly transaction: TransactionFacts | undefined
  readonly journal: readonly JournalSum[]
}

/** The transfer in the settlement log, or of a refund in the record of its transaction. */
export type TransferRow = {
  readonly status: string
  readonly amount: Units
  readonly hash: string
  /** The code of the coin there; undefined where the row has none, or one that only its seller knows. */
  readonly coin: string | undefined
  readonly gone: boolean
}

/** The merchant's transaction that a transfer belongs to. */
export type TransactionFacts = {
  readonly transactionId: string
  /** The status by what happened, whatever was written over it. */
  readonly status: string
  /** Keys whose values are by hand, and those of them that tell of the money something else than what happened. */
  readonly edited: readonly string[]
  readonly overwritten: readonly string[]
  readonly editedAt: string | null
}

/** What the events of one transfer move on the receipts of some books. */
export type JournalSum = { readonly view: View; readonly asset: string; readonly amount: Units }

/** What a chain says of a transfer now. */
export type ChainLook =
  | { readonly answer: 'not asked' | 'silent' | 'missing' }
  | { readonly answer: 'found'; readonly transfer: FoundTransfer; readonly confirmations: number }

export type FoundTransfer = Pick<Transfer, 'network' | 'tx' | 'index' | 'asset' | 'from' | 'to'> & {
  readonly formerIndex?: string
  readonly amount: bigint
}

/**
 * The transfer of a chain transaction that a booked one is to be held against: the very same; else one that differs
 * from it in one thing, so that the difference can be named; undefined where there is none.
 */
export const counterpartOf = <T extends FoundTransfer>(
  booked: Pick<BookedTransfer, 'transferId' | 'coin' | 'payee' | 'amount'>,
  found: readonly T[],
): T | undefined => {
  const named = ({ network, tx, index, formerIndex }: T): boolean =>
    [index, formerIndex].some((each) => `${network}:${tx}:${each}` === booked.transferId)
  const [coin, payee, amount] = [
    ({ asset }: T) => asset === booked.coin,
    ({ to }: T) => to === booked.payee,
    (each: T) => String(each.amount) === booked.amount,
  ]
  const alike = (...tests: readonly ((each: T) => boolean)[]) => found.find((each) => tests.every((test) => test(each)))
  return (
    alike(named, coin, payee, amount) ??
    alike(coin, payee, amount) ??
    alike(named) ??
    alike(coin, payee) ??
    alike(coin, amount) ??
    alike(payee, amount)
  )
}
