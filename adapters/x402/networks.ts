/** Names of networks on the x402 wire: version 1 has a closed list of names, version 2 writes CAIP-2 ids. */

/** The protocol's two versions; each payment says its own. */
export type Version = 1 | 2

/**
 * The network of an entry that no x402 client may sign (docs/decisions/gasless.md): strict clients of version 1 refuse
 * a whole 402 for one network that they do not know, so it is one that they know and on which nobody here is paid.
 */
export const SENTINEL_NETWORK = 'skale-base-sepolia'

/** Every EVM network that version 1 can name (`x402` 1.2.0). Arbitrum, Optimism and Ethereum have no name there. */
const v1Chains: readonly (readonly [name: string, chainId: number])[] = [
  ['base', 8453],
  ['base-sepolia', 84532],
  ['polygon', 137],
  ['polygon-amoy', 80002],
  ['avalanche', 43114],
  ['avalanche-fuji', 43113],
  ['abstract', 2741],
  ['abstract-testnet', 11124],
  ['sei', 1329],
  ['sei-testnet', 1328],
  ['iotex', 4689],
  ['peaq', 3338],
  ['story', 1514],
  ['educhain', 41923],
  [SENTINEL_NETWORK, 324705682],
]

const caip2ByName = new Map(v1Chains.map(([name, chainId]) => [name, `eip155:${chainId}`]))
const nameByCaip2 = new Map(v1Chains.map(([name, chainId]) => [`eip155:${chainId}`, name]))

/** The name of a chain in version 1; undefined when it has none, and can then be offered in version 2 alone. */
export const v1NameOf = (caip2: string): string | undefined => nameByCaip2.get(caip2)

/**
 * The CAIP-2 id of an EVM network as a version names it; undefined for what is no EVM network, or none that version 1
 * knows.
 */
export const caip2Of = (version: Version, network: string): string | undefined => {
  if (version === 1) return caip2ByName.get(network)
  return chainIdOf(network) === undefined ? undefined : network
}

/** The number of an EVM chain: 8453 of `eip155:8453`. */
export const chainIdOf = (caip2: string): number | undefined => {
  const digits = /^eip155:([1-9]\d{0,14})$/.exec(caip2)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
