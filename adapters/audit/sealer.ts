import { SEALS, type SealKey, type SealState } from '../../domain/audit/seals.ts'
import type { Vault, World } from '../../domain/kernel/ports.ts'
import { refuse } from '../../domain/kernel/refusal.ts'
import type { EventType } from '../../domain/write-side/deciders.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { keyIdOf, newKeyPair, signText } from '../crypto/ed25519.ts'
import type { ByteLog } from '../store/base/bytes.ts'
import type { LogLine } from '../store/base/log-line.ts'
import { type LogStore, positionOf } from '../store/base/origin.ts'
import type { WitnessedHead } from './containment.ts'
import { HASH_BYTES, hashBytes, hashesIn, joinedHashes, leafOf, linkOf, toBase64, ZERO } from './hash.ts'
import { endorsementText, headText, type SignedHead } from './head.ts'
import type { SealGuard } from './seal-guard.ts'
import { growingTree } from './tree.ts'

/** Writes the seals of the log. */
export type SealerParts = {
  readonly ledger: Ledger
  readonly world: World
  readonly vault: Vault
  readonly store: LogStore
  readonly lines: ByteLog['readLines']
  readonly guard: SealGuard
  /**
   * Keeps a head for good, before anybody else can see it; the event that shows it is written after this has returned.
   */
  witness(witness: WitnessedHead & { readonly head: SignedHead }): void
  /** Called with each new head once its event is durable. */
  sealed?(head: SignedHead): void
}

/**
 * Events that one seal covers at most. Each leaf takes 44 bytes in the event, and an append takes at most a megabyte.
 */
export const SEAL_EVENTS_MAX = 1_000

const SEAL_TYPES: ReadonlySet<string> = new Set<EventType>([
  'LogSealed',
  'SealKeyPublished',
  'CheckpointSigned',
  'HeadCosigned',
  'HeadRefused',
  'HeadStamped',
])

/**
 * Whether an event is a seal, or says what others answered to one: such events alone are no reason for another seal.
 */
export const isSeal = (type: string): boolean => SEAL_TYPES.has(type)

/**
 * Seals the log up to a position, `SEAL_EVENTS_MAX` events at a time; with `whole` only as many as fill a seal. Another
 * process that seals at the same time is no harm: the later one finds its seal needless and stops. Rejects with
 * HeadNotContinued when the log does not contain a head that is known.
 * @returns events up to the position that are not sealed
 */
export const sealUpTo = async (
  sealing: SealerParts,
  until: bigint,
  whole: boolean,
  eventsMax = SEAL_EVENTS_MAX,
): Promise<number> => {
  const { ledger, lines, guard } = sealing
  await guard.mustContinue(sealing)
  const least = guard.leastSize()
  let { head } = await ledger.seals.read(SEALS)
  const after = head ? await positionOf(sealing.store, BigInt(head.order)) : -1n
  let pending: LogLine[] = []
  for await (const page of lines(after, until))
    for (const line of page) {
      if (head && line.order <= BigInt(head.order)) continue
      pending.push(line)
      if (pending.length < eventsMax || (head?.size ?? 0) + pending.length < least) continue
      head = await seal(sealing, head, pending)
      if (!head) return 0
      pending = []
    }
  const isShort = (head?.size ?? 0) + pending.length < least
  if (whole || isShort || pending.every(({ type }) => isSeal(type))) return pending.length
  await seal(sealing, head, pending)
  return 0
}

/** The seals so far, with the key that seals. */
type SealSigner = SealState & {
  readonly key: SealKey
  /** Base64. */
  readonly privateKey: string
}

type KeyPlace = Pick<SealerParts, 'ledger' | 'vault'>

/**
 * Makes the first key when it is first needed. A key whose data key was given up is followed by one that no key
 * endorses: whoever verifies has to be given that one directly, as the journal of this installation is.
 */
