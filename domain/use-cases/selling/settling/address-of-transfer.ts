import { addressClaimId, claimantOf } from '../../../account/address-claim.ts'
import { networkOf } from '../../../kernel/networks.ts'
import { PLATFORM } from '../../../kernel/platform.ts'
import type { AddressFacts, Expectation } from '../../../selling/attribution.ts'
import { isClosed, paidSoFar, seenSoFar } from '../../../selling/challenge-state.ts'
import { type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import { leastOf, payableUntil } from '../../../selling/judge.ts'
import {
  expectedOn,
  formerHolderOf,
  holderOf,
  lentTo,
  ownersOf,
  receiveAddressId,
} from '../../../selling/receive-address.ts'
import { CANDIDATES_MAX } from '../../../selling/transfers/transfer-events.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { authorizationOf } from './book-transfer.ts'
import { challengeOf } from './challenge-of.ts'
import { knownOn } from './known-transfer.ts'

/** Challenges of one address that are looked at; with more of them open, an odd amount is left to the seller. */
const EXPECTED_MAX = 50

/** The stream of the amounts of the coin and address that a transfer came to. */
export const amountsOf = ({ network, asset, to }: TransferData): string =>
  receiveAddressId({ network, coin: asset, to })

/**
 * All that decides what a transfer pays, as the ledger has it, and whose money it is when it pays nothing. The money
 * that comes to an address which several accounts contest is the operator's to settle. The owner is undefined
 * when nobody has claimed the address.
 */
export const factsOf = async (
  ledger: Ledger,
  transfer: TransferData,
): Promise<{ readonly on: AddressFacts; readonly owner: string | undefined }> => {
  const { network, to, minedAt, amount } = transfer
  const address = await ledger.receiveAddress.read(amountsOf(transfer))
  const claimed = claimantOf(await ledger.addressClaim.read(addressClaimId({ network, address: to })), minedAt)
  const whose = whoseIs(claimed, ownersOf(address))
  const signed = await authorizationOf(ledger, transfer)
  const { blockSeconds = 0, leastCarried = '1' } = networkOf(network) ?? {}
  const twoBlocksMs = 2 * blockSeconds * 1_000
  // The maker of a block chooses its time. The block's height tells that it came after the address was lent.
  const lent = lentTo(address, new Date(Date.parse(minedAt) + twoBlocksMs).toISOString())
  const units = BigInt(amount)
  const reserved = lent ?? holderOf(address, units, minedAt) ?? formerHolderOf(address, units, minedAt)
  const holder = reserved === undefined ? undefined : await expectationOf(ledger, whose, transfer, reserved)
  const isTold = signed !== undefined || holder !== undefined
  const odd = isTold ? NOTHING_ODD : await expectedOf(ledger, address, whose, transfer, twoBlocksMs)
  const on = {
    signedFor: signed?.challengeId,
    reservedFor: lent ? undefined : holder,
    lentTo: lent ? holder : undefined,
    unpaid: odd.unpaid,
    isWhole: odd.isWhole,
    unmatchedAt: address.unmatchedAt,
    twoBlocksMs,
    leastCarried: BigInt(leastCarried),
    contested: whose.contested,
    exactOnly: isTold || (await takesExactOnly(ledger, whose)),
  }
  return { on, owner: whose.owner }
}

/** The challenges that an odd amount may pay. Nothing is looked up where the amount itself tells what it pays. */
type OddPayment = Pick<AddressFacts, 'unpaid' | 'isWhole'>
const NOTHING_ODD: OddPayment = { unpaid: [], isWhole: true }

/** The account that owns the money which comes to an address, and the accounts whose challenges it may pay. */
type AddressOwner = {
  readonly owner: string | undefined
  readonly accounts: readonly string[]
  readonly contested: boolean
}

/**
 * The owner of an address. An address from before there were claims belongs to the account that was paid there, where
 * that is only one.
 */
const whoseIs = (claimed: ReturnType<typeof claimantOf>, owners: readonly string[]): AddressOwner => {
  if (claimed && 'accountId' in claimed)
    return { owner: claimed.accountId, accounts: [claimed.accountId], contested: false }
  const accounts = claimed ? claimed.contestants : owners
  return accounts.length > 1
    ? { owner: PLATFORM, accounts, contested: true }
    : { owner: accounts[0], accounts, contested: false }
}

/**
 * Whether only exact amounts count. A seller may want to say what each odd payment pays; where two sellers are paid,
 * nobody can know whose payment it is.
 */
const takesExactOnly = async (ledger: Ledger, { owner, contested }: AddressOwner): Promise<boolean> =>
  contested || owner === undefined || (await ledger.settings.recent(owner)).payment.oddPayments === 'ask'

/**
 * The challenges of an address that a transfer may be meant for: asked before it was mined, give or take two blocks,
 * and not yet paid. It is enough to know that there are two. They are not the whole when there are so many that nobody
 * would look through them, or when not all are remembered.
 */
const expectedOf = async (
  ledger: Ledger,
  address: Parameters<typeof expectedOn>[0],
  whose: AddressOwner,
  transfer: TransferData,
  twoBlocksMs: number,
): Promise<OddPayment> => {
  const latest = Date.parse(transfer.minedAt) + twoBlocksMs
  const { challenges, isWhole } = expectedOn(address, transfer.minedAt)
  const asked = challenges.filter(({ openedAt }) => Date.parse(openedAt) <= latest)
  const unpaid: Expectation[] = []
  for (const { challengeId, openedAt } of asked.slice(0, EXPECTED_MAX)) {
    const each = await expectationOf(ledger, whose, transfer, challengeId, openedAt)
    if (each && each.paid < each.least) unpaid.push(each)
    if (unpaid.length === CANDIDATES_MAX) break
  }
  return { unpaid, isWhole: isWhole && asked.length <= EXPECTED_MAX }
}

/**
 * What a challenge asks for, and what came for it without this transfer. Undefined where there is none, where it was
 * opened after the transfer was mined, or where the address was not its seller's any more by then. A challenge that has
 * settled is paid in full.
 */
const expectationOf = async (
  ledger: Ledger,
  { accounts }: AddressOwner,
  transfer: TransferData,
  challengeId: string,
  openedAt = '',
): Promise<Expectation | undefined> => {
  const { set, entry } = (await challengeOf(ledger, challengeId)) ?? {}
  if (!set || !entry || !accounts.includes(set.accountId) || transfer.height <= entry.heightAtIssue) return undefined
  const { asset, amount, network } = entry
  const least = BigInt(leastOf(entry))
  const own = transferId(await knownOn(ledger, set, asset, transfer))
  const paid = isClosed(set, asset) ? least : paidSoFar(set, asset) + seenSoFar(set, asset, own)
  return { challengeId, openedAt, endsAt: payableUntil(set.expiresAt, network), asked: BigInt(amount), least, paid }
}
