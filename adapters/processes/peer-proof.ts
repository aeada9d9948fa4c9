import { hash, hkdfSync } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'
import { deciders } from '../../domain/write-side/deciders.ts'

/**
 * How two processes of one installation know each other: TLS with a key that both derive from the master key. Who does
 * not have it gets no further than the handshake, and what was recorded on one connection is of no use on another.
 */
export type PeerProof = {
  readonly key: Buffer
  /** What a process has to say to be let in by the one of an id: that one's id, and what both call things. */
  identityFor(id: string): string
}

export const createPeerProof = (masterKey: Buffer, version: string): PeerProof => {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'daybook processes', 32))
  const language = languageOf(version)
  return { key, identityFor: (id) => `${id} ${language}` }
}

/** One cipher with a shared key and a fresh secret for each connection; Node knows shared keys up to TLS 1.2. */
export const SHARED_KEY_TLS = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const satisfies SecureContextOptions

/** Raised whenever what is sent on these connections changes its form. */
const PROTOCOL = 2

/** Processes of different releases may mean different states by the same words, so they hand nothing over. */
const languageOf = (version: string): string => {
  const words = Object.entries(deciders).map(([name, { category, stateVersion, decide, evolve }]) => [
    name,
    category,
    stateVersion,
    Object.keys(decide),
    Object.keys(evolve),
  ])
  return hash('sha256', JSON.stringify([version, PROTOCOL, words]))
}
