import { nearestName } from './nearest.ts'
import { networks } from './networks.ts'

/** The coins Daybook knows. A new coin is one row. */

export type Asset = {
  /** The code callers use: `eth`, `usdc_base`. */
  readonly code: string
  readonly name: string
  readonly network: string
  /** Digits after the point of one whole coin. */
  readonly decimals: number
  /** Digits a payer is asked to type; amounts are rounded up to this and told apart in its last place. */
  readonly displayDecimals: number
  /**
   * Contract of a token, on the network's main chain and on chains that somebody runs himself; the network's own coin
   * has none.
   */
  readonly contract?: string
  /**
   * The token's contracts on the network's test chains, keyed by CAIP-2 id; a test chain that is not here has no such
   * token.
   */
  readonly testContracts?: Readonly<Record<string, string>>
  /** Confirmations that the coin needs, instead of its network's number. */
  readonly confirmations?: number
}

const coin = (code: string, name: string, network: string, decimals: number, displayDecimals: number): Asset => ({
  code,
  name,
  network,
  decimals,
  displayDecimals,
})

/** A dollar token of six digits; `testContracts` is keyed by CAIP-2 id. */
const dollar = (
  code: string,
  name: string,
  network: string,
  contract: string,
  testContracts: Readonly<Record<string, string>> = {},
): Asset => ({ ...coin(code, name, network, 6, 6), contract, testContracts })

export const assets: readonly Asset[] = [
  coin('btc', 'Bitcoin', 'btc', 8, 8),
  coin('ltc', 'Litecoin', 'ltc', 8, 8),
  coin('eth', 'Ether', 'eth', 18, 8),
  coin('eth_base', 'Ether on Base', 'base', 18, 8),
  coin('eth_arb', 'Ether on Arbitrum', 'arb', 18, 8),
  coin('eth_op', 'Ether on Optimism', 'op', 18, 8),
  coin('bnb', 'BNB', 'bsc', 18, 8),
  coin('pol', 'POL', 'polygon', 18, 8),
  coin('avax', 'AVAX', 'avax', 18, 8),
  coin('sol', 'Solana', 'sol', 9, 6),
  coin('trx', 'TRON', 'trx', 6, 6),
  coin('ton', 'Toncoin', 'ton', 9, 6),
  dollar('usdt', 'Tether USD', 'eth', '0xdAC17F958D2ee523a2206206994597C13D831ec7'),
  dollar('usdc', 'USD Coin', 'eth', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', {
    'eip155:11155111': '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
  }),
  dollar('usdc_base', 'USD Coin on Base', 'base', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', {
    'eip155:84532': '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  }),
  dollar('usdc_polygon', 'USD Coin on Polygon', 'polygon', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', {
    'eip155:80002': '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
  }),
  dollar('usdc_arb', 'USD Coin on Arbitrum', 'arb', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', {
    'eip155:421614': '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
  }),
  dollar('usdc_op', 'USD Coin on Optimism', 'op', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', {
    'eip155:11155420': '0x5fd84259d66Cd46123540766Be93DFE6D43130D7',
  }),
  dollar('usdc_avax', 'USD Coin on Avalanche', 'avax', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', {
    'eip155:43113': '0x5425890298aed601595a70AB815c96711a31Bc65',
  }),
  dollar('usdc_sol', 'USD Coin on Solana', 'sol', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', {
    'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
    'solana:localnet': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  }),
  dollar('usdt_trx', 'Tether USD on TRON', 'trx', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', {
    'tron:0xcd8690dc': 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
  }),
  dollar('usdt_ton', 'Tether USD on TON', 'ton', 'UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p'),
]

/**
 * Play money, a dollar each: what a test resource asks for when its seller has no wallet. Nobody can set a
 * wallet for it.
 */
export const TEST_COIN: Asset = { code: 'test', name: 'Test money', network: 'test', decimals: 6, displayDecimals: 6 }

export const assetOf = (code: string): Asset | undefined => assets.find((asset) => asset.code === code)

/** What to tell somebody who has named no asset that there is. */
export const unknownAssetText = (code: string): string => {
  const codes = assets.map((asset) => asset.code)
  const meant = nearestName(code, codes)
  const named = `There is no asset ${JSON.stringify(code)}: take another code.`
  return meant === undefined ? `${named} Known codes: ${codes.join(', ')}.` : `${named} Did you mean ${meant}?`
}

/**
 * The assets of a network as they are on one of its chains: with the contracts of that chain, without what it does not
 * have.
 */
export const assetsOn = (network: string, caip2: string, catalogue: readonly Asset[] = assets): readonly Asset[] =>
  catalogue.flatMap((asset) => (asset.network === network ? (assetOn(asset, caip2) ?? []) : []))

/** An asset as it is on one chain of its network; undefined when the chain has no such token. */
export const assetOn = (asset: Asset, caip2: string): Asset | undefined => {
  const { contract, testContracts, ...coin } = asset
  if (contract === undefined) return asset
  const there = testContracts?.[caip2] ?? (isKnownTest(asset.network, caip2) ? undefined : contract)
  return there === undefined ? undefined : { ...coin, contract: there }
}

const isKnownTest = (network: string, caip2: string): boolean =>
  networks.some(({ name, chains }) => name === network && chains.some((chain) => chain.caip2 === caip2 && chain.test))

/**
 * What a chain calls a coin: the code of a catalogued one, else the token's contract. Two codes for one contract are
 * one coin, and a contract that only has the symbol of another is another coin (J-TOK-08).
 */
export const coinOf = ({ asset, network, contract }: { asset: string; network: string; contract?: string }): string =>
  contract === undefined ? asset : (assets.find((known) => isAt(known, network, contract))?.code ?? contract)

const isAt = ({ network, contract, testContracts = {} }: Asset, wanted: string, at: string): boolean =>
  network === wanted && (contract === at || Object.values(testContracts).includes(at))
