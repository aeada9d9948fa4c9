import { type Asset, coinOf } from '../../kernel/assets.ts'
import type { Units } from '../../kernel/money.ts'
import { isRefusal, Refusal } from '../../kernel/refusal.ts'
import { secondsUntil } from '../../kernel/refusals/limits.ts'
import { type ChallengeEntry, challengeParts } from '../../selling/challenge-terms.ts'
import type { Wish } from '../../selling/free-amount.ts'
import { amountOf, idleSince, isFullUntil, isIdle, receiveAddressId, unpaidOf } from '../../selling/receive-address.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { UseCaseContext } from '../context.ts'

/** The address where a challenge of one coin is paid, and the amount that tells its payment from all others. */

/** The buyer who gets a place, and how long the place is theirs. */
export type Buyer = {
  setId: string
  accountId: string
  /** `endsAt`: when the challenge ends. `heldUntil`: until when nobody else is given its amount. */
  endsAt: string
  heldUntil: string
  /**
   * The caller is not known. Such callers share three quarters of the amounts, and each network that they come from has
   * a limit of its own.
   */
  anonymous: boolean
  /** A keyed hash of the network that an anonymous caller comes from, where it is told apart. */
  network?: string
}

type Place = Pick<ChallengeEntry, 'payTo' | 'amount' | 'match'>
/** The payment that is asked for; the addresses are the seller's own, the main one first. */
type Payment = Omit<Wish, 'anonymous'> & { asset: Asset; addresses: readonly string[] }

/** Addresses of a list that are tried before the main one is shared; more would cost a caller too many looks. */
const ADDRESSES_TRIED_MAX = 16
/** Hours that an address has to be free of payments to be lent before others. */
const RESTED_HOURS = 24
const FULL = 'All amounts are held by open challenges right now. Try again later.'

/**
 * Finds an address that nothing else is expected on, or else an amount on the main address that nobody else was asked
 * for. Refuses `no-free-amount` when there is none, and `rate-limited` when callers of this network hold as many unpaid
 * amounts as they may; both say after how many seconds that may have changed.
 */
export const placeFor = async (flow: UseCaseContext, buyer: Buyer, payment: Payment): Promise<Place> =>
  (await lentAddress(flow, buyer, payment)) ?? sharedAddress(flow, buyer, payment)

/**
 * An address of the list, but not the main one, that is free of any other payment: what comes to it is this buyer's,
 * whatever the amount. The one that has been free longest comes first. Callers without a name get none, because a flood
 * of them would take all.
 */
const lentAddress = async (
  { ledger, world }: UseCaseContext,
  buyer: Buyer,
  payment: Payment,
): Promise<Place | undefined> => {
  if (buyer.anonymous) return undefined
  const { setId, accountId, endsAt, heldUntil } = buyer
  const { asset, addresses, price } = payment
  const now = world.now()
  const rested = new Date(now.getTime() - RESTED_HOURS * 3_600_000).toISOString()
  const tried = await Promise.all(
    turned(addresses.slice(1), setId)
      .slice(0, ADDRESSES_TRIED_MAX)
      .map(async (payTo) => ({ payTo, state: await ledger.receiveAddress.recent(streamOf(asset, payTo)) })),
  )
  const since = (each: (typeof tried)[number]) => (idleSince(each.state) <= rested ? '' : idleSince(each.state))
  const idle = tried
    .filter(({ state }) => isIdle(state, now.toISOString()))
    .toSorted((a, b) => (since(a) < since(b) ? -1 : Number(since(a) > since(b))))
  for (const { payTo } of idle) {
    const wish = { challengeId: `${setId}.${asset.code}`, accountId, endsAt, heldUntil }
    const lent = await unlessTaken(ledger.receiveAddress.lend(streamOf(asset, payTo), wish))
    if (lent) return { payTo, amount: price, match: 'address' }
  }
  return undefined
}

const sharedAddress = async (flow: UseCaseContext, buyer: Buyer, payment: Payment): Promise<Place> => {
  const { ledger, world } = flow
  const { asset, addresses, price, step, coarse, cent } = payment
  const [payTo = ''] = addresses
  const stream = streamOf(asset, payTo)
  const wish: Wish = { price, step, anonymous: buyer.anonymous, ...(coarse && { coarse }), ...(cent && { cent }) }
  const now = world.now().toISOString()
  const fullUntil = isFullUntil(await ledger.receiveAddress.recent(stream), wish, now)
  if (fullUntil !== undefined) throw new Refusal('no-free-amount', FULL, undefined, secondsUntil(fullUntil, now))
  const challengeId = `${buyer.setId}.${asset.code}`
  const { state } = await reserved(flow, buyer, { stream, challengeId, wish })
  const amount = amountOf(state, challengeId)
  if (amount === undefined) throw new Error(`${challengeId} has no amount`)
  return { payTo, amount, match: 'amount' }
}

type Reservation = { stream: string; challengeId: string; wish: Wish }

/**
 * Reserves an amount. Looks up which amounts of the caller's network were paid only when that network holds as many as
 * it may.
 */
const reserved = async (flow: UseCaseContext, buyer: Buyer, { stream, challengeId, wish }: Reservation) => {
  const { ledger, world, unpaidPerNetwork: unpaidMax } = flow
  const { anonymous, network, accountId, endsAt, heldUntil } = buyer
  const bound = anonymous && network !== undefined && { network, unpaidMax }
  const command = { challengeId, accountId, endsAt, heldUntil, ...wish, ...bound }
  try {
    return await ledger.receiveAddress.reserve(stream, command)
  } catch (error) {
    if (isRefusal(error, 'no-free-amount')) throw new Refusal('no-free-amount', FULL, error, error.retryAfterS)
    if (!isRefusal(error, 'rate-limited')) throw error
    const held = unpaidOf(await ledger.receiveAddress.read(stream), network, world.now().toISOString())
    const paid = await settledOf(ledger, held)
    if (paid.length === 0) throw error
    return await ledger.receiveAddress.reserve(stream, { ...command, paid })
  }
}

/** The amounts among these that belong to paid sets. It looks up no more than one network may hold. */
const settledOf = async (
  { challenge }: Ledger,
  held: readonly { challengeId: string; amount: Units }[],
): Promise<readonly Units[]> => {
  const looked = await Promise.all(
    held.map(async ({ challengeId, amount }) => {
      const parts = challengeParts(challengeId)
      const set = parts && (await challenge.recent(parts.setId))
      return set && set.status !== 'none' && Object.keys(set.settled).length > 0 ? [amount] : []
    }),
  )
  return looked.flat()
}

const streamOf = (asset: Asset, to: string) =>
  receiveAddressId({ network: asset.network, coin: coinOf({ ...asset, asset: asset.code }), to })

/**
 * Turns the list so that it begins at a place which the set's id chooses: buyers who come at once then do not all ask
 * for the same address.
 */
const turned = (addresses: readonly string[], setId: string): readonly string[] => {
  let sum = 0
  for (const character of setId) sum = (sum * 31 + character.charCodeAt(0)) % 1_000_003
  const start = addresses.length > 0 ? sum % addresses.length : 0
  return [...addresses.slice(start), ...addresses.slice(0, start)]
}

const unlessTaken = async <T>(lending: Promise<T>): Promise<T | undefined> => {
  try {
    return await lending
  } catch (error) {
    if (isRefusal(error, 'no-free-amount')) return undefined
    throw error
  }
}
