/** The coins and networks Daybook knows. A new coin is one row; a new network is one row and one chain adapter. */

export type AddressFamily = 'evm' | 'bitcoin' | 'solana' | 'tron' | 'ton'

export type Network = {
  readonly name: string
  readonly family: AddressFamily
  /** The chain's own id where it has one (EIP-155); CHAIN_<NAME>_ID overrides it. */
  readonly chainId?: number
  /** Blocks, the transfer's own included, before a payment counts (N-26). */
  readonly confirmations: number
}

export type Asset = {
  /** The code callers use: `eth`, `usdc_base`. */
  readonly code: string
  readonly name: string
  readonly network: string
  /** Digits after the point of one whole coin. */
  readonly decimals: number
  /** Digits a payer is asked to type; amounts are rounded up to this and told apart in its last place. */
  readonly displayDecimals: number
  /** Contract of a token; the network's own coin has none. */
  readonly contract?: string
  /** Instead of its network's. */
  readonly confirmations?: number
}

export const networks: readonly Network[] = [
  { name: 'btc', family: 'bitcoin', confirmations: 2 },
  { name: 'eth', family: 'evm', chainId: 1, confirmations: 6 },
  { name: 'base', family: 'evm', chainId: 8453, confirmations: 6 },
  { name: 'sol', family: 'solana', confirmations: 1 },
  { name: 'trx', family: 'tron', confirmations: 20 },
  { name: 'ton', family: 'ton', confirmations: 1 },
  { name: 'bsc', family: 'evm', chainId: 56, confirmations: 15 },
  { name: 'polygon', family: 'evm', chainId: 137, confirmations: 32 },
  { name: 'arb', family: 'evm', chainId: 42161, confirmations: 40 },
  { name: 'op', family: 'evm', chainId: 10, confirmations: 12 },
  { name: 'avax', family: 'evm', chainId: 43114, confirmations: 2 },
  { name: 'gnosis', family: 'evm', chainId: 100, confirmations: 12 },
  { name: 'linea', family: 'evm', chainId: 59144, confirmations: 12 },
  { name: 'scroll', family: 'evm', chainId: 534352, confirmations: 12 },
  { name: 'celo', family: 'evm', chainId: 42220, confirmations: 12 },
  { name: 'mantle', family: 'evm', chainId: 5000, confirmations: 12 },
  { name: 'sonic', family: 'evm', chainId: 146, confirmations: 12 },
  { name: 'unichain', family: 'evm', chainId: 130, confirmations: 12 },
]

/** The types of custom token that document 1 names, each with its network (J-TOK-02). */
const namedTokenTypes: Readonly<Record<string, string>> = {
  'erc-20': 'eth',
  'base-20': 'base',
  'bep-20': 'bsc',
  'polygon-20': 'polygon',
  'arb-20': 'arb',
  'op-20': 'op',
  'avax-20': 'avax',
  'trc-20': 'trx',
  spl: 'sol',
  'ton-jetton': 'ton',
}

/** The networks that the two types which configuration names may stand for: EVM networks without a type of their own (N-32). */
export const furtherTokenNetworks: readonly string[] = networks
  .filter(({ name, family }) => family === 'evm' && !Object.values(namedTokenTypes).includes(name))
  .map(({ name }) => name)

/** Every type of custom token with its network; `further` networks have the type `<network>-20`. */
export const tokenTypesWith = (further: readonly string[]): ReadonlyMap<string, string> =>
  new Map([...Object.entries(namedTokenTypes), ...further.map((name) => [`${name}-20`, name] as const)])

export const assets: readonly Asset[] = [
  { code: 'btc', name: 'Bitcoin', network: 'btc', decimals: 8, displayDecimals: 8 },
  { code: 'eth', name: 'Ether', network: 'eth', decimals: 18, displayDecimals: 8 },
  { code: 'sol', name: 'Solana', network: 'sol', decimals: 9, displayDecimals: 6 },
  { code: 'trx', name: 'TRON', network: 'trx', decimals: 6, displayDecimals: 6 },
  {
    code: 'usdt',
    name: 'Tether USD',
    network: 'eth',
    decimals: 6,
    displayDecimals: 6,
    contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  },
  {
    code: 'usdc',
    name: 'USD Coin',
    network: 'eth',
    decimals: 6,
    displayDecimals: 6,
    contract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  },
  {
    code: 'usdc_base',
    name: 'USD Coin on Base',
    network: 'base',
    decimals: 6,
    displayDecimals: 6,
    contract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  },
]

/** Play money, a dollar each: what a test resource asks for when its seller has no wallet. Nobody can set a wallet for it. */
export const TEST_COIN: Asset = { code: 'test', name: 'Test money', network: 'test', decimals: 6, displayDecimals: 6 }

export const assetOf = (code: string): Asset | undefined => assets.find((asset) => asset.code === code)
export const networkOf = (name: string): Network | undefined => networks.find((network) => network.name === name)

/**
 * What a chain calls a coin: the code of a catalogued one, else the token's contract. Two codes for one contract are one coin, and a
 * contract that only has the symbol of another is another coin (J-TOK-08).
 */
export const coinOf = ({ asset, network, contract }: { asset: string; network: string; contract?: string }): string =>
  contract === undefined
    ? asset
    : (assets.find((known) => known.network === network && known.contract === contract)?.code ?? contract)
