import { addressClaimId, claimantOf } from '../account/address-claim.ts'
import type { Ledger } from '../ledger.ts'
import { networkOf } from '../networks.ts'
import { PLATFORM } from '../platform.ts'
import type { Expectation, OnAddress } from '../sell/attribution.ts'
import { isClosed, paidSoFar, seenSoFar } from '../sell/challenge-state.ts'
import { challengeParts, type TransferData, transferId } from '../sell/challenge-terms.ts'
import { leastOf, payableUntil } from '../sell/judge.ts'
import { expectedOn, formerHolderOf, holderOf, lentTo, ownersOf, receiveAddressId } from '../sell/receive-address.ts'
import { CANDIDATES_MAX } from '../sell/transfer.ts'
import { authorizationOf } from './book-transfer.ts'

/** Challenges of one address that are looked at; with more of them open, an odd amount is left to the seller. */
const EXPECTED_MAX = 50

/** The stream of the amounts of the coin and address that a transfer came to. */
export const placeOf = ({ network, asset, to }: TransferData): string => receiveAddressId({ network, coin: asset, to })

/**
 * All that decides what a transfer pays, as the ledger has it, and whose money it is when it pays nothing: of an address that several accounts contest it is
 * the operator's to settle. Undefined when nobody has claimed the address.
 */
export const addressOf = async (
  ledger: Ledger,
  transfer: TransferData,
): Promise<{ readonly on: OnAddress; readonly owner: string | undefined }> => {
  const { network, to, minedAt, amount } = transfer
  const address = await ledger.receiveAddress.read(placeOf(transfer))
  const claimed = claimantOf(await ledger.addressClaim.read(addressClaimId({ network, address: to })), minedAt)
  const whose = whoseIs(claimed, ownersOf(address))
  const signed = await authorizationOf(ledger, transfer)
  const { blockSeconds = 0, leastCarried = '1' } = networkOf(network) ?? {}
  const twoBlocksMs = 2 * blockSeconds * 1_000
  // A block says its time as its maker likes; that it came after the address was lent its height tells.
  const lent = lentTo(address, new Date(Date.parse(minedAt) + twoBlocksMs).toISOString())
  const units = BigInt(amount)
  const reserved = lent ?? holderOf(address, units, minedAt) ?? formerHolderOf(address, units, minedAt)
  const holder =
    reserved === undefined ? undefined : await expectationOf(ledger, whose, transfer, { challengeId: reserved })
  const on = {
    signedFor: signed?.challengeId,
    reservedFor: lent ? undefined : holder,
    lentTo: lent ? holder : undefined,
    unpaid: signed || holder ? [] : await unpaidOn(ledger, address, whose, transfer, twoBlocksMs),
    unmatchedAt: address.unmatchedAt,
    twoBlocksMs,
    leastCarried: BigInt(leastCarried),
    contested: whose.contested,
    exactOnly: await takesExactOnly(ledger, whose),
  }
  return { on, owner: whose.owner }
}

/** Whose money it is that comes to an address, and whose challenges it may pay. */
type Whose = { readonly owner: string | undefined; readonly accounts: readonly string[]; readonly contested: boolean }

/** Addresses from before claims are those of whoever was paid there, where that is one. */
const whoseIs = (claimed: ReturnType<typeof claimantOf>, owners: readonly string[]): Whose => {
  if (claimed && 'accountId' in claimed)
    return { owner: claimed.accountId, accounts: [claimed.accountId], contested: false }
  const accounts = claimed ? claimed.contestants : owners
  return accounts.length > 1
    ? { owner: PLATFORM, accounts, contested: true }
    : { owner: accounts[0], accounts, contested: false }
}

/** A seller may want to say of each odd payment what it pays; where two sellers are paid, nobody can know whose it is. */
const takesExactOnly = async (ledger: Ledger, { owner, contested }: Whose): Promise<boolean> =>
  contested || owner === undefined || (await ledger.settings.recent(owner)).payment.oddPayments === 'ask'

/**
 * The challenges of an address that a transfer may be meant for: asked before it was mined, give or take two blocks, and not yet paid. It is enough to know
 * that there are two.
 */
const unpaidOn = async (
  ledger: Ledger,
  address: Parameters<typeof expectedOn>[0],
  whose: Whose,
  transfer: TransferData,
  twoBlocksMs: number,
): Promise<readonly Expectation[]> => {
  const latest = Date.parse(transfer.minedAt) + twoBlocksMs
  const { challenges, isWhole } = expectedOn(address, transfer.minedAt)
  const asked = challenges.filter(({ openedAt }) => Date.parse(openedAt) <= latest)
  const found: Expectation[] = []
  for (const { challengeId, openedAt } of asked.slice(0, EXPECTED_MAX)) {
    const each = await expectationOf(ledger, whose, transfer, { challengeId, openedAt, without: transferId(transfer) })
    if (each && each.paid < each.least) found.push(each)
    if (found.length === CANDIDATES_MAX) break
  }
  // So many that nobody would look through them, or that not all are remembered, count as more than one.
  const isSure = isWhole && asked.length <= EXPECTED_MAX
  return isSure || found.length !== 1 ? found : [...found, ...found]
}

/**
 * What a challenge asks for; undefined where there is none, where it was opened after the transfer was mined, or where the address was not its seller's any
 * more by then. Paid in full where it has settled.
 */
const expectationOf = async (
  ledger: Ledger,
  { accounts }: Whose,
  { height }: TransferData,
  { challengeId, openedAt = '', without }: { challengeId: string; openedAt?: string; without?: string },
): Promise<Expectation | undefined> => {
  const parts = challengeParts(challengeId)
  const set = parts && (await ledger.challenge.read(parts.setId))
  if (!parts || !set || set.status === 'none' || !accounts.includes(set.accountId)) return undefined
  const entry = set.entries.find(({ asset }) => asset === parts.asset)
  if (!entry || height <= entry.heightAtIssue) return undefined
  const least = BigInt(leastOf(entry))
  const paid = isClosed(set, entry.asset) ? least : paidSoFar(set, entry.asset) + seenSoFar(set, entry.asset, without)
  const endsAt = payableUntil(set.expiresAt, entry.network)
  return { challengeId, openedAt, endsAt, asked: BigInt(entry.amount), least, paid }
}
