/**
 * Tells which URLs may be called on a merchant's word. Pure text: names are resolved and checked again when the call is
 * made.
 */
import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/**
 * `host:port` of private targets that may be called all the same, over http too; hosts as the URL parser writes them.
 */
export type AllowList = ReadonlySet<string>

/** The reason why a URL may not be called, in words for the person who entered it. */
export type UrlFault =
  | 'the URL is longer than 2048 characters'
  | 'the URL is malformed'
  | 'the URL carries a user name or password'
  | 'the URL is not https'
  | 'the port is one of another service, such as mail or a database'
  | 'the host is not a public name'
  | 'the host is not a public address'

const URL_LENGTH_MAX = 2048

/**
 * Undefined when the URL may be called: https, a public host, a port that no other well-known service has (W-URL-01),
 * or a target on the allow-list.
 */
export const urlFault = (raw: string, allow: AllowList): UrlFault | undefined => {
  if (raw.length > URL_LENGTH_MAX) return 'the URL is longer than 2048 characters'
  // The URL parser drops tabs and line ends, turns backslashes into slashes and supplies missing ones; other readers of
  // the same text may not.
  const written = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)/i.exec(raw)
  if (!written?.[2] || UNSAFE.test(raw) || !URL.canParse(raw)) return 'the URL is malformed'
  if (written[2].includes('@')) return 'the URL carries a user name or password'
  const url = new URL(raw)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'the URL is not https'
  if (allow.has(hostAndPort(url))) return undefined
  if (url.protocol !== 'https:') return 'the URL is not https'
  if (OTHER_SERVICES.has(portOf(url))) return 'the port is one of another service, such as mail or a database'
  return hostFault(bareHost(url))
}

/**
 * The OUTBOUND_ALLOW setting: `host:port` items parted by commas; an empty text allows nothing.
 * Throws an Error that names the first item that is not a host and a port from 1 to 65535.
 */
export const parseAllowList = (text: string): AllowList => {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  return new Set(items.map(allowItem))
}

/** `host:port` of a URL, with the port its scheme implies: the form in which the allow-list is asked. */
export const hostAndPort = (url: URL): string => `${url.hostname}:${portOf(url)}`

const allowItem = (item: string): string => {
  const [, host = '', port = ''] = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]*]+):([0-9]{1,5})$/i.exec(item) ?? []
  const url = URL.parse(`https://${host}:${port}`)
  if (host === '' || Number(port) === 0 || !url) {
    throw new Error(`OUTBOUND_ALLOW: "${item}" is not host:port, such as localhost:9001 or [::1]:9001`)
  }
  return hostAndPort(url)
}

// White space and control characters of every script, backslashes, and halves of surrogate pairs.
const UNSAFE = /[\s\\\p{Cc}\p{Cf}\p{Cs}]/u

/**
 * Ports whose services take commands as lines of text, where a POST might do harm: those that browsers call on no
 * page's word (Fetch standard, port blocking), then databases, caches, remote desktops and container engines.
 */
const OTHER_SERVICES: ReadonlySet<number> = new Set(
  [
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 80 87 95 101 102 103 104 109 110 111 113',
    '115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556',
    '563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666',
    '6667 6668 6669 6679 6697 10080',
    '1433 1521 2375 2376 2379 3306 3389 5432 5900 6379 9042 11211 27017',
  ].flatMap((line) => line.split(' ').map(Number)),
)

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port))

const bareHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

const hostFault = (host: string): UrlFault | undefined => {
  if (isIP(host)) return isPublicAddress(host) ? undefined : 'the host is not a public address'
  const labels = host.split('.')
  const wellFormed = host.length <= HOST_LENGTH_MAX && labels.length > 1 && labels.every((label) => LABEL.test(label))
  return wellFormed && !SPECIAL_DOMAINS.has(labels.at(-1) ?? '') ? undefined : 'the host is not a public name'
}

const HOST_LENGTH_MAX = 253
// An empty label would be a trailing dot, which names the same host in a form that lists of names miss.
const LABEL = /^[a-z0-9_-]{1,63}$/

// Top-level names that no public resolver answers for: RFC 6761, 6762, 7686, 8375, 9476, and what private networks use.
const SPECIAL_DOMAINS: ReadonlySet<string> = new Set([
  'alt',
  'arpa',
  'corp',
  'example',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'mail',
  'onion',
  'private',
  'test',
])
