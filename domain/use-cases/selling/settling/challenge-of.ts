import { coinOf } from '../../../kernel/assets.ts'
import type { OpenSet } from '../../../selling/challenge-state.ts'
import { type ChallengeEntry, challengeParts } from '../../../selling/challenge-terms.ts'
import { receiveAddressId } from '../../../selling/receive-address.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { requestedSet } from '../challenges/requested-set.ts'

/** One challenge of a set: what the set is for, and what is asked for in this coin. */
export type AskedChallenge = {
  readonly challengeId: string
  readonly set: OpenSet
  readonly entry: ChallengeEntry
}

/** The challenge of an id, as the ledger has it now; undefined where there is none. */
export const challengeOf = async (ledger: Ledger, challengeId: string): Promise<AskedChallenge | undefined> => {
  const parts = challengeParts(challengeId)
  const set = parts && (await ledger.challenge.read(parts.setId))
  if (!set || set.status === 'none') return undefined
  const entry = entryOf(set, challengeId)
  return entry && { challengeId, set: await requestedSet(ledger, set), entry }
}

/** What a set asks for in the coin of one of its challenges. */
export const entryOf = (set: OpenSet, challengeId: string): ChallengeEntry | undefined =>
  set.entries.find(({ asset }) => asset === challengeParts(challengeId)?.asset)

/** The stream of the amounts of the coin and address that a challenge is paid at. */
export const amountsAt = (entry: ChallengeEntry): string =>
  receiveAddressId({ network: entry.network, coin: coinOf(entry), to: entry.payTo })
