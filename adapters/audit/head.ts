import { isSigned } from '../crypto/ed25519.ts'

/** What is signed of the log: how many events it has, and hashes that no other events have. Hashes are base64. */
export type Head = {
  /** Which log: the id of its first event, the same in every copy. */
  readonly log: string
  /** Events covered: the first so many of the log. */
  readonly size: number
  /** The last covered event's place in the ledger's own order, as decimal text. */
  readonly order: string
  /** Root of the Merkle tree over all covered events. */
  readonly root: string
  /** Newest link of the chain: over the link before and the leaves that came since. */
  readonly chain: string
  /** ISO 8601 UTC. */
  readonly sealedAt: string
}

export type SignedHead = Head & {
  /** Of the public key that it is checked with. */
  readonly keyId: string
  /** Ed25519 over `headText`, base64. */
  readonly signature: string
}

/** What the signature is over, as UTF-8. */
export const headText = ({ log, size, order, root, chain, sealedAt }: Head): string =>
  ['daybook-seal/1', log, size, order, root, chain, sealedAt, ''].join('\n')

/** What the key before signs of the next one. */
export const endorsementText = (publicKey: string): string => `daybook-seal-key/1\n${publicKey}\n`

export const isSealedBy = (publicKey: string, head: SignedHead): boolean =>
  isSigned(publicKey, headText(head), head.signature)
