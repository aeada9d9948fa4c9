import { decider } from '../../kernel/decider.ts'

/**
 * Which link a seller's key acts by: the one that it claimed last (N-50). The stream is named by the holder of the key.
 * Whether the link still stands is its member's to say.
 */
export type HolderEvents = {
  /** `replaced`: the link that it acted by before. */
  GameLinkHeld: LinkHold & { replaced: { member: string; linkId: string } | null }
}

type LinkHold = { member: string; linkId: string; claimedAt: string }

export type HolderCommands = {
  /** Quiet when it holds this one, or one that was claimed later. */
  hold: LinkHold
}

export type HolderState = { readonly status: 'none' } | ({ readonly status: 'holds' } & Readonly<LinkHold>)

export const gameHolder = decider<HolderEvents, HolderCommands, HolderState>({
  category: 'gameHolder',
  stateVersion: 1,
  initial: { status: 'none' },
  decide: {
    hold: (state, held) => {
      if (state.status === 'none') return [{ type: 'GameLinkHeld', data: { ...held, replaced: null } }]
      const { member, linkId } = state
      if (orderOf(state) >= orderOf(held)) return []
      return [{ type: 'GameLinkHeld', data: { ...held, replaced: { member, linkId } } }]
    },
  },
  evolve: {
    GameLinkHeld: (_, { replaced: __, ...held }) => ({ status: 'holds', ...held }),
  },
})

/** Two that were claimed in one moment are told apart by their ids, always in the same way. */
const orderOf = ({ claimedAt, linkId }: LinkHold): string => `${claimedAt} ${linkId}`
