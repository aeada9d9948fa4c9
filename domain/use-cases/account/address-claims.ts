import {
  ABANDONED_MS,
  type AddressClaim,
  addressClaimId,
  isContested,
  isHeldBy,
  type SeenClaim,
} from '../../account/address-claim.ts'
import { codesAt, networkOfWallet, type Wallet } from '../../account/wallet.ts'
import { refuse } from '../../kernel/refusal.ts'
import { isIdle, receiveAddressId } from '../../selling/receive-address.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { UseCaseContext } from '../context.ts'

/**
 * How an account comes by its receive addresses: each is claimed before it is set, and offered only while it is held.
 */

type ClaimContext = Pick<UseCaseContext, 'ledger' | 'world'>

/**
 * The account that claims an address, and the coin that it claims it for: `asset` is the coin's code, `coin` what its
 * chain calls it.
 */
export type AddressClaimant = {
  readonly accountId: string
  readonly network: string
  readonly asset: string
  readonly coin: string
}

/** An address whose key has signed a proof text, and when that text was written (ISO 8601). */
export type ProvenAddress = { readonly address: string; readonly provedAt: string }

/**
 * Makes addresses an account's own. Refuses `address-taken` when one is another's, and then none is claimed;
 * `proof-invalid` when what was proven is out of date. A request that dies in between leaves claims without a wallet,
 * which anybody may take over a minute later.
 */
export const claimAddresses = async (
  flow: ClaimContext,
  claimant: AddressClaimant,
  addresses: readonly string[],
  proven?: ProvenAddress,
): Promise<void> => {
  const { ledger } = flow
  const { accountId, network, coin } = claimant
  const free = addresses.filter((address) => address !== proven?.address)
  // All are looked at first, so that nothing is written when one of them is taken.
  const plans = (await Promise.all(free.map((address) => planFor(flow, claimant, address)))).filter(isClaim)
  const claims = await Promise.allSettled(
    plans.map(async ({ address, vacant }) => {
      const id = addressClaimId({ network, address })
      const { state, events } = await ledger.addressClaim.claim(id, { accountId, coin, ...(vacant && { vacant }) })
      const isNew = events.some(({ type }) => type === 'AddressClaimed')
      return { id, renewedAt: isNew ? (state.holder?.renewedAt ?? '') : '' }
    }),
  )
  try {
    const lost = claims.find((claim) => claim.status === 'rejected')
    if (lost) throw lost.reason
    if (proven) {
      const proof = { accountId, coin, provedAt: proven.provedAt }
      await ledger.addressClaim.prove(addressClaimId({ network, address: proven.address }), proof)
    }
  } catch (error) {
    for (const claim of claims)
      if (claim.status === 'fulfilled' && claim.value.renewedAt !== '')
        await ledger.addressClaim.release(claim.value.id, { accountId, renewedAt: claim.value.renewedAt })
    throw error
  }
}

/**
 * Keeps the offered coins for which the account holds an address, each with only the addresses that it holds, as far as
 * this process knows: see `recent`.
 */
export const onOwnAddresses = async <
  O extends { readonly chain: { readonly network: string }; readonly addresses: readonly string[] },
>(
  ledger: Ledger,
  accountId: string,
  offers: readonly O[],
): Promise<readonly O[]> => {
  const own = await Promise.all(
    offers.map(async (offer) => {
      const { network } = offer.chain
      const held = await Promise.all(
        offer.addresses.map(async (address) =>
          isHeldBy(await ledger.addressClaim.recent(addressClaimId({ network, address })), accountId),
        ),
      )
      return held.every(Boolean) ? offer : { ...offer, addresses: offer.addresses.filter((_, n) => held[n]) }
    }),
  )
  return own.filter(({ addresses }) => addresses.length > 0)
}

/**
 * The claim ids of the addresses in an account's wallets that it does not hold, as far as this process knows; as a rule
 * there are none.
 */
export const addressesNotHeld = async (
  ledger: Ledger,
  accountId: string,
  wallets: Wallets,
): Promise<readonly string[]> => {
  const ids = claimIdsOf(wallets)
  const claims = await Promise.all(ids.map((id) => ledger.addressClaim.recent(id)))
  return ids.filter((_, n) => claims[n]?.holder?.accountId !== accountId)
}

type Wallets = Readonly<Record<string, Wallet>>

/**
 * The claim ids of each account's wallets, kept while the wallets stay the same, because every request at a door needs
 * them.
 */
const claimIds = new WeakMap<Wallets, readonly string[]>()

const claimIdsOf = (wallets: Wallets): readonly string[] => {
  const known = claimIds.get(wallets)
  if (known) return known
  const ids = new Set<string>()
  for (const [code, wallet] of Object.entries(wallets)) {
    const network = networkOfWallet(code, wallet)
    if (network !== undefined) for (const address of wallet.addresses) ids.add(addressClaimId({ network, address }))
  }
  const all = [...ids]
  claimIds.set(wallets, all)
  return all
}

type Plan = { readonly address: string; readonly vacant?: SeenClaim | undefined }

const isClaim = (plan: Plan | 'kept'): plan is Plan => plan !== 'kept'

/**
 * What has to be written before the account has an address for a coin; `kept` when nothing has to be. Refuses
 * `address-taken`.
 */
const planFor = async (flow: ClaimContext, claimant: AddressClaimant, address: string): Promise<Plan | 'kept'> => {
  const { accountId, network, asset, coin } = claimant
  const { ledger } = flow
  const [claim, wallets] = await Promise.all([
    ledger.addressClaim.read(addressClaimId({ network, address })),
    ledger.wallet.read(accountId),
  ])
  const isSet = codesAt(wallets, { network, address }).includes(asset)
  if (isContested(claim) && isSet && claim.contestants.includes(accountId)) return 'kept'
  if (isHeldBy(claim, accountId)) return isSet && claim.holder?.coins.includes(coin) ? 'kept' : { address }
  const vacant = await vacancy(flow, { network, address }, claim)
  if ((claim.holder && !vacant) || isContested(claim))
    return refuse(
      'address-taken',
      `The address ${address} belongs to another account. If it is yours, prove control: GET /v1/wallets?proof=1.`,
    )
  return { address, vacant }
}

/**
 * The claim, when it may be given back: its holder has no wallet with the address, and nothing is expected on it any
 * more.
 */
const vacancy = async (
  { ledger, world }: ClaimContext,
  place: { network: string; address: string },
  { holder }: AddressClaim,
): Promise<SeenClaim | undefined> => {
  const now = world.now()
  // An address that the operator gave to an account stays that account's until the account has set it.
  if (!holder || holder.coins.length === 0) return undefined
  if (now.getTime() - Date.parse(holder.renewedAt) < ABANDONED_MS) return undefined
  if (codesAt(await ledger.wallet.read(holder.accountId), place).length > 0) return undefined
  const expected = await Promise.all(
    holder.coins.map(async (coin) => {
      const id = receiveAddressId({ network: place.network, coin, to: place.address })
      return !isIdle(await ledger.receiveAddress.read(id), now.toISOString())
    }),
  )
  return expected.some(Boolean) ? undefined : { accountId: holder.accountId, renewedAt: holder.renewedAt }
}
