import type { LedgerDoors } from '../domain/ledger.ts'
import { PLATFORM } from '../domain/platform.ts'
import type { Addresses } from '../domain/ports.ts'
import type { Chains } from './chains.ts'
import type { Config } from './config.ts'
import { BadSetting } from './setting-kinds.ts'

/** The account of the sandbox chain that credit is paid to when nothing else is set; the demo's sellers and buyers use others. */
const SANDBOX_ACCOUNT = 9

/** Writes down where sellers pay for their credit, if that has changed. Throws BadSetting on an address that is none. */
export const setPlatformWallets = async (
  { platformWallets }: Pick<Config, 'platformWallets'>,
  { sandbox }: Chains,
  addresses: Addresses,
  doors: LedgerDoors,
): Promise<void> => {
  const { ledger } = doors.open({ actor: 'settings', correlationId: 'platform-wallets' })
  const own = sandbox?.accounts[SANDBOX_ACCOUNT]?.address
  const wallets = platformWallets.size > 0 || !own ? platformWallets : new Map([['eth', own]])
  for (const [asset, list] of wallets) {
    const valid = list
      .split('+')
      .map(
        (address) => addresses.canonical(asset, address) ?? bad(`${JSON.stringify(address)} is no address of ${asset}`),
      )
    await ledger.wallet.setAddress(PLATFORM, { asset, addresses: valid })
  }
}

const bad = (reason: string): never => {
  throw new BadSetting(`PLATFORM_WALLETS: ${reason}`)
}
