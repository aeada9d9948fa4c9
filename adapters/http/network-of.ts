/** The network that counts for what a caller writes: its IPv4 address, or of IPv6 the /56 that one household or server is given. */
export const writerOf = (ip: string): string => {
  const network = networkOf(ip)
  if (!network.includes(':')) return network
  const [subnet = '0', ...head] = network.split(':').toReversed()
  return [...head.toReversed(), (Number.parseInt(subnet, 16) & 0xff00).toString(16)].join(':')
}

/** A caller's address as it is counted: of IPv6 the network, because one caller has all of it. */
export const networkOf = (ip: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined || !ip.includes(':')) return mapped ?? ip
  const [head = '', tail] = ip.toLowerCase().split('::')
  const first = head.split(':').filter((group) => group !== '')
  const last = (tail ?? '').split(':').filter((group) => group !== '')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0')
  const groups = [...first, ...zeros, ...last].slice(0, 4)
  return groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')
}
