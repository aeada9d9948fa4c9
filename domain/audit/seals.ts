import { decider } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * The seals of the log: signed heads, each over all events before it, so that a change of past events is found and
 * named. Hashes and keys are base64; `adapters/audit` says what they are made over. There is one stream, `seals-log`.
 */

export type SealKey = {
  /** The first 16 hex digits of the public key's SHA-256. */
  keyId: string
  /** The Ed25519 public key, 32 bytes. */
  publicKey: string
  privateKey: SealedText
}

export type SealEvents = {
  /** The key that signs from here on. */
  SealKeyPublished: SealKey & {
    /** The id of the key before it, and that key's signature of this one; null for the first. */
    previous: string | null
    endorsement: string | null
  }
  /**
   * A signed head. It covers the first `size` events of the log; the event itself comes after them and is covered by
   * the next one.
   */
  LogSealed: {
    /** The log that is sealed: the id of its first event. */
    log: string
    size: number
    /** Events that the head before it covered. */
    from: number
    /** The last covered event's place in the ledger's own order. */
    order: string
    root: string
    chain: string
    sealedAt: string
    keyId: string
    signature: string
    /**
     * The leaf hashes of the events that it covers for the first time, one after the other, so that the very event that
     * was changed can be named.
     */
    leaves: string
    /**
     * Subtrees of 1,024 and more leaves that have become complete: level, index, hash. The proof of one event needs
     * them.
     */
    nodes: readonly SealedNode[]
    /** The complete subtrees of the whole tree, the largest first: what the next head goes on from. */
    frontier: string
  }
}

export type SealedNode = readonly [level: number, index: number, hash: string]

export type SealCommands = {
  /** Quiet when another key signs than the one that `previous` names. */
  publish: SealEvents['SealKeyPublished']
  /** Quiet when it does not go on from the newest head, or is not by the newest key: another process was first. */
  seal: SealEvents['LogSealed']
}

/** The state that the next head goes on from. */
export type SealState = {
  key: SealKey | undefined
  /** The public keys that were published, the newest last. */
  publicKeys: readonly string[]
  /** Events of this stream so far. */
  events: number
  /** The newest head; undefined before the first. */
  head: Pick<SealEvents['LogSealed'], 'log' | 'size' | 'order' | 'chain' | 'frontier'> | undefined
}

/** Keys that are remembered: one a month for twenty years. */
const PUBLIC_KEYS_MAX = 240

/** The one log of a store. */
export const SEALS = 'log'

export const seals = decider<SealEvents, SealCommands, SealState>({
  category: 'seals',
  stateVersion: 2,
  initial: { key: undefined, publicKeys: [], events: 0, head: undefined },
  decide: {
    publish: ({ key }, data) => ((key?.keyId ?? null) === data.previous ? [{ type: 'SealKeyPublished', data }] : []),
    seal: ({ key, head }, data) => {
      if (data.size <= data.from) return refuse('invalid-request', 'A seal has to cover at least one event.')
      if (key?.keyId !== data.keyId || (head?.size ?? 0) !== data.from) return []
      return [{ type: 'LogSealed', data }]
    },
  },
  evolve: {
    SealKeyPublished: (state, { keyId, publicKey, privateKey }) => ({
      ...state,
      key: { keyId, publicKey, privateKey },
      publicKeys: [...state.publicKeys, publicKey].slice(-PUBLIC_KEYS_MAX),
      events: state.events + 1,
    }),
    LogSealed: (state, { log, size, order, chain, frontier }) => ({
      ...state,
      events: state.events + 1,
      head: { log, size, order, chain, frontier },
    }),
  },
})

/** The stream of the seals. */
export const SEALS_STREAM = `${seals.category}-${SEALS}`
