import { keccak_256 } from '@noble/hashes/sha3.js'
import { recentMap } from '../../domain/kernel/recent-map.ts'

/** Addresses whose form is remembered, up to twice as many. */
const KEPT = 10_000

const known = recentMap<string>(KEPT)

/**
 * An EVM address in EIP-55 form, whatever letter case it has. Public doors ask for a handful of addresses with each
 * payment, and the watch for those of each transfer, mostly the same ones; a library that moves each of them to the
 * front of its list at every question costs as much as the rest of the check.
 */
export const eip55 = (address: string): string => {
  const plain = address.toLowerCase()
  const before = known.get(plain)
  if (before !== undefined) return before
  if (!/^0x[0-9a-f]{40}$/.test(plain)) throw new Error('not the address of an EVM chain')
  const form = withCase(plain.slice(2))
  known.set(plain, form)
  return form
}

/** A letter is a capital where the digit of the hash at its place is 8 or more. */
const withCase = (digits: string): string => {
  const hash = Buffer.from(keccak_256(Buffer.from(digits, 'ascii'))).toString('hex')
  return `0x${digits.replaceAll(/[a-f]/g, (letter, at: number) => ((hash[at] ?? '') >= '8' ? letter.toUpperCase() : letter))}`
}