const signing = async (place: KeyPlace): Promise<SealSigner> => {
  const state = await place.ledger.seals.read(SEALS)
  const { key } = state
  if (!key) return publish(place, state, null)
  const privateKey = await place.vault.open(key.privateKey)
  if (privateKey !== undefined) return { ...state, key, privateKey }
  return (await place.vault.isLost(key.privateKey)) ? publish(place, state, null) : refuse('unavailable', UNREADABLE)
}

const UNREADABLE = 'the key that seals the log cannot be read'

/** Publishes the next key, vouched for by the one before it, which seals no more. */
export const rotateSealKey = async (place: KeyPlace): Promise<SealKey> => {
  const before = await signing(place)
  return (await publish(place, before, before.privateKey)).key
}

type Head = SealState['head']

/** Undefined when another process was first. */
const seal = async (sealing: SealerParts, before: Head, lines: readonly LogLine[]): Promise<Head> => {
  const { ledger, world } = sealing
  const { key, privateKey, publicKeys, events, head: newest } = await signing(sealing)
  if (newest?.size !== before?.size) return undefined
  const tree = growingTree(before?.size, hashesIn(hashBytes(before?.frontier ?? '') ?? Buffer.alloc(0)))
  const leaves = Buffer.alloc(lines.length * HASH_BYTES)
  for (const [i, { line }] of lines.entries()) {
    const leaf = leafOf(line)
    leaves.write(leaf, i * HASH_BYTES, 'latin1')
    tree.add(leaf)
  }
  const chain = before ? Buffer.from(before.chain, 'base64').toString('latin1') : ZERO
  const head = {
    log: before?.log ?? (JSON.parse(lines[0]?.line ?? '{}') as { id: string }).id,
    size: tree.size(),
    order: String(lines.at(-1)?.order),
    root: toBase64(tree.root()),
    chain: toBase64(linkOf(chain, leaves)),
    sealedAt: world.now().toISOString(),
  }
  const signature = signText(privateKey, headText(head))
  const signed = { ...head, keyId: key.keyId, signature }
  const nodes = tree.completed().map(({ level, index, hash }) => [level, index, toBase64(hash)] as const)
  const frontier = joinedHashes(tree.frontier()).toString('base64')
  const data = { ...signed, from: before?.size ?? 0, leaves: leaves.toString('base64'), nodes, frontier }
  const witness = { head: signed, publicKeys, frontier, seals: events }
  sealing.witness(witness)
  const { state, events: written } = await ledger.seals.seal(SEALS, data)
  if (written.length === 0) return undefined
  sealing.guard.continued(witness)
  sealing.sealed?.(signed)
  return state.head
}

/** @param endorser the private key that vouches for the next one; null where there is none */
const publish = async (
  { ledger, vault }: KeyPlace,
  before: SealState,
  endorser: string | null,
): Promise<SealSigner> => {
  const { publicKey, privateKey } = newKeyPair()
  const { state } = await ledger.seals.publish(SEALS, {
    keyId: keyIdOf(publicKey),
    publicKey,
    privateKey: await vault.seal(subjectAfter(before, endorser !== null), privateKey),
    previous: before.key?.keyId ?? null,
    endorsement: endorser === null ? null : signText(endorser, endorsementText(publicKey)),
  })
  const { key } = state
  // Another process may have been first, and its key is as good.
  const own = key && (await vault.open(key.privateKey))
  return key && own !== undefined ? { ...state, key, privateKey: own } : refuse('unavailable', UNREADABLE)
}

const SUBJECT = 'seal-keys'

/** The subject whose data key encrypts the next private key: that of the key before it, while that one can be read. */
const subjectAfter = ({ key, publicKeys }: SealState, readable: boolean): string => {
  if (!key) return SUBJECT
  return readable ? (key.privateKey.split('.')[1] ?? SUBJECT) : `${SUBJECT}-${publicKeys.length + 1}`
}
