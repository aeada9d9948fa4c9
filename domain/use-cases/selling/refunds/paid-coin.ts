import { coinOf } from '../../../kernel/assets.ts'
import { type OpenSet, worthOfEntry } from '../../../selling/challenge-state.ts'
import { type ChallengeEntry, coinFacts, type TransferData } from '../../../selling/challenge-terms.ts'
import { countedFor } from '../../../selling/reversal.ts'
import type { PaidCoin } from '../../../selling/transactions/coin-refund.ts'
import type { Transaction } from '../../../selling/transactions/transaction.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { challengeOf } from '../settling/challenge-of.ts'

/** A payment in a coin, as whoever looks for its refund needs to know it. */
export type PaidInCoin = {
  readonly coin: PaidCoin
  readonly set: OpenSet
  readonly entry: ChallengeEntry
}

/** The coin payment of a transaction; undefined where none settled it, as when it was completed by hand. */
export const paidInCoin = async (ledger: Ledger, { challengeId }: Transaction): Promise<PaidInCoin | undefined> => {
  const known = challengeId === null ? undefined : await challengeOf(ledger, challengeId)
  if (!known || known.set.settled[known.entry.asset] === undefined) return undefined
  const { set, entry } = known
  const received = countedFor(set, entry.asset).reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  const { decimals } = coinFacts(entry)
  const { network, amount: asked } = entry
  const coin = { network, asset: coinOf(entry), decimals, received: String(received), asked }
  const { amount, currency, usd, vat, test } = set
  const worth = { amount, currency, usd, ...worthOfEntry(set, entry), ...(vat !== undefined && { vat }) }
  return { coin: { ...coin, ...worth, test }, set, entry }
}

/** The transfers that paid it, each part of the price among them. */
export const transfersOf = async (ledger: Ledger, { set, entry }: PaidInCoin): Promise<readonly TransferData[]> => {
  const found = await Promise.all(
    countedFor(set, entry.asset).map(async ({ id }) => (await ledger.transfer.read(id)).transfer),
  )
  return found.filter((transfer) => transfer !== undefined)
}
