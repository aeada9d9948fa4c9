import { hash } from 'node:crypto'

/**
 * The hashes of the sealed log (RFC 6962 §2.1, SHA-256). In memory a hash is a string with one character a byte: Node
 * makes such strings in half the time of buffers. Outside it is base64.
 */
export type Hash = string

export const HASH_BYTES = 32

/** The value that stands before the first link of the chain. */
export const ZERO: Hash = '\0'.repeat(HASH_BYTES)

export const leafOf = (line: string): Hash => hash('sha256', `\0${line}`, 'binary')

export const nodeOf = (left: Hash, right: Hash): Hash => {
  node.write(left, 1, 'latin1')
  node.write(right, 1 + HASH_BYTES, 'latin1')
  return hash('sha256', node, 'binary')
}

export const PAIR_BYTES = 2 * HASH_BYTES

/** The node over two leaves that lie one after the other. */
export const pairAt = (leaves: Buffer, at: number): Hash => {
  leaves.copy(node, 1, at, at + PAIR_BYTES)
  return hash('sha256', node, 'binary')
}

const node = Buffer.alloc(1 + PAIR_BYTES, 1)

/**
 * The next link of the chain: the hash of the link before it and of the leaves since then, each of `HASH_BYTES` bytes.
 */
export const linkOf = (before: Hash, leaves: Uint8Array): Hash =>
  hash('sha256', Buffer.concat([Buffer.from(before, 'latin1'), leaves]), 'binary')

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Hash = hash('sha256', '', 'binary')

export const toBase64 = (value: Hash): string => Buffer.from(value, 'latin1').toString('base64')

/** Whole hashes one after the other; undefined unless the text is their canonical base64. */
export const hashBytes = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length % HASH_BYTES === 0 && bytes.toString('base64') === text ? bytes : undefined
}

/** One hash; undefined unless the text is its canonical base64. */
export const fromBase64 = (text: string): Hash | undefined => {
  const bytes = hashBytes(text)
  return bytes?.length === HASH_BYTES ? bytes.toString('latin1') : undefined
}

export const hashAt = (bytes: Buffer, at: number): Hash => bytes.toString('latin1', at, at + HASH_BYTES)

export const hashesIn = (bytes: Buffer): readonly Hash[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, i) => hashAt(bytes, i * HASH_BYTES))

/** Joins hashes, one after the other. */
export const joinedHashes = (hashes: readonly Hash[]): Buffer => Buffer.from(hashes.join(''), 'latin1')
