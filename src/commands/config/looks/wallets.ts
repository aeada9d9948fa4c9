import { createAddresses } from '../../../../adapters/chains/addresses.ts'
import { validWallets } from '../../../outside/platform.ts'
import { failed, fine, type Looked, type LookParts } from './finding.ts'

const WHAT = 'credit'
const SETTING = 'PLATFORM_WALLETS'

/** Whether the addresses at which sellers pay for their credit are addresses of the configured chains. */
export const lookAtWallets = async ({ config: { platformWallets }, chains }: LookParts): Promise<Looked> => {
  if (platformWallets.size === 0)
    return { findings: [fine(WHAT, SETTING, 'none: sellers cannot buy credit, but in the sandbox')] }
  const chosen = new Map(chains.map(({ config: { network, chain } }) => [network.name, chain]))
  try {
    const wallets = validWallets(platformWallets, createAddresses(chosen))
    return { findings: [fine(WHAT, SETTING, `sellers pay in ${[...wallets.keys()].join(', ')}`)] }
  } catch (error) {
    return { findings: [failed(WHAT, SETTING, error)] }
  }
}
