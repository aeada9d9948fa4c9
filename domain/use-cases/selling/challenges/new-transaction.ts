import type { World } from '../../../kernel/ports.ts'
import { isRefusal } from '../../../kernel/refusal.ts'
import type { TransactionCommands } from '../../../selling/transactions/transaction-commands.ts'
import type { TransactionEvents } from '../../../selling/transactions/transaction-events.ts'
import type { Ledger } from '../../../write-side/ledger.ts'

/** Numbers tried when the first is another payment's; two in a row are already beyond all likelihood. */
const NUMBERS_MAX = 8

/** Writes a transaction as `madeTransaction`, and answers its id. */
export const newTransaction = async (
  ledger: Ledger,
  world: World,
  origin: string,
  opening: TransactionEvents['TransactionCreated'],
): Promise<string> => (await madeTransaction(ledger, world, origin, opening)).id

/**
 * Writes a transaction under the first free number made from `origin`, so that a repeat meets the one it made before;
 * answers its id, and what it is now. With a `payment` it is completed by then, also where it is there already.
 */
export const madeTransaction = async (
  ledger: Ledger,
  world: World,
  origin: string,
  opening: TransactionEvents['TransactionCreated'],
  payment?: TransactionCommands['complete'],
) => {
  for (let n = 0; n < NUMBERS_MAX; n++) {
    const id = transactionNumber(world, origin, n)
    try {
      const { state } = payment
        ? await ledger.transaction.createCompleted(id, { opening, payment })
        : await ledger.transaction.create(id, opening)
      return { id, state }
    } catch (error) {
      if (!isRefusal(error, 'id-taken')) throw error
    }
  }
  throw new Error(`no free transaction number for ${origin}`)
}

/** The number of a transaction made from `origin`, where those before it, from 0 on, were other payments'. */
const transactionNumber = (world: World, origin: string, n: number): string =>
  String(world.numberFrom('transaction', origin, String(n)))
