import { decider } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import type { TransferData } from '../selling/challenge-terms.ts'

/**
 * What one relayer sends on one network: authorizations of payers, in transactions that it pays the gas of. What it is
 * about to send is written here first, so that after a crash it neither loses a payment nor sends it under two nonces
 * (V-GAS-02). The stream is `network:address`.
 */

export type RelayEvents = {
  /**
   * The transaction is about to be broadcast, or to be broadcast again with higher fees. Fees are in wei for one gas.
   */
  RelayTransactionSent: RelayTransaction
  /** The transaction is in a block; the receipt says what became of each authorization. */
  RelayTransactionMined: RelayReceipt
  /** Its block is not in the chain any more: it is sent again. */
  RelayTransactionReorganised: { network: string; relayer: string; nonce: number; hash: string }
  /**
   * It came to nothing: it was reverted as a whole, or something else has used its nonce. Its authorizations are free
   * to be sent again.
   */
  RelayTransactionFailed: { network: string; relayer: string; nonce: number; hash: string; reason: string }
}

export type RelayTransaction = {
  network: string
  relayer: string
  nonce: number
  hash: string
  authorizations: readonly string[]
  /** Sent through Multicall3. */
  batched: boolean
  gas: Units
  maxFeePerGas: Units
  maxPriorityFeePerGas: Units
}

export type RelayReceipt = {
  network: string
  relayer: string
  nonce: number
  hash: string
  block: number
  blockHash: string
  gasUsed: Units
  /** Wei for one gas. */
  gasPrice: Units
  /** Wei for the data on the layer below, where there is one. */
  l1Fee: Units
  /** All of it, in millionths of a US dollar. */
  gasUsd: Units
  outcomes: readonly RelayOutcome[]
}

/** `transfer` is set when this transaction carried it out; otherwise it goes on waiting. */
export type RelayOutcome = {
  authorizationId: string
  transfer?: TransferData
  /** Its share of the gas. */
  gasUsd?: Units
}

export type RelayCommands = {
  send: RelayTransaction
  mine: RelayReceipt
  reorganise: RelayEvents['RelayTransactionReorganised']
  fail: RelayEvents['RelayTransactionFailed']
}

/** A transaction that is not known to be in a block: every hash that was broadcast under its nonce, the newest last. */
export type PendingRelay = { readonly hashes: readonly string[]; readonly sent: RelayTransaction }
/** A transaction that is in a block, which may still be reorganised away. */
type MinedRelay = {
  readonly hash: string
  readonly block: number
  readonly blockHash: string
  readonly sent: RelayTransaction
}

export type RelayState = {
  /** The nonce after the highest that was used. */
  readonly nextNonce: number
  readonly pending: { readonly [nonce: number]: PendingRelay }
  /** The newest mined transactions, keyed by nonce. */
  readonly mined: { readonly [nonce: number]: MinedRelay }
}

/** The most transactions that wait to be mined at once. */
export const RELAY_PENDING_MAX = 16
/** The most transactions that are broadcast under one nonce, each with higher fees than the one before. */
export const RELAY_HASHES_MAX = 20
/** Blocks below the newest mined one for which a transaction is looked at again. */
const WATCHED_BLOCKS = 64
/** The most mined transactions that are looked at again. */
const WATCHED_MAX = 32

export const relay = decider<RelayEvents, RelayCommands, RelayState>({
  category: 'relay',
  grows: true,
  stateVersion: 1,
  initial: { nextNonce: 0, pending: {}, mined: {} },
  decide: {
    send: (state, data) => {
      const known = state.pending[data.nonce]
      if (known?.hashes.includes(data.hash)) return []
      if (known && known.hashes.length >= RELAY_HASHES_MAX)
        return refuse('state-forbids', 'its fees were raised often enough')
      if (state.mined[data.nonce]) return refuse('state-forbids', 'this nonce was used before')
      if (!known && Object.keys(state.pending).length >= RELAY_PENDING_MAX)
        return refuse('busy', 'The relayer has as many transactions under way as it may. Try again in a moment.')
      const others = Object.entries(state.pending).filter(([nonce]) => Number(nonce) !== data.nonce)
      const twice = data.authorizations.some((id) => others.some(([, { sent }]) => sent.authorizations.includes(id)))
      if (twice) return refuse('state-forbids', 'an authorization is on its way in another transaction')
      return [{ type: 'RelayTransactionSent', data }]
    },
    mine: (state, data) => {
      if (!state.pending[data.nonce]) return []
      return [{ type: 'RelayTransactionMined', data }]
    },
    reorganise: (state, data) =>
      state.mined[data.nonce]?.hash === data.hash ? [{ type: 'RelayTransactionReorganised', data }] : [],
    fail: (state, data) => (state.pending[data.nonce] ? [{ type: 'RelayTransactionFailed', data }] : []),
  },
  evolve: {
    RelayTransactionSent: (state, data) => ({
      ...state,
      nextNonce: Math.max(state.nextNonce, data.nonce + 1),
      pending: {
        ...state.pending,
        [data.nonce]: { hashes: [...(state.pending[data.nonce]?.hashes ?? []), data.hash], sent: data },
      },
    }),
    RelayTransactionMined: (state, { nonce, hash, block, blockHash }) => {
      const { [nonce]: done, ...pending } = state.pending
      if (!done) return state
      const mined = { ...state.mined, [nonce]: { hash, block, blockHash, sent: done.sent } }
      return { ...state, pending, mined: watched(mined, block) }
    },
    RelayTransactionReorganised: (state, { nonce, hash }) => {
      const { [nonce]: gone, ...mined } = state.mined
      return gone
        ? { ...state, mined, pending: { ...state.pending, [nonce]: { hashes: [hash], sent: gone.sent } } }
        : state
    },
    RelayTransactionFailed: (state, { nonce }) => {
      const { [nonce]: _, ...pending } = state.pending
      return { ...state, pending }
    },
  },
})

/** The id of a relayer's stream. */
export const relayId = (network: string, relayer: string): string => `${network}:${relayer}`

const watched = (mined: RelayState['mined'], newest: number): RelayState['mined'] =>
  Object.fromEntries(
    Object.entries(mined)
      .filter(([, { block }]) => block > newest - WATCHED_BLOCKS)
      .slice(-WATCHED_MAX),
  )
