/** The networks Daybook knows. A new network of a family that has an adapter is one row. */

export type AddressFamily = 'evm' | 'bitcoin' | 'solana' | 'tron' | 'ton'

/** A chain that goes by a network's name: the main one, or one that is for trying things out. */
export type NetworkChain = {
  /** The value of CHAIN_<NAME>_ID that chooses this chain. */
  readonly id: string
  /** CAIP-2, e.g. `eip155:8453`. */
  readonly caip2: string
  /** True for a test chain, whose coins are worth nothing. */
  readonly test: boolean
}

export type Network = {
  readonly name: string
  /** The network's name as people write it. */
  readonly title: string
  readonly family: AddressFamily
  /** The chains that go by this name, the main one first. */
  readonly chains: readonly [NetworkChain, ...NetworkChain[]]
  /** Blocks, the transfer's own included, before a payment counts (N-26). */
  readonly confirmations: number
  /**
   * True where one sequencer alone builds the blocks: what it has put into one is reorganised away only with the layer
   * below.
   */
  readonly oneSequencer?: true
  /**
   * Blocks, the transfer's own included, after which the network takes no block back any more; `finalBlocks` works it
   * out where this is absent.
   */
  readonly final?: number
  /** Seconds between two blocks; a tip much older than that is stale. */
  readonly blockSeconds: number
  /**
   * The least that a transfer of the coin carries, in its smallest unit; nodes pass on no less (dust). 1 when absent.
   */
  readonly leastCarried?: string
}

const on =
  (namespace: string) =>
  (main: readonly [id: string, reference: string], ...tests: readonly (readonly [id: string, reference: string])[]) =>
    [main, ...tests].map(([id, reference], n) => ({
      id,
      caip2: `${namespace}:${reference}`,
      test: n > 0,
    })) as unknown as Network['chains']

/** CAIP-2 `eip155`: the id is the chain's own. */
const evm = (main: number, ...tests: readonly number[]) =>
  on('eip155')(...([main, ...tests].map((id) => [String(id), String(id)] as const) as [readonly [string, string]]))

/** BIP-122: the first 32 digits of the hash of the first block. */
const bip122 = on('bip122')

