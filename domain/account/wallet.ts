import { assetOf, coinOf } from '../kernel/assets.ts'
import { decider } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * The addresses at which a seller wants to be paid, its own for each asset. Daybook holds no keys and no funds
 * (X-NOCUST-01).
 */

export type WalletEvents = {
  /** Payments in this asset go to these addresses, the first being the main one. */
  WalletAddressSet: {
    asset: string
    addresses: readonly string[]
    /**
     * For a custom token, the contract that the addresses are for, as `eth:0x…`. When the code comes to mean another
     * contract, that one has no address yet.
     */
    coin?: string
  }
  /** The coin is not offered for now; its addresses stay. */
  WalletPaused: {
    asset: string
    /** The address that belongs to another account now, where that is the reason. */
    lost?: string
  }
  WalletResumed: { asset: string }
  /** The coin is no longer received; its addresses are forgotten (J-WAL-09). */
  WalletRemoved: { asset: string }
}

export type WalletCommands = {
  setAddress: WalletEvents['WalletAddressSet']
  pause: { asset: string }
  /** Pauses a coin because one of its addresses belongs to another account now. */
  lose: { asset: string; address: string }
  resume: { asset: string }
  remove: { asset: string }
}

export type Wallet = { addresses: readonly string[]; active: boolean; coin: string | undefined }
type State = { readonly [asset: string]: Wallet }

export const wallet = decider<WalletEvents, WalletCommands, State>({
  category: 'wallet',
  stateVersion: 2,
  initial: {},
  decide: {
    setAddress: (state, data) =>
      sameList(state[data.asset]?.addresses, data.addresses) && state[data.asset]?.coin === data.coin
        ? []
        : [{ type: 'WalletAddressSet', data }],
    pause: (state, { asset }) => {
      const coin = state[asset] ?? refuse('wallet-missing')
      return coin.active ? [{ type: 'WalletPaused', data: { asset } }] : []
    },
    lose: (state, { asset, address }) =>
      state[asset]?.active && state[asset].addresses.includes(address)
        ? [{ type: 'WalletPaused', data: { asset, lost: address } }]
        : [],
    resume: (state, { asset }) => {
      const coin = state[asset] ?? refuse('wallet-missing')
      return coin.active ? [] : [{ type: 'WalletResumed', data: { asset } }]
    },
    remove: (state, { asset }) =>
      state[asset] ? [{ type: 'WalletRemoved', data: { asset } }] : refuse('wallet-missing'),
  },
  evolve: {
    WalletAddressSet: (state, { asset, addresses, coin }) => ({
      ...state,
      [asset]: { addresses, active: state[asset]?.active ?? true, coin },
    }),
    WalletPaused: (state, { asset }) => switched(state, asset, false),
    WalletResumed: (state, { asset }) => switched(state, asset, true),
    WalletRemoved: (state, { asset }) => {
      const { [asset]: _, ...rest } = state
      return rest
    },
  },
})

/** The codes of those wallets, paused ones too, that receive at an address of a network. */
export const codesAt = (wallets: State, { network, address }: { network: string; address: string }) =>
  Object.keys(wallets).filter((code) => {
    const kept = wallets[code]
    return kept && networkOfWallet(code, kept) === network && kept.addresses.includes(address)
  })

/** The network of a wallet; undefined when its code means nothing any more. */
export const networkOfWallet = (code: string, { coin }: Pick<Wallet, 'coin'>): string | undefined =>
  coin === undefined ? assetOf(code)?.network : coin.slice(0, coin.indexOf(':'))

/** What the chain calls the coin of a wallet. */
export const chainCoinOf = (code: string, { coin }: Pick<Wallet, 'coin'>): string =>
  coin === undefined
    ? code
    : coinOf({ asset: code, network: coin.slice(0, coin.indexOf(':')), contract: coin.slice(coin.indexOf(':') + 1) })

const switched = (state: State, asset: string, active: boolean): State => {
  const coin = state[asset]
  return coin ? { ...state, [asset]: { ...coin, active } } : state
}

const sameList = (a: readonly string[] | undefined, b: readonly string[]) =>
  a !== undefined && a.length === b.length && a.every((item, i) => item === b[i])
