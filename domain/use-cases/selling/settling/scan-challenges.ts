import { coinOf } from '../../../kernel/assets.ts'
import type { Chain, ChainHead } from '../../../kernel/ports.ts'
import { isFinal, isRefusal } from '../../../kernel/refusal.ts'
import { isClosed } from '../../../selling/challenge-state.ts'
import type { ChallengeEntry } from '../../../selling/challenge-terms.ts'
import { connectedChain, mustAnswer, type UseCaseContext } from '../../context.ts'
import { COOLDOWN_HOURS } from '../challenges/open-challenge.ts'
import { attributeFound } from './attribute-transfer.ts'
import type { PendingPayment } from './book-transfer.ts'
import { challengeOf } from './challenge-of.ts'
import { recheckPayment } from './recheck-payment.ts'
import { transferData } from './settle-payment.ts'

/** Blocks of one read, and of all reads of one network in one call; older ones are left to the chain watch. */
const BLOCKS_PER_READ_MAX = 200
const BLOCKS_MAX = 5_000
/** Milliseconds after which no further read of a network is begun. */
const READING_MS = 10_000
/** Payments looked at again in one call. */
const WAITING_MAX = 500

/** Payments of these challenges that were seen and wait for confirmations. */
export type WaitingPayments = (challengeIds: readonly string[], limit: number) => Promise<readonly PendingPayment[]>

/**
 * Looks on the chains right now for what pays these challenges, and books it as the chain watch does (M-TXN-08,
 * M-TXN-09): payments that wait for confirmations first, then the blocks since each challenge was issued, the newest
 * first. Several calls at once, and the watch, end in one settlement. False when a network could not be asked.
 */
export const scanChallenges = async (
  flow: UseCaseContext,
  challengeIds: readonly string[],
  waitingPayments: WaitingPayments,
): Promise<boolean> => {
  const open = (await Promise.all(challengeIds.map((id) => placeOf(flow, id)))).filter((place) => place !== undefined)
  if (open.length === 0) return true
  const waiting = await waitingPayments(
    open.map(({ challengeId }) => challengeId),
    WAITING_MAX,
  )
  const byNetwork = Map.groupBy(open, ({ entry }) => entry.network)
  const done = await Promise.all(
    [...byNetwork].map(async ([network, places]) => {
      try {
        await scanNetwork(flow, network, places, waiting)
        return true
      } catch (error) {
        if (isRefusal(error, 'unavailable')) return false
        throw error
      }
    }),
  )
  return done.every((one) => one)
}

/** One coin of a set that still takes a payment. */
type Place = { readonly challengeId: string; readonly entry: ChallengeEntry; readonly expiresAt: string }

const placeOf = async ({ ledger }: UseCaseContext, challengeId: string): Promise<Place | undefined> => {
  const { set, entry } = (await challengeOf(ledger, challengeId)) ?? {}
  if (!set || !entry || set.test || isClosed(set, entry.asset)) return undefined
  return { challengeId, entry, expiresAt: set.expiresAt }
}

const scanNetwork = async (
  flow: UseCaseContext,
  network: string,
  places: readonly Place[],
  waiting: readonly PendingPayment[],
): Promise<void> => {
  const { ledger, chains, world, headNow, secondVoice } = flow
  const connected = connectedChain(chains, network)
  const chain = asked(connected)
  const head = await mustAnswer(network, headNow(connected))
  const own = new Set(places.map(({ challengeId }) => challengeId))
  for (const seen of waiting)
    if (own.has(seen.challengeId))
      await unlessRefused(recheckPayment(ledger, chain, seen, head.height, secondVoice.heard))
  const since = new Date(world.now().getTime() - COOLDOWN_HOURS * 3_600_000).toISOString()
  const expected = places.filter(({ expiresAt }) => expiresAt > since)
  if (expected.length > 0) await readBack(flow, chain, head, expected)
}

/** Reads from the newest block backwards, until every place is paid or the bounds are reached. */
const readBack = async (
  flow: UseCaseContext,
  chain: Chain,
  head: ChainHead,
  places: readonly Place[],
): Promise<void> => {
  const { ledger, world, secondVoice } = flow
  const { keyOf = same } = chain
  const addresses = new Set(places.map(({ entry }) => keyOf(entry.payTo)))
  const contracts = new Set(places.flatMap(({ entry }) => ownContract(entry)))
  const issued = Math.min(...places.map(({ entry }) => entry.heightAtIssue))
  const lowest = Math.max(issued + 1, head.height - BLOCKS_MAX + 1)
  const until = world.now().getTime() + READING_MS
  for (let to = head.height; to >= lowest && world.now().getTime() < until; to -= BLOCKS_PER_READ_MAX) {
    const from = Math.max(lowest, to - BLOCKS_PER_READ_MAX + 1)
    const ends = to === head.height ? { last: head.hash } : {}
    const found = (await chain.transfersIn(from, to, addresses, contracts, ends)).map(transferData)
    // A transfer that came to an address before anybody was told to pay there is no payment.
    const since = found.filter(({ to: payTo, height }) =>
      places.some(({ entry }) => entry.payTo === payTo && height > entry.heightAtIssue),
    )
    for (const transfer of since) await attributeFound(ledger, transfer, secondVoice.heard, head.height)
    if (since.length > 0 && !(await anyOpen(flow, places))) return
  }
}

const anyOpen = async (flow: UseCaseContext, places: readonly Place[]): Promise<boolean> => {
  for (const { challengeId } of places) if (await placeOf(flow, challengeId)) return true
  return false
}

/** A token that is in no catalogue is only found by its contract. */
const ownContract = (entry: ChallengeEntry): readonly string[] =>
  entry.contract !== undefined && coinOf(entry) === entry.contract ? [entry.contract] : []

/** A payment that cannot be booked must not hold up the others. */
const unlessRefused = (booking: Promise<void>): Promise<void> =>
  booking.catch((error: unknown) => {
    if (!isFinal(error)) throw error
  })

/** The chain, with a refusal `unavailable` when it does not answer, because that is no failure of ours. */
const asked = (chain: Chain): Chain => ({
  ...chain,
  hashAt: (height) => mustAnswer(chain.network, chain.hashAt(height)),
  transfersOf: (tx) => mustAnswer(chain.network, chain.transfersOf(tx)),
  transfersIn: (...range) => mustAnswer(chain.network, chain.transfersIn(...range)),
})

const same = (address: string): string => address
