import { isSigned } from '../crypto/ed25519.ts'

/**
 * The summary of the log that is signed: its number of events, and hashes that no other events have. Hashes are base64.
 */
export type Head = {
  /** Id of the log: the id of its first event, the same in every copy. */
  readonly log: string
  /** Number of events that the head covers, from the first event of the log on. */
  readonly size: number
  /** The last covered event's place in the ledger's own order, as decimal text. */
  readonly order: string
  /** Root of the Merkle tree over all covered events. */
  readonly root: string
  /** Newest link of the chain: the hash of the link before it and of the leaves since then. */
  readonly chain: string
  /** ISO 8601 UTC. */
  readonly sealedAt: string
}

export type SignedHead = Head & {
  /** Id of the public key that the signature is checked with. */
  readonly keyId: string
  /** Ed25519 over `headText`, base64. */
  readonly signature: string
}

/** The text that is signed, as UTF-8. */
export const headText = ({ log, size, order, root, chain, sealedAt }: Head): string =>
  ['daybook-seal/1', log, size, order, root, chain, sealedAt, ''].join('\n')

/** The text that a key signs to endorse the next one. */
export const endorsementText = (publicKey: string): string => `daybook-seal-key/1\n${publicKey}\n`

export const isSealedBy = (publicKey: string, head: SignedHead): boolean =>
  isSigned(publicKey, headText(head), head.signature)
