import { decider } from '../decider.ts'
import type { TransferData } from '../sell/challenge.ts'

/** How far a chain has been read, and what was found. Transfers and cursor move in one append, so none is lost or seen by chance. */

export type ChainWatchEvents = {
  /** Confirmed transfers to receive addresses, at most TRANSFERS_PER_EVENT_MAX. */
  TransfersSeen: { network: string; transfers: readonly TransferData[] }
  /** Every block up to this one has been read. */
  BlocksScanned: { network: string; height: number; hash: string }
}

export type ChainWatchCommands = {
  scanned: { network: string; height: number; hash: string; transfers: readonly TransferData[] }
}

type State = { height: number; hash: string }

/** Keeps an event below 64 KB. */
const TRANSFERS_PER_EVENT_MAX = 100

export const chainWatch = decider<ChainWatchEvents, ChainWatchCommands, State>({
  category: 'chainWatch',
  stateVersion: 1,
  initial: { height: -1, hash: '' },
  decide: {
    scanned: (state, { network, height, hash, transfers }) => {
      if (height <= state.height) return []
      const pages = Math.ceil(transfers.length / TRANSFERS_PER_EVENT_MAX)
      const page = (n: number) => transfers.slice(n * TRANSFERS_PER_EVENT_MAX, (n + 1) * TRANSFERS_PER_EVENT_MAX)
      return [
        ...Array.from(
          { length: pages },
          (_, n) => ({ type: 'TransfersSeen', data: { network, transfers: page(n) } }) as const,
        ),
        { type: 'BlocksScanned', data: { network, height, hash } },
      ]
    },
  },
  evolve: {
    TransfersSeen: (state) => state,
    BlocksScanned: (_, { height, hash }) => ({ height, hash }),
  },
})
