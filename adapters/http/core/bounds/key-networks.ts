import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import type { SealedText, Vault } from '../../../../domain/kernel/ports.ts'
import { recentMap } from '../../../../domain/kernel/recent-map.ts'

/** The networks that a key may come from (N-99): how they are written, and whether an address lies in one. */

/** Networks of one key. */
const NETWORKS_MAX = 20
/** Lists that a process keeps ready, and up to twice as many. */
const READY_MAX = 1_000

const BITS = { ipv4: 32, ipv6: 128 } as const
type Family = keyof typeof BITS
type Network = { readonly address: string; readonly prefix: number; readonly family: Family }

/** One network as a caller writes it: an address, or CIDR. */
const KeyNetwork = z
  .string()
  .trim()
  .max('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128'.length)
  .superRefine((text, { addIssue }) => {
    const fault = faultOf(text)
    if (fault !== undefined) addIssue({ code: 'custom', message: fault })
  })
  .transform((text) => canonical(text))

/** The networks of a key as a caller writes them; null and an empty list remove them. */
export const KeyNetworks = z.array(KeyNetwork).max(NETWORKS_MAX).nullable().meta({
  description: 'IPv4 or IPv6 networks as CIDR (`203.0.113.0/24`, `2001:db8::/32`), or single addresses; null for all.',
})

/** Whether an address lies in one of the sealed networks. Nothing lies in networks that cannot be read any more. */
export const comesFrom = async (vault: Pick<Vault, 'open'>, sealed: SealedText, from: string): Promise<boolean> => {
  const list = ready.get(sealed) ?? listOf(((await vault.open(sealed)) ?? '').split(' '))
  ready.set(sealed, list)
  const address = plainAddress(from)
  const family = familyOf(address)
  return family !== undefined && list.check(address, family)
}

const ready = recentMap<BlockList>(READY_MAX)

/** An address of IPv4 as people write it, also where it comes as one of IPv6 that stands for it. */
export const plainAddress = (from: string): string => from.replace(MAPPED, '')
const MAPPED = /^::ffff:(?=\d+\.)/i

const listOf = (networks: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const { address, prefix, family } of networks.map(parsed).filter((network) => network !== undefined))
    list.addSubnet(address, prefix, family)
  return list
}

const familyOf = (address: string): Family | undefined =>
  (({ 0: undefined, 4: 'ipv4', 6: 'ipv6' }) as const)[isIP(address) as 0 | 4 | 6]

const parsed = (text: string): Network | undefined => {
  const [address = '', size, ...rest] = text.split('/')
  const family = address.includes('%') ? undefined : familyOf(address)
  if (family === undefined || rest.length > 0) return undefined
  const prefix = size === undefined ? BITS[family] : /^\d{1,3}$/.test(size) ? Number(size) : Number.NaN
  return prefix <= BITS[family] ? { address, prefix, family } : undefined
}

/** What is wrong with a network; a list that means something else than it says would be no limit. */
const faultOf = (text: string): string | undefined => {
  const network = parsed(text)
  if (!network) return 'has to be a network such as 203.0.113.0/24 or 2001:db8::/32, or one address'
  const bits = bitsOf(network)
  if (network.family === 'ipv6' && bits >> 32n === MAPPED_BITS)
    return 'has to be written as IPv4, not as an IPv6 address that stands for one'
  if (bits & ((1n << BigInt(BITS[network.family] - network.prefix)) - 1n))
    return `has bits beyond its first ${network.prefix}: write the first address of the network`
  return undefined
}

/** Of an IPv6 address that stands for one of IPv4, all bits but the last 32. */
const MAPPED_BITS = 0xffffn

/** The one form in which a network is kept: `203.0.113.7` becomes `203.0.113.7/32`. */
const canonical = (text: string): string => {
  const network = parsed(text)
  if (!network) return text
  const { address, prefix, family } = network
  return `${family === 'ipv4' ? address : shortest(address)}/${prefix}`
}

/** The parser of URLs writes an IPv6 address in its shortest form, in groups of hexadecimal digits. */
const shortest = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1)

const bitsOf = ({ address, family }: Network): bigint => {
  if (family === 'ipv4') return address.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
  const [head = '', tail = ''] = shortest(address).split('::')
  const [first, last] = [groupsOf(head), groupsOf(tail)]
  const zeros = Array<string>(8 - first.length - last.length).fill('0')
  return [...first, ...zeros, ...last].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
}

const groupsOf = (part: string): string[] => part.split(':').filter((group) => group !== '')
