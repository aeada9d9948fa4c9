import { networks } from './networks.ts'

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

/** EVM networks without a token type of their own: configuration names two of them, which get a type each (N-32). */
export const furtherTokenNetworks: readonly string[] = networks
  .filter(({ name, family }) => family === 'evm' && !Object.values(namedTokenTypes).includes(name))
  .map(({ name }) => name)

/** Every type of custom token with its network; `further` networks have the type `<network>-20`. */
export const tokenTypesWith = (further: readonly string[]): ReadonlyMap<string, string> =>
  new Map([...Object.entries(namedTokenTypes), ...further.map((name) => [`${name}-20`, name] as const)])
