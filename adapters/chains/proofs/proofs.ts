/** Checks who signed for an address, network by network. */

import type { AddressProofs, SignedAddress } from '../../../domain/account/address-proof.ts'
import { type AddressFamily, type NetworkChain, networkOf } from '../../../domain/kernel/networks.ts'
import type { Chain } from '../../../domain/kernel/ports.ts'
import { mustAnswer } from '../../../domain/use-cases/context.ts'
import { addressRulesOf } from '../bitcoin-address.ts'

type Parts = {
  /** Keyed by the network's name. */
  readonly chains: ReadonlyMap<string, Chain>
  /** The chain of each network whose address rules apply; its main one unless given. */
  readonly chosen: ReadonlyMap<string, NetworkChain>
  /** Our own host name, as a TON wallet shows it to whoever signs. */
  readonly host: string
  now(): Date
}

/**
 * A chain that does not answer is `unavailable`; libraries are loaded when the first address of their chain is proven.
 */
export const createAddressProofs = (parts: Parts): AddressProofs => ({
  async isSigned(signed) {
    const network = networkOf(signed.network)
    if (!network) return false
    const rules = parts.chosen.get(network.name) ?? network.chains[0]
    return checks[network.family](signed, parts, rules)
  },
})

type Check = (signed: SignedAddress, parts: Parts, rules: NetworkChain) => Promise<boolean>

const checks: Readonly<Record<AddressFamily, Check>> = {
  async evm(signed, { chains }) {
    const { isSignedOnEvm } = await import('./evm.ts')
    const chain = chains.get(signed.network)
    return isSignedOnEvm(signed, chain && asking(chain, chain.isSignedByContract))
  },
  async solana(signed) {
    return (await import('./solana.ts')).isSignedOnSolana(signed)
  },
  async tron(signed) {
    return (await import('./tron.ts')).isSignedOnTron(signed)
  },
  async bitcoin(signed, _, rules) {
    const network = addressRulesOf(rules)
    const { isSignedOnBitcoin } = await import('./bitcoin.ts')
    return network ? isSignedOnBitcoin(signed, network, MAGIC[signed.network] ?? '') : false
  },
  async ton(signed, { chains, host, now }) {
    const { isSignedOnTon } = await import('./ton.ts')
    const chain = chains.get(signed.network)
    return isSignedOnTon(signed, { host, now: now(), keyOf: chain && asking(chain, chain.publicKeyOf) })
  },
}

const MAGIC: Readonly<Record<string, string>> = {
  btc: 'Bitcoin Signed Message:\n',
  ltc: 'Litecoin Signed Message:\n',
}

/** A question of a chain, within the chain's own time limits. */
const asking = <A extends readonly unknown[], T>(
  chain: Chain,
  ask: ((...asked: A) => Promise<T>) | undefined,
): ((...asked: A) => Promise<T>) | undefined =>
  ask && ((...asked) => mustAnswer(chain.network, ask.apply(chain, asked as never)))
