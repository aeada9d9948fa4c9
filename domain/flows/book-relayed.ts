import type { RelayReceipt } from '../gasless/relay.ts'
import type { Ledger } from '../ledger.ts'
import { Refusal } from '../refusal.ts'
import { transferId } from '../sell/challenge-terms.ts'
import { bookTransfer } from './book-transfer.ts'

/**
 * Books what a relay transaction has brought about: payments that were carried out, with their gas, and those that never will be. Every step
 * is quiet when repeated.
 */
export const bookRelayed = async (
  ledger: Ledger,
  { network, relayer, block, outcomes }: RelayReceipt,
): Promise<void> => {
  const head = Math.max(block, await newestBlock(ledger, network))
  for (const { authorizationId, transfer, gasUsd, reason } of outcomes) {
    const known = await ledger.authorization.read(authorizationId)
    if (known.status === 'none') throw new Error(`${relayer} carried out what was never taken: ${authorizationId}`)
    if (reason !== undefined) await ledger.authorization.fail(authorizationId, { reason })
    if (!transfer) continue
    const carried = { transferId: transferId(transfer), tx: transfer.tx }
    if (gasUsd !== undefined && gasUsd !== '0')
      await ledger.authorization.spendGas(authorizationId, { ...carried, gasUsd })
    // It stands in the chain and cannot be taken back: one that cannot be booked must not hold up the others.
    await bookTransfer(ledger, known.challengeId, transfer, head - transfer.height + 1).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.code === 'busy' || error.code === 'unavailable') throw error
    })
  }
}

const newestBlock = async (ledger: Ledger, network: string): Promise<number> =>
  (await ledger.chainWatch.recent(network)).height
