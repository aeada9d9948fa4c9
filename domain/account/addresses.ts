/** Checks an address and answers its canonical form; undefined when it is not valid there. */
export type Addresses = {
  /** Checks an address for a catalogued asset, by the asset's code. */
  canonical(asset: string, address: string): string | undefined
  /** Checks a receive address or a contract on a network, by the network's name. */
  canonicalOn(network: string, address: string): string | undefined
  /** Why nobody can be paid at an address in canonical form, for a person; undefined when somebody may (N-20). */
  unpayable(network: string, address: string): string | undefined
}
