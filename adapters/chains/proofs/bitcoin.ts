/**
 * Signatures of Bitcoin's and Litecoin's addresses: BIP-322 in its simple form, and the older signed message of one
 * key. The npm package for it takes no address of Litecoin, overlooks what a signature covers, and brings a second
 * bitcoinjs-lib and `elliptic`.
 */

import { recover, verify, verifySchnorr } from '@bitcoinerlab/secp256k1'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { crypto, type Network, script, Transaction } from 'bitcoinjs-lib'
import type { SignedAddress } from '../../../domain/account/address-proof.ts'
import { addressesOfKey, scriptOfAddress } from '../bitcoin-address.ts'

/** Characters of a signature; two items of a witness have no more than 150. */
const SIGNATURE_MAX = 200
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const SIGHASH_DEFAULT = 0x00
const SIGHASH_ALL = 0x01

/** `magic` stands before a signed message, with its length. */
export const isSignedOnBitcoin = (
  { address, text, signature }: SignedAddress,
  network: Network,
  magic: string,
): boolean => {
  if (typeof signature !== 'string' || signature.length > SIGNATURE_MAX) return false
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) return false
  const bytes = Uint8Array.from(Buffer.from(signature, 'base64'))
  try {
    return bytes.length === 65
      ? isSignedMessage(address, bytes, messageHash(magic, text), network)
      : isWitness(scriptOfAddress(address, network), stackIn(bytes), text)
  } catch {
    return false
  }
}

/**
 * Checks a signature behind a header that names one of the keys that may have signed: the key is recovered, and its
 * addresses are compared.
 */
const isSignedMessage = (address: string, bytes: Uint8Array, hash: Uint8Array, network: Network): boolean => {
  const [header = 0] = bytes
  const signature = bytes.subarray(1)
  if (header < 27 || header > 42 || !isLow(signature)) return false
  const isCompressed = header >= 31
  const key = recover(hash, signature, ((header - 27) & 3) as 0 | 1 | 2 | 3, isCompressed)
  return key !== null && addressesOfKey(key, network).includes(address)
}

/**
 * BIP-322: the message is spent from the address by a transaction that nobody sends, and the witness of that is the
 * signature.
 */
const isWitness = (owner: Uint8Array, [signature, key, ...more]: readonly Uint8Array[], text: string): boolean => {
  if (!signature || more.length > 0) return false
  const spending = spendingOf(owner, text)
  if (owner.length === 34 && owner[0] === 0x51) {
    if (key || (signature.length !== 64 && signature.length !== 65)) return false
    const type = signature.length === 64 ? SIGHASH_DEFAULT : signature[64]
    if (type !== SIGHASH_DEFAULT && type !== SIGHASH_ALL) return false
    if (signature.length === 65 && type === SIGHASH_DEFAULT) return false
    return verifySchnorr(
      spending.hashForWitnessV1(0, [owner], [0n], type),
      owner.subarray(2),
      signature.subarray(0, 64),
    )
  }
  if (key?.length !== 33) return false
  const hash = crypto.hash160(key)
  const program = concatBytes(Uint8Array.of(0x00, 20), hash)
  const wrapped = concatBytes(Uint8Array.of(0xa9, 20), crypto.hash160(program), Uint8Array.of(0x87))
  if (!isSame(owner, program) && !isSame(owner, wrapped)) return false
  const { signature: plain, hashType } = script.signature.decode(signature)
  if (hashType !== SIGHASH_ALL) return false
  const code = concatBytes(Uint8Array.of(0x76, 0xa9, 20), hash, Uint8Array.of(0x88, 0xac))
  return verify(spending.hashForWitnessV0(0, code, 0n, SIGHASH_ALL), key, plain, true)
}

const spendingOf = (owner: Uint8Array, text: string): Transaction => {
  const tag = sha256(Buffer.from('BIP0322-signed-message'))
  const message = sha256(concatBytes(tag, tag, Buffer.from(text)))
  const spent = new Transaction()
  spent.version = 0
  spent.addInput(new Uint8Array(32), 0xffffffff, 0, concatBytes(Uint8Array.of(0x00, 32), message))
  spent.addOutput(owner, 0n)
  const spending = new Transaction()
  spending.version = 0
  spending.addInput(spent.getHash(), 0, 0)
  spending.addOutput(Uint8Array.of(0x6a), 0n)
  return spending
}

/** The items of a serialized witness; each is below 253 bytes, so every length is one byte. */
const stackIn = ([count = 0, ...rest]: Uint8Array): readonly Uint8Array[] => {
  const items: Uint8Array[] = []
  let at = 0
  for (let n = 0; n < count; n++) {
    const length = rest[at] ?? 0
    items.push(Uint8Array.from(rest.slice(at + 1, at + 1 + length)))
    at += 1 + length
  }
  return at === rest.length ? items : []
}

const messageHash = (magic: string, text: string): Uint8Array => {
  const message = Buffer.from(text)
  const length =
    message.length < 253
      ? Uint8Array.of(message.length)
      : Uint8Array.of(0xfd, message.length & 0xff, message.length >> 8)
  return crypto.hash256(concatBytes(Uint8Array.of(magic.length), Buffer.from(magic), length, message))
}

const isLow = (signature: Uint8Array): boolean =>
  BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`) <= HALF_ORDER

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
