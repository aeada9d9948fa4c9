import { getAddress } from 'viem'
import { recentMap } from '../../domain/kernel/recent-map.ts'

/** Addresses whose form is remembered, up to twice as many. */
const KEPT = 10_000

const known = recentMap<string>(KEPT)

/**
 * An EVM address in EIP-55 form, whatever letter case it has. Public doors ask for a handful of addresses with each
 * payment, mostly the same ones; a library that moves each of them to the front of its list at every question costs as
 * much as the rest of the check.
 */
export const eip55 = (address: string): string => {
  const plain = address.toLowerCase()
  const before = known.get(plain)
  if (before !== undefined) return before
  const form = getAddress(plain)
  known.set(plain, form)
  return form
}