export const networks: readonly Network[] = [
  {
    name: 'btc',
    title: 'Bitcoin',
    family: 'bitcoin',
    confirmations: 2,
    final: 12,
    blockSeconds: 600,
    leastCarried: '546',
    chains: bip122(
      ['mainnet', '000000000019d6689c085ae165831e93'],
      ['testnet', '000000000933ea01ad0ee984209779ba'],
      ['testnet4', '00000000da84f2bafbbc53dee25a72ae'],
      ['signet', '00000008819873e925422c1ff0f99f7c'],
      ['regtest', '0f9188f13cb7b2c71f2a335e3a4fc328'],
    ),
  },
  {
    name: 'ltc',
    title: 'Litecoin',
    family: 'bitcoin',
    confirmations: 6,
    final: 24,
    blockSeconds: 150,
    leastCarried: '5460',
    chains: bip122(
      ['mainnet', '12a765e31ffd4059bada1e25190f6e98'],
      ['testnet', '4966625a4b2851d9fdee139e56211a0d'],
      ['regtest', '530827f38f93b43ed12af0b3ad25a288'],
    ),
  },
  {
    name: 'eth',
    title: 'Ethereum',
    family: 'evm',
    confirmations: 6,
    blockSeconds: 12,
    chains: evm(1, 11155111),
  },
  {
    name: 'base',
    title: 'Base',
    family: 'evm',
    confirmations: 6,
    oneSequencer: true,
    final: 600,
    blockSeconds: 2,
    chains: evm(8453, 84532),
  },
  {
    name: 'sol',
    title: 'Solana',
    family: 'solana',
    confirmations: 32,
    final: 64,
    blockSeconds: 0.4,
    chains: on('solana')(
      ['mainnet', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
      ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
      ['testnet', '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z'],
      ['localnet', 'localnet'],
    ),
  },
  {
    name: 'trx',
    title: 'TRON',
    family: 'tron',
    confirmations: 20,
    final: 40,
    blockSeconds: 3,
    chains: on('tron')(['mainnet', '0x2b6653dc'], ['shasta', '0x94a9059e'], ['nile', '0xcd8690dc']),
  },
  {
    name: 'ton',
    title: 'TON',
    family: 'ton',
    confirmations: 1,
    final: 2,
    blockSeconds: 5,
    chains: on('tvm')(['mainnet', '-239'], ['testnet', '-3']),
  },
  {
    name: 'bsc',
    title: 'BNB Smart Chain',
    family: 'evm',
    confirmations: 15,
    blockSeconds: 0.75,
    chains: evm(56, 97),
  },
  {
    name: 'polygon',
    title: 'Polygon',
    family: 'evm',
    confirmations: 32,
    final: 256,
    blockSeconds: 2,
    chains: evm(137, 80002),
  },
  {
    name: 'arb',
    title: 'Arbitrum One',
    family: 'evm',
    confirmations: 40,
    oneSequencer: true,
    final: 4800,
    blockSeconds: 0.25,
    chains: evm(42161, 421614),
  },
  {
    name: 'op',
    title: 'OP Mainnet',
    family: 'evm',
    confirmations: 12,
    oneSequencer: true,
    final: 600,
    blockSeconds: 2,
    chains: evm(10, 11155420),
  },
  {
    name: 'avax',
    title: 'Avalanche C-Chain',
    family: 'evm',
    confirmations: 2,
    blockSeconds: 1.7,
    chains: evm(43114, 43113),
  },
  {
    name: 'gnosis',
    title: 'Gnosis',
    family: 'evm',
    confirmations: 12,
    blockSeconds: 5,
    chains: evm(100, 10200),
  },
  {
    name: 'linea',
    title: 'Linea',
    family: 'evm',
    confirmations: 12,
    oneSequencer: true,
    final: 600,
    blockSeconds: 2,
    chains: evm(59144, 59141),
  },
  {
    name: 'scroll',
    title: 'Scroll',
    family: 'evm',
    confirmations: 12,
    oneSequencer: true,
    final: 400,
    blockSeconds: 3,
    chains: evm(534352, 534351),
  },
  { name: 'celo', title: 'Celo', family: 'evm', confirmations: 12, blockSeconds: 1, chains: evm(42220) },
  {
    name: 'mantle',
    title: 'Mantle',
    family: 'evm',
    confirmations: 12,
    oneSequencer: true,
    final: 600,
    blockSeconds: 2,
    chains: evm(5000, 5003),
  },
  { name: 'sonic', title: 'Sonic', family: 'evm', confirmations: 12, blockSeconds: 1, chains: evm(146) },
  {
    name: 'unichain',
    title: 'Unichain',
    family: 'evm',
    confirmations: 12,
    oneSequencer: true,
    final: 1200,
    blockSeconds: 1,
    chains: evm(130, 1301),
  },
]

/** The least number of newest blocks that a network may still replace. Ethereum's blocks are final after two epochs. */
const FINAL_BLOCKS_MIN = 64

/**
 * Blocks, the transfer's own included, after which a settled payment is looked at for the last time: deeper ones are
 * not taken back (N-24).
 */
export const finalBlocks = ({ final, confirmations }: Pick<Network, 'final' | 'confirmations'>): number =>
  final ?? Math.max(FINAL_BLOCKS_MIN, 2 * confirmations)

export const networkOf = (name: string): Network | undefined => networks.find((network) => network.name === name)

/**
 * The chain of a network that an id chooses, the main one unless given; an id may also be the part of its CAIP-2 name
 * behind the colon. An EVM network takes any chain id, for chains that somebody runs to try things out. Undefined when
 * there is none.
 */
export const chainOf = ({ family, chains }: Network, id: string = chains[0].id): NetworkChain | undefined => {
  const known = chains.find((chain) => chain.id === id || chain.caip2.endsWith(`:${id}`))
  if (known || family !== 'evm' || !/^[1-9]\d{0,15}$/.test(id)) return known
  return { id, caip2: `eip155:${id}`, test: true }
}

/** What a transaction hash looks like, by the family of its chain: hex, base58 (Solana), or base64 as well (TON). */
const HASHES: Readonly<Record<AddressFamily, RegExp>> = {
  evm: /^0x[0-9a-f]{64}$/i,
  bitcoin: /^[0-9a-f]{64}$/i,
  solana: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/,
  tron: /^(?:0x)?[0-9a-f]{64}$/i,
  ton: /^(?:(?:0x)?[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i,
}

/** Whether a text can be the hash of a transaction on a network at all. */
export const looksLikeHash = (network: string, hash: string): boolean =>
  HASHES[networkOf(network)?.family ?? 'evm'].test(hash)
