import { decider } from '../kernel/decider.ts'

/**
 * The evidence that others can hold the log to: its heads as checkpoints that anybody can read, the signatures of
 * witnesses on them, and the time stamps of an authority. The forms are those of C2SP (`adapters/audit/witness`) and of
 * RFC 3161 (`adapters/audit/stamp`). There is one stream, `cosignatures-log`. Each event holds the whole checkpoint, so
 * that it can be checked without the others.
 */

/** A head of the log as a note that the log's key has signed. */
export type SignedCheckpoint = {
  /** The name by which witnesses know the log. */
  origin: string
  /** Events that the head covers. */
  size: number
  /** The root hash of the tree over these events, base64. */
  root: string
  /** The key of the seals: Ed25519, base64. */
  publicKey: string
  /** The Ed25519 signature of the note's text, base64. */
  signature: string
}

/** The signature of a witness on a checkpoint. */
type Cosignature = {
  /** The witness' verifier key. */
  witness: string
  /** The line below the note, with its line feed. */
  line: string
  /** The witness' own time, ISO 8601 UTC. */
  cosignedAt: string
}

export type CosignatureEvents = {
  /** A head was signed for everybody to read. */
  CheckpointSigned: SignedCheckpoint
  HeadCosigned: { checkpoint: SignedCheckpoint } & Cosignature
  /**
   * A witness will not sign a head, because it has seen another history of this log. Nothing is sealed until it signs
   * again.
   */
  HeadRefused: {
    witness: string
    origin: string
    size: number
    root: string
    /**
     * `larger`: it has seen a head of more events than the log has. `parted`: the head does not go on from the one that
     * it has seen.
     */
    reason: 'larger' | 'parted'
    /** The size that the witness has seen; null when it did not say. */
    seen: number | null
  }
  /** A time stamp authority has signed when a checkpoint, with the log's signature below it, was there. */
  HeadStamped: {
    checkpoint: SignedCheckpoint
    /** The authority's time, ISO 8601 UTC. */
    stampedAt: string
    /** The TimeStampResp in DER, base64. */
    response: string
  }
}

export type CosignatureCommands = {
  /** Quiet unless the head is larger than the newest one, or has another origin. */
  sign: SignedCheckpoint
  /** Quiet when nothing is new in it: the witness has signed this head or a larger one. */
  cosign: CosignatureEvents['HeadCosigned']
  /** Quiet when the witness has refused that head for that reason already. */
  refuse: CosignatureEvents['HeadRefused']
  /** Quiet unless the head is larger than the one that was stamped last. */
  stamp: CosignatureEvents['HeadStamped']
}

export type CosignedCheckpoint = SignedCheckpoint & { cosignatures: readonly Cosignature[] }

/** What is known of one witness. */
export type WitnessState = {
  witness: string
  /** The newest head that it has signed; undefined before the first. */
  cosigned: { origin: string; size: number; root: string; at: string } | undefined
  /** The newest head that it has refused since its newest signature; undefined when there is none. */
  refusal: { origin: string; size: number; root: string; reason: 'larger' | 'parted'; seen: number | null } | undefined
}

export type CosignatureState = {
  /**
   * The newest checkpoint, and before it each that more witnesses have signed than all later ones; the newest first.
   */
  checkpoints: readonly CosignedCheckpoint[]
  /** The witnesses in the order in which they were last heard, the newest last. */
  witnesses: readonly WitnessState[]
  stamped: { origin: string; size: number; at: string } | undefined
}

/** Witnesses that a log may have at a time. */
export const WITNESSES_MAX = 8
/** Witnesses that are remembered: also some that are not asked any more. */
const WITNESSES_KEPT_MAX = 2 * WITNESSES_MAX

/** The one log of a store. */
export const COSIGNATURES = 'log'

