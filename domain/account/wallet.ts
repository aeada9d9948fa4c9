import { decider } from '../decider.ts'
import { refuse } from '../refusal.ts'

/** Where a seller wants to be paid: its own address per asset. Daybook holds no keys and no funds (X-NOCUST-01). */

export type WalletEvents = {
  /** Payments in this asset go to these addresses, the first being the main one. */
  WalletAddressSet: {
    asset: string
    addresses: readonly string[]
    /** Of a custom token, the contract that they are for, `eth:0x…`: a code that comes to mean another one has no address yet. */
    coin?: string
  }
  /** The coin is not offered for now; its addresses stay. */
  WalletPaused: { asset: string }
  WalletResumed: { asset: string }
  /** The coin is no longer received; its addresses are forgotten (J-WAL-09). */
  WalletRemoved: { asset: string }
}

export type WalletCommands = {
  setAddress: WalletEvents['WalletAddressSet']
  pause: { asset: string }
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

const switched = (state: State, asset: string, active: boolean): State => {
  const coin = state[asset]
  return coin ? { ...state, [asset]: { ...coin, active } } : state
}

const sameList = (a: readonly string[] | undefined, b: readonly string[]) =>
  a !== undefined && a.length === b.length && a.every((item, i) => item === b[i])
