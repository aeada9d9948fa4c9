import { addressClaimId } from '../../domain/account/address-claim.ts'
import type { Addresses } from '../../domain/account/addresses.ts'
import { chainCoinOf, networkOfWallet } from '../../domain/account/wallet.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { PLATFORM } from '../../domain/kernel/platform.ts'
import type { Ledger, LedgerDoors } from '../../domain/write-side/ledger.ts'
import type { Config } from '../settings/config.ts'
import { BadSetting } from '../settings/setting-kinds.ts'
import type { Chains } from './chains.ts'

/**
 * The account of the sandbox chain that credit is paid to when nothing else is set; the demo's sellers and buyers use
 * others.
 */
const SANDBOX_ACCOUNT = 9

/**
 * Writes down where sellers pay for their credit, if that has changed, and claims it all for the platform: an account
 * that has one of these addresses loses it. Throws BadSetting on an address that is none, or that nobody can be paid
 * at.
 */
export const setPlatformWallets = async (
  { platformWallets }: Pick<Config, 'platformWallets'>,
  { sandbox }: Chains,
  addresses: Addresses,
  doors: LedgerDoors,
): Promise<void> => {
  const { ledger } = doors.open({ actor: 'settings', correlationId: 'platform-wallets' })
  const own = sandbox?.accounts[SANDBOX_ACCOUNT]?.address
  const wallets = platformWallets.size > 0 || !own ? platformWallets : new Map([['eth', own]])
  for (const [asset, valid] of validWallets(wallets, addresses)) {
    for (const address of valid) await take(ledger, asset, undefined, address)
    await ledger.wallet.setAddress(PLATFORM, { asset, addresses: valid })
  }
  // For coins that the settings do not name any more, the platform is still paid at the addresses that they named last.
  for (const [asset, { coin, addresses: kept }] of Object.entries(await ledger.wallet.read(PLATFORM)))
    for (const address of kept) await take(ledger, asset, coin, address)
}

/** The addresses of each asset, in the form in which they are kept. Throws BadSetting as `setPlatformWallets` does. */
export const validWallets = (
  wallets: ReadonlyMap<string, string>,
  addresses: Addresses,
): ReadonlyMap<string, readonly string[]> =>
  new Map([...wallets].map(([asset, list]) => [asset, list.split('+').map((one) => payableAt(addresses, asset, one))]))

const payableAt = (addresses: Addresses, asset: string, typed: string): string => {
  const address = addresses.canonical(asset, typed) ?? bad(`${JSON.stringify(typed)} is no address of ${asset}`)
  const why = addresses.unpayable(assetOf(asset)?.network ?? '', address)
  return why === undefined ? address : bad(`${address} is ${why}`)
}

const take = async (ledger: Ledger, asset: string, coin: string | undefined, address: string): Promise<void> => {
  const network = networkOfWallet(asset, { coin })
  if (network === undefined) return
  const claim = { accountId: PLATFORM, coin: chainCoinOf(asset, { coin }) }
  await ledger.addressClaim.take(addressClaimId({ network, address }), claim)
}

const bad = (reason: string): never => {
  throw new BadSetting(`PLATFORM_WALLETS: ${reason}`)
}
