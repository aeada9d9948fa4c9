import { toDecimal } from '../../../../domain/kernel/money.ts'
import type { AddressFamily } from '../../../../domain/kernel/networks.ts'

/**
 * What a wallet app is handed: the address, the network, the coin and the exact amount, so that nobody types any of
 * them.
 */

export type WalletWish = {
  readonly family: AddressFamily
  /** The network's name, e.g. `ltc`: a family may have wallets of several kinds. */
  readonly network?: string | undefined
  readonly payTo: string
  /** The amount in the coin's smallest unit. */
  readonly units: bigint
  readonly decimals: number
  /** The chain's id of EIP-155; undefined where the chain has none. */
  readonly chainId?: number | undefined
  /** Contract or mint of a token; the network's own coin has none. */
  readonly contract?: string | undefined
  /** Who is paid and for what, where a wallet can show it. */
  readonly label?: string | undefined
  readonly message?: string | undefined
}

/**
 * The link of BIP-21 (or its like for Litecoin), EIP-681, Solana Pay, `tron:` or `ton:`; undefined for a token for
 * which the network's wallets know no link.
 */
export const walletLink = (wish: WalletWish): string | undefined => links[wish.family](wish)

/** One entry for each family: a new family does not compile without its own. */
const links: Readonly<Record<AddressFamily, (wish: WalletWish) => string | undefined>> = {
  bitcoin: (wish) =>
    `${wish.network === 'ltc' ? 'litecoin' : 'bitcoin'}:${wish.payTo}${queryOf({ amount: coins(wish), ...words(wish) })}`,
  evm: ({ payTo, units, chainId, contract }) => {
    // Amounts are whole wei or token units, written out: wallets differ in what they make of an exponent.
    const chain = chainId === undefined ? '' : `@${chainId}`
    return contract
      ? `ethereum:${contract}${chain}/transfer?address=${payTo}&uint256=${units}`
      : `ethereum:${payTo}${chain}?value=${units}`
  },
  solana: (wish) =>
    `solana:${wish.payTo}${queryOf({ amount: coins(wish), 'spl-token': wish.contract, ...words(wish) })}`,
  tron: (wish) => (wish.contract ? undefined : `tron:${wish.payTo}${queryOf({ amount: coins(wish) })}`),
  ton: (wish) => `ton://transfer/${wish.payTo}${queryOf({ amount: String(wish.units), jetton: wish.contract })}`,
}

const coins = ({ units, decimals }: WalletWish): string => toDecimal(units, decimals)

const words = ({ label, message }: WalletWish) => ({ label, message })

const queryOf = (given: Readonly<Record<string, string | undefined>>): string => {
  const pairs = Object.entries(given).flatMap(([name, value]) =>
    value ? [`${name}=${encodeURIComponent(value)}`] : [],
  )
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}
