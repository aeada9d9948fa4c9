import { decider } from '../../kernel/decider.ts'

/**
 * The link that a seller's key acts by: the one that it claimed last (N-50). The stream is named by the holder of the
 * key. Only its member can say whether the link still stands.
 */
export type HolderEvents = {
  /** `replaced`: the link that it acted by before. */
  GameLinkHeld: LinkHold & { replaced: { member: string; linkId: string } | null }
}

type LinkHold = { member: string; linkId: string; claimedAt: string }

export type HolderCommands = {
  /** Does nothing when it holds this one, or one that was claimed later. */
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

/** A text that sorts by time of claim; links of one moment sort by their ids. */
const orderOf = ({ claimedAt, linkId }: LinkHold): string => `${claimedAt} ${linkId}`
