/**
 * Mandates from their parts, for those that no library would make. Good ones come from `wallet.ts`, by a library that
 * is not ours.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export type Minter = { readonly privateKey: KeyObject; readonly jwk: Record<string, unknown> }

const CURVES = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' } as const
export type Alg = keyof typeof CURVES

export const newMinter = (alg: Alg = 'ES256', kid?: string): Minter => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: CURVES[alg] })
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), ...(kid !== undefined && { kid }) } }
}

export const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Signs with the hash that the header names, whatever else the header says; SHA-256 for what it makes up. */
export const jws = (
  header: { readonly [name: string]: unknown } | string,
  payload: unknown,
  { privateKey }: Minter,
): string => {
  const signed = `${base64url(header)}.${base64url(payload)}`
  const alg = typeof header === 'string' ? 'ES256' : header.alg
  const hash = alg === 'ES512' ? 'sha512' : alg === 'ES384' ? 'sha384' : 'sha256'
  const signature = sign(hash, Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

export const digest = (text: string, hash = 'sha256'): string => createHash(hash).update(text).digest('base64url')

let salts = 0
/** A disclosure of a member of an object, or with one part of an item of an array. */
export const disclosure = (...parts: readonly unknown[]): string => base64url([`salt${++salts}`, ...parts])

/** `jwt~d1~d2~` and what proves the key. */
export const compact = (jwt: string, disclosures: readonly string[] = [], keyBinding = ''): string =>
  [jwt, ...disclosures, keyBinding].join('~')

export const flipped = (text: string, at: number, to: string): string => text.slice(0, at) + to + text.slice(at + 1)
