import { gaslessFee } from '../fees.ts'
import type { GaslessToken, Relayer } from '../gasless/relayer.ts'
import type { Units } from '../money.ts'
import type { ChallengeEntry } from '../sell/challenge-terms.ts'
import type { Flow } from './flow.ts'

/** A seller who owes this much, in millionths of a US dollar, gets no more gas on account. */
const OWED_MAX_USD = 1_000_000n

export type GaslessOffer = { readonly token: GaslessToken; readonly relayer: Relayer }

/**
 * Which of a sale's coins may be paid by a signature now (J-GAS-01): the seller has not opted out and is good for the gas, the network has a
 * relayer that can pay it, and the gas costs the seller no more than the sale brings. `usd` is the price in millionths of a US dollar.
 */
export const gaslessOffers = async (
  { ledger, relayers }: Flow,
  { accountId, usd, test }: { accountId: string; usd: Units; test: boolean },
): Promise<(entry: Pick<ChallengeEntry, 'asset' | 'network' | 'contract'>) => GaslessOffer | undefined> => {
  if (test || relayers.size === 0) return () => undefined
  const [{ gasless }, { owed }] = await Promise.all([
    ledger.settings.recent(accountId),
    ledger.creditAccount.recent(accountId),
  ])
  if (!gasless || owed >= OWED_MAX_USD) return () => undefined
  return ({ asset, network, contract }) => {
    const relayer = relayers.get(network)
    const token = relayer?.tokens.get(asset)
    const cost = relayer?.cost()
    const isOffered = token?.contract === contract && cost !== undefined && gaslessFee(cost) <= BigInt(usd)
    return relayer && token && isOffered ? { token, relayer } : undefined
  }
}
