import { decider } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * Landing pages of one seller, each for one of its saved payment links (S-LAN-01 to S-LAN-07). Each lander takes a
 * slot; a lander that is deleted gives it back (L-JSN-11).
 */

/** Landers that one account may have at once, however many slots it bought: as many as it may have payment links. */
export const LANDERS_MAX = 1_000

/** How a lander may be laid out (N-46). */
export const LANDER_TEMPLATES = ['spotlight', 'split', 'story'] as const
export type LanderTemplate = (typeof LANDER_TEMPLATES)[number]

/** A text is empty where the seller says nothing: then the payment link's own is shown. */
export type LanderFacts = {
  readonly tpl: LanderTemplate
  readonly headline: string
  readonly subline: string
  /** The path of a picture of the seller's own; null for none. */
  readonly image: string | null
  /** HTML as the seller wrote it; it is cleaned where it is shown. */
  readonly body: string
  /** Whether visitors may offer another price. */
  readonly acceptsOffers: boolean
}

export type LanderEvents = {
  /** Its slot is taken. Landers are counted from 1, and no number comes again. */
  LanderCreated: { landerId: number; checkoutId: string; tpl: LanderTemplate; createdAt: string }
  /** The whole lander as it is from now on. */
  LanderChanged: LanderFacts & { landerId: number; version: number; changedAt: string }
  /** The lander is gone from the public, and its slot is free. */
  LanderDeleted: { landerId: number }
}

export type LanderCommands = {
  /** `slots`: all slots that the account has, taken or not. Does nothing when the payment link has a lander already. */
  create: { checkoutId: string; tpl: LanderTemplate; slots: number }
  /** Facts that are not given stay as they are. */
  change: { landerId: number; facts: Partial<LanderFacts> }
  delete: { landerId: number }
}

export type Lander = LanderFacts & {
  readonly landerId: number
  readonly checkoutId: string
  readonly version: number
  readonly createdAt: string
  readonly changedAt: string
}
export type Landers = {
  readonly landers: { readonly [landerId: number]: Lander }
  /** The number of the next lander. */
  readonly next: number
}

export const landers = decider<LanderEvents, LanderCommands, Landers>({
  category: 'landers',
  stateVersion: 1,
  initial: { landers: {}, next: 1 },
  decide: {
    create: (state, { checkoutId, tpl, slots }, now) => {
      if (landerFor(state, checkoutId)) return []
      const taken = slotsTaken(state)
      if (taken >= slots)
        return refuse('no-free-lander-slots', 'All lander slots are taken: buy a pack, or delete one.')
      if (taken >= LANDERS_MAX)
        return refuse('too-many-entries', `An account has at most ${LANDERS_MAX} landers. Delete one first.`)
      return [{ type: 'LanderCreated', data: { landerId: state.next, checkoutId, tpl, createdAt: now } }]
    },
    change: (state, { landerId, facts }, now) => {
      const { version, ...present } = landerOf(state, landerId)
      const before = factsOf(present)
      const after = { ...before, ...facts }
      if (NAMES.every((name) => after[name] === before[name])) return []
      return [{ type: 'LanderChanged', data: { ...after, landerId, version: version + 1, changedAt: now } }]
    },
    delete: (state, { landerId }) => {
      landerOf(state, landerId)
      return [{ type: 'LanderDeleted', data: { landerId } }]
    },
  },
  evolve: {
    LanderCreated: (state, { createdAt, ...data }) => ({
      landers: {
        ...state.landers,
        [data.landerId]: { ...EMPTY, ...data, version: 1, createdAt, changedAt: createdAt },
      },
      next: data.landerId + 1,
    }),
    LanderChanged: (state, data) => {
      const known = state.landers[data.landerId]
      return known ? { ...state, landers: { ...state.landers, [data.landerId]: { ...known, ...data } } } : state
    },
    LanderDeleted: ({ landers, next }, data) => {
      const { [data.landerId]: _, ...others } = landers
      return { landers: others, next }
    },
  },
})

/** Refuses `lander-not-found`. */
export const landerOf = ({ landers }: Landers, landerId: number): Lander =>
  landers[landerId] ?? refuse('lander-not-found')

/** The lander of a payment link, by its number. */
export const landerFor = ({ landers }: Landers, checkoutId: string): Lander | undefined =>
  Object.values(landers).find((lander) => lander.checkoutId === checkoutId)

export const slotsTaken = ({ landers }: Landers): number => Object.keys(landers).length

const EMPTY = { headline: '', subline: '', image: null, body: '', acceptsOffers: false }

const factsOf = ({ tpl, headline, subline, image, body, acceptsOffers }: LanderFacts): LanderFacts => {
  return { tpl, headline, subline, image, body, acceptsOffers }
}

const NAMES: readonly (keyof LanderFacts)[] = ['tpl', 'headline', 'subline', 'image', 'body', 'acceptsOffers']
