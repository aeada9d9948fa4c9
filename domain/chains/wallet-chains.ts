import { networkOf } from '../kernel/networks.ts'
import { explorerOf } from './explorers.ts'

/**
 * What a wallet has to know of a chain to add it, as EIP-3085 writes it: public nodes and names of others. The nodes
 * that this service asks are not told, because their addresses may hold a key.
 */
export type WalletChain = {
  readonly chainId: string
  readonly chainName: string
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number }
  readonly rpcUrls: readonly string[]
  readonly blockExplorerUrls: readonly string[]
}

/** Undefined for a test chain, and for a chain of somebody's own: no wallet is told to add those. */
export const walletChainOf = (network: string, chain: string): WalletChain | undefined => {
  const explorer = explorerOf(network, chain)
  const known = nodes[network]
  const [, id] = /^eip155:(\d+)$/.exec(chain) ?? []
  if (!explorer || !known || id === undefined) return undefined
  const { rpc, coin } = known
  const [name, symbol] = coin
  return {
    chainId: `0x${BigInt(id).toString(16)}`,
    chainName: networkOf(network)?.title ?? network,
    nativeCurrency: { name, symbol, decimals: NATIVE_DECIMALS },
    rpcUrls: [rpc],
    blockExplorerUrls: [new URL(explorer.tx).origin],
  }
}

/** Every chain of the EVM counts its own coin so, as far as wallets are concerned. */
const NATIVE_DECIMALS = 18

const ETHER = ['Ether', 'ETH'] as const

/** One row for each network of the EVM. */
const nodes: Readonly<Record<string, { rpc: string; coin: readonly [name: string, symbol: string] }>> = {
  eth: { rpc: 'https://ethereum.reth.rs/rpc', coin: ETHER },
  base: { rpc: 'https://mainnet.base.org', coin: ETHER },
  bsc: { rpc: 'https://bsc-dataseed.bnbchain.org', coin: ['BNB', 'BNB'] },
  polygon: { rpc: 'https://polygon.drpc.org', coin: ['POL', 'POL'] },
  arb: { rpc: 'https://arb1.arbitrum.io/rpc', coin: ETHER },
  op: { rpc: 'https://mainnet.optimism.io', coin: ETHER },
  avax: { rpc: 'https://api.avax.network/ext/bc/C/rpc', coin: ['Avalanche', 'AVAX'] },
  gnosis: { rpc: 'https://rpc.gnosischain.com', coin: ['xDAI', 'XDAI'] },
  linea: { rpc: 'https://rpc.linea.build', coin: ETHER },
  scroll: { rpc: 'https://rpc.scroll.io', coin: ETHER },
  celo: { rpc: 'https://forno.celo.org', coin: ['CELO', 'CELO'] },
  mantle: { rpc: 'https://rpc.mantle.xyz', coin: ['Mantle', 'MNT'] },
  sonic: { rpc: 'https://rpc.soniclabs.com', coin: ['Sonic', 'S'] },
  unichain: { rpc: 'https://mainnet.unichain.org', coin: ETHER },
}
