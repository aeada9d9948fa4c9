import { type Asset, assetOf } from '../../domain/kernel/assets.ts'
import { addresses } from './addresses.ts'

/** A chain's own coin, or the token of a contract in canonical form. */
export type ChainCoin = { readonly contract: string | undefined }

/**
 * The coin that a name, as in `Transfer.asset`, stands for on a chain; undefined when the chain does not have it.
 * `there` holds the assets of the catalogue on that chain.
 */
export const coinNamed = (network: string, there: readonly Asset[], name: string): ChainCoin | undefined => {
  const known = there.find(({ code }) => code === name)
  if (known) return { contract: known.contract }
  const contract = assetOf(name) ? undefined : addresses.canonicalOn(network, name)
  return contract === undefined ? undefined : { contract }
}
