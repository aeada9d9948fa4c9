import type { World } from '../../../kernel/ports.ts'
import { isRefusal } from '../../../kernel/refusal.ts'
import type { TransactionEvents } from '../../../selling/transactions/transaction-events.ts'
import type { Ledger } from '../../../write-side/ledger.ts'

/** Numbers tried when the first is another payment's; two in a row are already beyond all likelihood. */
const NUMBERS_MAX = 8

/**
 * Writes a transaction under the first free number made from `origin`, so that a repeat meets the one it made before;
 * answers its id.
 */
export const newTransaction = async (
  ledger: Ledger,
  world: World,
  origin: string,
  opening: TransactionEvents['TransactionCreated'],
): Promise<string> => {
  for (let n = 0; n < NUMBERS_MAX; n++) {
    const id = String(world.numberFrom('transaction', origin, String(n)))
    try {
      await ledger.transaction.create(id, opening)
      return id
    } catch (error) {
      if (!isRefusal(error, 'id-taken')) throw error
    }
  }
  throw new Error(`no free transaction number for ${origin}`)
}
