import type { Vault } from '../../../domain/kernel/ports.ts'

/** A caller's address as it is counted: for IPv6 its network of 56 bits, because one caller has all of it. */
export const networkOf = (ip: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined || !ip.includes(':')) return mapped ?? ip
  const [head = '', tail] = ip.toLowerCase().split('::')
  const first = head.split(':').filter((group) => group !== '')
  const last = (tail ?? '').split(':').filter((group) => group !== '')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0')
  const [a, b, c, d = '0'] = [...first, ...zeros, ...last].map((group) => group.replace(/^0+(?=.)/, ''))
  return [a, b, c, (Number.parseInt(d, 16) >> 8).toString(16)].join(':')
}

/** The mark of a network as it is stored: it tells networks apart, but does not name them to a reader of the log. */
export const networkMark = ({ vault }: { readonly vault: Vault }, network: string): string =>
  vault.fingerprint('network', network).slice(0, MARK_CHARACTERS)

const MARK_CHARACTERS = 16

/** The network as it is written in a letter: `203.0.113.7`, `2001:db8:1:200::/56`. */
export const networkName = (network: string): string => (network.includes(':') ? `${network}00::/56` : network)
