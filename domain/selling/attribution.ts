import type { TransferData } from './challenge-terms.ts'

/**
 * What a transfer pays, as a pure function of the transfer and of what is open on its address (N-24, Q-55). Who found
 * it, who posted its hash and when changes nothing. Whether the money is enough, or what was asked is paid already, is
 * judged when it is booked.
 */

/**
 * What is expected on an address: a challenge that asks for money there. Amounts are in the smallest unit of the coin.
 */
export type Expectation = {
  readonly challengeId: string
  readonly openedAt: string
  /** The challenge takes nothing that is mined later. */
  readonly endsAt: string
  readonly asked: bigint
  readonly least: bigint
  /** What came for it before, booked or waiting for confirmations. */
  readonly paid: bigint
}

/** All that can decide what a transfer to one address pays. */
export type AddressFacts = {
  /** The challenge that was signed for, when the transfer carried out an authorization. */
  readonly signedFor: string | undefined
  /** The challenge that exactly this amount is reserved for, or was reserved for last. */
  readonly reservedFor: Expectation | undefined
  /** The one challenge that the whole address is lent to. */
  readonly lentTo: Expectation | undefined
  /**
   * Unpaid challenges of the address, with those that ended in the last day. A long list may stop early, because two
   * are enough to know that none is the only one.
   */
  readonly unpaid: readonly Expectation[]
  /** Whether no challenge was forgotten or passed over; otherwise nothing is guessed. */
  readonly isWhole: boolean
  /**
   * Time of the newest payment that matched no challenge; nothing is guessed for one that it may have been meant for.
   */
  readonly unmatchedAt: string | undefined
  /** The time that two blocks of the network take, in milliseconds. */
  readonly twoBlocksMs: number
  /** The least that a transfer on this network carries; less is dust. */
  readonly leastCarried: bigint
  /**
   * Whether odd amounts are never taken for the only unpaid challenge: because the seller wants to say of each what it
   * pays, or because nobody knows whose address it is.
   */
  readonly exactOnly: boolean
  /**
   * Whether several accounts have the address: then even a challenge that it is lent to takes exactly what was asked.
   */
  readonly contested: boolean
}

export type Attribution =
  | { readonly is: 'pays' | 'adds' | 'late'; readonly challengeId: string }
  /**
   * It pays no challenge. `candidates` are those that it may have been meant for; `dust` means too little to matter.
   */
  | { readonly is: 'nobodys'; readonly candidates: readonly string[]; readonly dust: boolean }

/** A payment below a hundredth of the price is nobody's (N-24). */
const DUST_PART = 100n
/**
 * The most that the only open challenge takes, in percent of its price: a payer may well have sent such a surplus by
 * mistake.
 */
const SURPLUS_MAX_PERCENT = 105n

export const attribute = (transfer: Pick<TransferData, 'amount' | 'minedAt'>, on: AddressFacts): Attribution => {
  const { signedFor, reservedFor, lentTo } = on
  if (signedFor !== undefined) return { is: 'pays', challengeId: signedFor }
  const amount = BigInt(transfer.amount)
  if (reservedFor) return inTime(reservedFor, transfer.minedAt, amount)
  if (lentTo) {
    if (isDust(lentTo, amount, on)) return nobodys([lentTo], true)
    return on.contested && amount !== lentTo.asked ? nobodys([lentTo], false) : inTime(lentTo, transfer.minedAt, amount)
  }
  const { unpaid } = on
  if (unpaid.length > 0 && unpaid.every((each) => isDust(each, amount, on))) return nobodys(unpaid, true)
  const [only, ...others] = unpaid
  if (!only || others.length > 0 || !on.isWhole || !mayBeGuessed(only, transfer.minedAt, amount, on))
    return nobodys(unpaid, false)
  return inTime(only, transfer.minedAt, amount)
}

const nobodys = (unpaid: readonly Expectation[], dust: boolean): Attribution => ({
  is: 'nobodys',
  candidates: unpaid.map(({ challengeId }) => challengeId),
  dust,
})

const inTime = ({ challengeId, endsAt, paid, least }: Expectation, minedAt: string, amount: bigint): Attribution => {
  if (minedAt > endsAt) return { is: 'late', challengeId }
  return { is: paid + amount >= least ? 'pays' : 'adds', challengeId }
}

const isDust = ({ asked }: Expectation, amount: bigint, { leastCarried }: AddressFacts): boolean =>
  amount * DUST_PART < asked || amount < leastCarried

/** Whether an amount that nobody was asked for is taken for the one challenge that is unpaid on its address. */
const mayBeGuessed = (
  { openedAt, asked, paid }: Expectation,
  minedAt: string,
  amount: bigint,
  { unmatchedAt, twoBlocksMs, exactOnly }: AddressFacts,
): boolean =>
  !exactOnly &&
  Date.parse(openedAt) + twoBlocksMs <= Date.parse(minedAt) &&
  (unmatchedAt === undefined || unmatchedAt < openedAt) &&
  (paid + amount) * 100n <= asked * SURPLUS_MAX_PERCENT
