/** The coins and networks Daybook knows. A new coin is one row; a new network is one row and one chain adapter. */

export type AddressFamily = 'evm' | 'bitcoin' | 'solana' | 'tron'

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
}

export const networks: readonly Network[] = [
  { name: 'btc', family: 'bitcoin', confirmations: 2 },
  { name: 'eth', family: 'evm', chainId: 1, confirmations: 6 },
  { name: 'base', family: 'evm', chainId: 8453, confirmations: 6 },
  { name: 'sol', family: 'solana', confirmations: 1 },
  { name: 'trx', family: 'tron', confirmations: 20 },
]

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

export const assetOf = (code: string): Asset | undefined => assets.find((asset) => asset.code === code)
export const networkOf = (name: string): Network | undefined => networks.find((network) => network.name === name)