export const cosignatures = decider<CosignatureEvents, CosignatureCommands, CosignatureState>({
  category: 'cosignatures',
  stateVersion: 2,
  initial: { checkpoints: [], witnesses: [], stamped: undefined },
  decide: {
    sign({ checkpoints: [newest] }, data) {
      const known = newest && newest.origin === data.origin && newest.size >= data.size
      return known ? [] : [{ type: 'CheckpointSigned', data }]
    },
    cosign({ checkpoints: [newest], witnesses }, data) {
      const { origin, size } = data.checkpoint
      if (!newest || newest.origin !== origin || size > newest.size) return []
      const { cosigned, refusal } = witnesses.find(({ witness }) => witness === data.witness) ?? {}
      const known = cosigned && cosigned.origin === origin && cosigned.size >= size && !refusal
      return known ? [] : [{ type: 'HeadCosigned', data }]
    },
    refuse({ witnesses }, data) {
      const refusal = witnesses.find(({ witness }) => witness === data.witness)?.refusal
      const known = refusal && refusal.root === data.root && refusal.reason === data.reason
      return known ? [] : [{ type: 'HeadRefused', data }]
    },
    stamp({ stamped }, data) {
      const { origin, size } = data.checkpoint
      const known = stamped && stamped.origin === origin && stamped.size >= size
      return known ? [] : [{ type: 'HeadStamped', data }]
    },
  },
  evolve: {
    CheckpointSigned: (state, checkpoint) => ({
      ...state,
      checkpoints: worthKeeping([{ ...checkpoint, cosignatures: [] }, ...state.checkpoints]),
    }),
    HeadCosigned: (state, { checkpoint, ...cosignature }) => {
      const { witness, cosignedAt: at } = cosignature
      const { origin, size, root } = checkpoint
      return {
        ...state,
        checkpoints: worthKeeping(withCosignature(state.checkpoints, checkpoint, cosignature)),
        witnesses: heard(state, { witness, cosigned: { origin, size, root, at }, refusal: undefined }),
      }
    },
    HeadRefused: (state, { witness, origin, size, root, reason, seen }) => {
      const cosigned = state.witnesses.find((each) => each.witness === witness)?.cosigned
      return { ...state, witnesses: heard(state, { witness, cosigned, refusal: { origin, size, root, reason, seen } }) }
    },
    HeadStamped: (state, { checkpoint: { origin, size }, stampedAt }) => ({
      ...state,
      stamped: { origin, size, at: stampedAt },
    }),
  },
})

/** The stream of checkpoints, cosignatures and time stamps. */
export const COSIGNATURES_STREAM = `${cosignatures.category}-${COSIGNATURES}`

/** Adds a cosignature to its checkpoint, which may have made room for newer ones before and is then put back. */
const withCosignature = (
  checkpoints: readonly CosignedCheckpoint[],
  checkpoint: SignedCheckpoint,
  cosignature: Cosignature,
): readonly CosignedCheckpoint[] => {
  const isIt = (each: SignedCheckpoint) => each.origin === checkpoint.origin && each.size === checkpoint.size
  const { cosignatures: before } = checkpoints.find(isIt) ?? { cosignatures: [] }
  const others = before.filter(({ witness }) => witness !== cosignature.witness)
  const next = { ...checkpoint, cosignatures: [...others, cosignature] }
  const place = checkpoints.findIndex((each) => each.origin === checkpoint.origin && each.size <= checkpoint.size)
  return place < 0
    ? [...checkpoints, next]
    : [...checkpoints.slice(0, place), next, ...checkpoints.slice(place).filter((each) => !isIt(each))]
}

/**
 * Drops the older checkpoints that nobody needs: a later one has as many cosignatures, or they are of another origin.
 */
const worthKeeping = (checkpoints: readonly CosignedCheckpoint[]): readonly CosignedCheckpoint[] => {
  let most = -1
  return checkpoints.filter(({ origin, cosignatures: { length } }) => {
    const kept = origin === checkpoints[0]?.origin && length > most
    if (kept) most = length
    return kept
  })
}

const heard = ({ witnesses }: CosignatureState, now: WitnessState): readonly WitnessState[] =>
  [...witnesses.filter(({ witness }) => witness !== now.witness), now].slice(-WITNESSES_KEPT_MAX)
