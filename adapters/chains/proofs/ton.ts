/** Signatures of TON wallets: `ton_proof` of TON Connect, https://docs.ton.org/develop/dapps/ton-connect/sign. */

import { sha256 } from '@noble/hashes/sha2.js'
import { Address, Cell, contractAddress, loadStateInit } from '@ton/core'
import type { SignedAddress, TonProof } from '../../../domain/account/address-proof.ts'
import type { Chain } from '../../../domain/kernel/ports.ts'
import { isEd25519 } from './solana.ts'

/** Seconds that a wallet's clock may be off, or a person may take. */
const AGE_MAX_S = 15 * 60
/** Characters of an initial state in base64; those of wallets have below 2,000. */
const STATE_INIT_MAX = 20_000

/**
 * The bit of a wallet's data at which its key begins, keyed by the hash of the cell of the wallet's code, from v3 on: a
 * counter and an id stand before the key, and in v5 a flag too. https://docs.ton.org/ecosystem/wallet-apps lists the
 * hashes.
 */
const KEY_AT: Readonly<Record<string, number>> = {
  b61041a58a7980b946e8fb9e198e3c904d24799ffa36574ea4251c41a566f581: 64,
  '84dafa449f98a6987789ba232358072bc0f76dc4524002a5d0918b9a75d2d599': 64,
  '64dd54805522c5be8a9db59cea0105ccf0d08786ca79beb8cb79e880a8d7322d': 64,
  feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0: 64,
  '20834b7b72b112147e1b2fb457b84e74d1a30f04f737d4f62a668e9552d2b72f': 65,
}

/** `host` is our own; `keyOf` asks a wallet for its key. */
export const isSignedOnTon = async (
  { address, text, signature }: SignedAddress,
  { host, now, keyOf }: { host: string; now: Date; keyOf: Chain['publicKeyOf'] },
): Promise<boolean> => {
  if (typeof signature === 'string') return false
  const { domain, timestamp } = signature
  if (domain.value !== host || domain.lengthBytes !== Buffer.byteLength(host)) return false
  if (Math.abs(now.getTime() / 1_000 - timestamp) > AGE_MAX_S) return false
  const place = Address.parse(address)
  const signed = Uint8Array.from(Buffer.from(signature.signature, 'base64'))
  const hash = signedHash(place, signature, Buffer.from(sha256(Buffer.from(text))).toString('hex'))
  const key = keyInState(place, signature.state_init) ?? (await keyOf?.(address))
  return key !== undefined && isEd25519(hash, signed, Uint8Array.from(Buffer.from(key, 'hex')))
}

const signedHash = ({ workChain, hash }: Address, { domain, timestamp }: TonProof, payload: string): Uint8Array => {
  const numbers = Buffer.alloc(16)
  numbers.writeInt32BE(workChain, 0)
  numbers.writeUInt32LE(domain.lengthBytes, 4)
  numbers.writeBigUInt64LE(BigInt(timestamp), 8)
  const item = Buffer.concat([
    Buffer.from('ton-proof-item-v2/'),
    numbers.subarray(0, 4),
    hash,
    numbers.subarray(4, 8),
    Buffer.from(domain.value),
    numbers.subarray(8),
    Buffer.from(payload),
  ])
  return sha256(Buffer.concat([Uint8Array.of(0xff, 0xff), Buffer.from('ton-connect'), sha256(item)]))
}

/**
 * The key in a wallet's initial state, whose hash is the wallet's address; undefined for the state of another address
 * and for code that is no wallet's.
 */
const keyInState = (address: Address, given: string | undefined): string | undefined => {
  if (given === undefined || given.length > STATE_INIT_MAX) return undefined
  try {
    const { code, data, ...rest } = loadStateInit(Cell.fromBase64(given).beginParse())
    if (!code || !data || !contractAddress(address.workChain, { code, data, ...rest }).equals(address)) return undefined
    const at = KEY_AT[code.hash().toString('hex')]
    return at === undefined ? undefined : data.beginParse().skip(at).loadBuffer(32).toString('hex')
  } catch {
    return undefined
  }
}
