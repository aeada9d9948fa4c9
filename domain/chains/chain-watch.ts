import { decider } from '../kernel/decider.ts'
import type { TransferData } from '../selling/challenge-terms.ts'

/**
 * How far a chain has been read, and what was found. Transfers and cursor move in one append, so that no transfer is
 * lost between the two.
 */

export type ChainWatchEvents = {
  /**
   * Transfers to receive addresses, at most TRANSFERS_PER_EVENT_MAX, and the height of the chain when they were read.
   * Without that height they were confirmed.
   */
  TransfersSeen: { network: string; transfers: readonly TransferData[]; head?: number }
  /** Every block up to this one has been read. */
  BlocksScanned: { network: string; height: number; hash: string }
  /**
   * The block that was read last is not in the chain any more. Reading goes on after `height`; `hash` names the block
   * there, where it is known.
   */
  BlocksReorganised: { network: string; from: number; height: number; hash?: string }
  /** Every payment that was booked from a block up to this height was looked for in the chain for the last time. */
  PaymentsFinal: { network: string; height: number }
}

export type ChainWatchCommands = {
  scanned: { network: string; height: number; hash: string; head: number; transfers: readonly TransferData[] }
  reorganised: { network: string; from: number; height: number; hash?: string }
  final: { network: string; height: number }
}

/** `final`: the height up to which payments cannot be taken back any more; -1 while nobody has looked. */
type State = { height: number; hash: string; final: number }

/** The most transfers of one event, which keeps it below 64 KB. */
const TRANSFERS_PER_EVENT_MAX = 100

export const chainWatch = decider<ChainWatchEvents, ChainWatchCommands, State>({
  category: 'chainWatch',
  grows: true,
  stateVersion: 2,
  initial: { height: -1, hash: '', final: -1 },
  decide: {
    scanned: (state, { network, height, hash, head, transfers }) => {
      if (height <= state.height) return []
      const pages = Math.ceil(transfers.length / TRANSFERS_PER_EVENT_MAX)
      const page = (n: number) => transfers.slice(n * TRANSFERS_PER_EVENT_MAX, (n + 1) * TRANSFERS_PER_EVENT_MAX)
      return [
        ...Array.from(
          { length: pages },
          (_, n) => ({ type: 'TransfersSeen', data: { network, transfers: page(n), head } }) as const,
        ),
        { type: 'BlocksScanned', data: { network, height, hash } },
      ]
    },
    reorganised: (state, data) => (data.height >= state.height ? [] : [{ type: 'BlocksReorganised', data }]),
    final: (state, data) => (data.height <= state.final ? [] : [{ type: 'PaymentsFinal', data }]),
  },
  evolve: {
    TransfersSeen: (state) => state,
    BlocksScanned: (state, { height, hash }) => ({ ...state, height, hash }),
    BlocksReorganised: (state, { height, hash = '' }) => ({ ...state, height, hash }),
    PaymentsFinal: (state, { height }) => ({ ...state, final: height }),
  },
})
