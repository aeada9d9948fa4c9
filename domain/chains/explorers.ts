import { networkOf } from '../kernel/networks.ts'

/** Where people look up what is on a chain: public pages of others, which this service itself never asks. */

/** The address of the page about a transaction, and of that about an address, each without the name at its end. */
export type Explorer = { readonly tx: string; readonly address: string }

/** Undefined for a test chain, and for a chain of somebody's own: nobody shows those. `chain` is a CAIP-2 name. */
export const explorerOf = (network: string, chain: string): Explorer | undefined =>
  networkOf(network)?.chains[0].caip2 === chain ? explorers[network] : undefined

const at = (origin: string, tx = '/tx/', address = '/address/'): Explorer => ({
  tx: origin + tx,
  address: origin + address,
})

/** One row for each network. */
const explorers: Readonly<Record<string, Explorer>> = {
  btc: at('https://mempool.space'),
  ltc: at('https://litecoinspace.org'),
  eth: at('https://etherscan.io'),
  base: at('https://basescan.org'),
  sol: at('https://solscan.io', '/tx/', '/account/'),
  trx: at('https://tronscan.org', '/#/transaction/', '/#/address/'),
  ton: at('https://tonviewer.com', '/transaction/', '/'),
  bsc: at('https://bscscan.com'),
  polygon: at('https://polygonscan.com'),
  arb: at('https://arbiscan.io'),
  op: at('https://optimistic.etherscan.io'),
  avax: at('https://snowscan.xyz'),
  gnosis: at('https://gnosisscan.io'),
  linea: at('https://lineascan.build'),
  scroll: at('https://scrollscan.com'),
  celo: at('https://celoscan.io'),
  mantle: at('https://mantlescan.xyz'),
  sonic: at('https://sonicscan.org'),
  unichain: at('https://uniscan.xyz'),
}
