import type { AddressFamily } from '../kernel/networks.ts'

/** The text that proves control of a receive address once its key has signed it, and how that is checked. */

/** Minutes that a text is good for after it was given. */
export const PROOF_MINUTES = 15

/** The facts that a text names. */
export type ProofTerms = {
  /** The origin of this service, as callers see it. */
  readonly origin: string
  readonly accountId: string
  readonly network: string
  /** The address in its canonical form. */
  readonly address: string
  /** When the text was given, ISO 8601 UTC. */
  readonly at: string
}

/**
 * The text that is signed, in plain ASCII that every wallet shows. `code` is what this service makes of the terms under
 * a key of its own, so that nobody can write texts ahead of time.
 */
export const proofText = ({ origin, accountId, network, address, at }: ProofTerms, code: string): string =>
  [
    `${origin} asks for proof that you control a receive address.`,
    'Who signs this lets payments to the address be booked for the account.',
    '',
    `Account: ${accountId}`,
    `Network: ${network}`,
    `Address: ${address}`,
    `Time: ${at}`,
    `Code: ${code}`,
  ].join('\n')

/** The address and the time that a text names; undefined when it has no such lines. */
export const namedIn = (text: string): { address: string; at: string } | undefined => {
  const [, address] = /^Address: (\S{1,100})$/m.exec(text) ?? []
  const [, at] = /^Time: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/m.exec(text) ?? []
  return address !== undefined && at !== undefined ? { address, at } : undefined
}

/** What a TON wallet answers to `ton_proof` of TON Connect; its payload is the SHA-256 of the text, in hex. */
export type TonProof = {
  /** When the wallet signed, in Unix seconds. */
  readonly timestamp: number
  readonly domain: { readonly lengthBytes: number; readonly value: string }
  /** The signature in base64. */
  readonly signature: string
  /** The wallet's initial state in base64, for one that is not on the chain yet. */
  readonly state_init?: string | undefined
}

/**
 * EVM: hex of 65 bytes (EIP-191), or whatever a contract takes (EIP-1271). Solana: base58 or base64 of 64 bytes. Tron:
 * hex of 65 bytes (TIP-191). Bitcoin and Litecoin: base64 of a witness (BIP-322, simple), or of 65 bytes (a signed
 * message).
 */
export type ProofSignature = string | TonProof

export type SignedAddress = {
  readonly network: string
  /** The address in its canonical form. */
  readonly address: string
  readonly text: string
  readonly signature: ProofSignature
}

/** The check of signatures over such texts. */
export type AddressProofs = {
  /**
   * Whether whoever controls the address signed the text. Contracts and wallets that keep their key to themselves are
   * asked on their chain, within the chain's time limits. Refuses `unavailable` when it does not answer or is not
   * connected.
   */
  isSigned(signed: SignedAddress): Promise<boolean>
}

/** How the addresses of a network sign, as its wallets call it. */
export const PROOF_METHODS: Readonly<Record<AddressFamily, string>> = {
  evm: 'EIP-191 (personal_sign); EIP-1271 of a contract',
  solana: 'Ed25519 (signMessage)',
  tron: 'TIP-191 (signMessageV2)',
  bitcoin: 'BIP-322 (simple); a signed message of one key',
  ton: 'ton_proof of TON Connect over payload',
}
