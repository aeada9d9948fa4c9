import type { VoiceCounter } from '../../../chains/second-voice.ts'
import type { Chain } from '../../../kernel/ports.ts'
import { isRefusal, refuse } from '../../../kernel/refusal.ts'
import { challengeParts } from '../../../selling/challenge-terms.ts'
import { isFor } from '../../../selling/judge.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { attributeFound } from './attribute-transfer.ts'
import { bookTransfer, type PendingPayment } from './book-transfer.ts'
import { sameAs } from './known-transfer.ts'
import { transferData } from './settle-payment.ts'

/**
 * Blocks by which a node may lag behind the head: until the chain is so far above a block, a node that does not know
 * the block proves nothing.
 */
const LAG_BLOCKS_MAX = 64

/**
 * Looks again at a payment that was seen: books it when it is deep enough, notes where it has moved to, or takes it
 * back when its block is not in the chain any more and it is in no other (N-24). A node that merely lags behind changes
 * nothing.
 */
export const recheckPayment = async (
  ledger: Ledger,
  chain: Chain,
  seen: PendingPayment,
  head: number,
  hear: VoiceCounter,
): Promise<void> => {
  const { setId, asset } = challengeParts(seen.challengeId) ?? refuse('challenge-not-found')
  const retract = () => ledger.challenge.retract(setId, { ...seen, asset })
  const found = (await chain.transfersOf(seen.tx))?.map(transferData)
  const same = found && sameAs(seen, found)
  if (same) {
    await bookTransfer(ledger, seen.challengeId, same, head - same.height + 1, hear).catch((error: unknown) => {
      if (!isRefusal(error, 'transfer-taken')) throw error
      return retract()
    })
    return
  }
  const there = await chain.hashAt(seen.height)
  if (there === seen.blockHash || (there === undefined && head < seen.height + LAG_BLOCKS_MAX)) return
  const set = await ledger.challenge.read(setId)
  await retract()
  if (set.status === 'none') return
  // A former name changes with the transfer's block; what the transfer pays stays the same.
  const entry = set.entries.find((each) => each.asset === asset)
  const amount = set.detected[asset]?.find(({ id }) => id === seen.transferId)?.amount
  for (const moved of (found ?? []).filter((transfer) => entry && isFor(entry, transfer)))
    if (moved.amount === amount) await bookTransfer(ledger, seen.challengeId, moved, head - moved.height + 1, hear)
    else await attributeFound(ledger, moved, hear, head)
}
