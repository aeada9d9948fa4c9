import type { VoiceCounter } from '../../../chains/second-voice.ts'
import { isFinal } from '../../../kernel/refusal.ts'
import { type Attribution, attribute } from '../../../selling/attribution.ts'
import { challengeParts, type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { amountsOf, factsOf } from './address-of-transfer.ts'
import { type BookingResult, bookTransfer } from './book-transfer.ts'
import { knownOn, knownTransfer } from './known-transfer.ts'

/** What became of a transfer, whoever found it, under the name that the ledger has it under. */
export type AttributionResult =
  | (BookingResult & { readonly challengeId: string })
  | { readonly outcome: 'unmatched'; readonly transfer: TransferData; readonly candidates: readonly string[] }

/**
 * Says what a transfer that was found on the chain pays, and books it (N-24, Q-55). The watch, a posted hash, the
 * re-scan and the relayer all use it. A transfer that is nobody's is set aside for the seller whose address it came to.
 * `head` is the height of the chain; without it the transfer counts as confirmed. Refuses as `bookTransfer` does.
 */
export const attributeTransfer = async (
  ledger: Ledger,
  moved: TransferData,
  hear: VoiceCounter,
  head = Number.MAX_SAFE_INTEGER,
): Promise<AttributionResult> => {
  const transfer = await knownTransfer(ledger, moved)
  const { on, owner } = await factsOf(ledger, transfer)
  const found = attribute(transfer, on)
  const challengeId = 'challengeId' in found ? found.challengeId : await takenFor(ledger, transfer, found.candidates)
  if (challengeId !== undefined)
    return { challengeId, ...(await bookTransfer(ledger, challengeId, transfer, head - transfer.height + 1, hear)) }
  await setAsideUnmatched(ledger, transfer, found, owner)
  return { outcome: 'unmatched', transfer, candidates: 'candidates' in found ? found.candidates : [] }
}

/**
 * The same for a reader of the chain: a transfer that cannot be booked (taken, of a challenge that never came to be) is
 * nobody's fault and must not hold up the others; one that only has to wait for a contended stream is tried again.
 */
export const attributeFound = async (
  ledger: Ledger,
  transfer: TransferData,
  hear: VoiceCounter,
  head?: number,
): Promise<void> => {
  await attributeTransfer(ledger, transfer, hear, head).catch((error: unknown) => {
    if (!isFinal(error)) throw error
  })
}

/**
 * The challenge that a transfer was taken for before, when less was open on its address, or that its seller has named:
 * it stays.
 */
const takenFor = async (
  ledger: Ledger,
  transfer: TransferData,
  candidates: readonly string[],
): Promise<string | undefined> => {
  const { challengeId } = await ledger.transfer.read(transferId(transfer))
  if (challengeId !== undefined) return challengeId
  for (const candidate of candidates) {
    const { setId = '', asset = '' } = challengeParts(candidate) ?? {}
    const set = await ledger.challenge.read(setId)
    if (set.status !== 'open') continue
    const known = await knownOn(ledger, set, asset, transfer)
    const isOtherName = known.index !== transfer.index
    if (isOtherName || set.detected[asset]?.some(({ id }) => id === transferId(known))) return candidate
  }
  return undefined
}

/** Sets money aside that came to an address of ours and that nobody was asked for. */
const setAsideUnmatched = async (
  ledger: Ledger,
  transfer: TransferData,
  found: Attribution,
  owner: string | undefined,
): Promise<void> => {
  if (owner === undefined || found.is !== 'nobodys') return
  const { asset, minedAt } = transfer
  const data = { accountId: owner, challengeId: null, asset, reason: 'unmatched' as const, transfer }
  const candidates = [...new Set(found.candidates)]
  const { events } = await ledger.transfer.setAside(
    transferId(transfer),
    candidates.length > 0 ? { ...data, candidates } : data,
  )
  if (events.length > 0 && !found.dust) await ledger.receiveAddress.noteUnmatched(amountsOf(transfer), { minedAt })
}
