/**
 * Tells which IP addresses lie on the public internet; everything that calls out on a stranger's word asks here first.
 */
import { BlockList, isIP } from 'node:net'

/**
 * Whether an IP address (as text, IPv6 without brackets) may be called on a stranger's word (X-SSRF-01). IPv4 is public
 * unless the IANA special-purpose registry (RFC 6890) names it; IPv6 is public only inside the global unicast block.
 * Anything that is not an address, or carries a zone (`fe80::1%eth0`), is not public.
 */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address)
  if (family === 4) return !specialV4.check(address, 'ipv4')
  if (family === 6)
    return !address.includes('%') && globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
  return false
}

const subnets = (family: 'ipv4' | 'ipv6', blocks: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}

const specialV4 = subnets('ipv4', [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; one cloud's metadata service
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's host agent on an otherwise public address
  '169.254.0.0/16', // link-local; most clouds' metadata service
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; one cloud's metadata service
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnelling
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
])

// An allow-list: mapped, compatible, NAT64, unique-local, link-local and whatever comes later lie outside it.
const globalV6 = subnets('ipv6', ['2000::/3'])

const specialV6 = subnets('ipv6', [
  '2001::/23', // Teredo, ORCHID and other protocol assignments
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4 carries an IPv4 address, possibly a private one
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
])
