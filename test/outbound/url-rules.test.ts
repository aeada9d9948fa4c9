import test from 'ava'
import { isPublicAddress } from '../../adapters/outbound/public-address.ts'
import { parseAllowList, urlFault } from '../../adapters/outbound/url-rules.ts'

const nothing = parseAllowList('')

const ADDRESS = 'the host is not a public address'
const NAME = 'the host is not a public name'
const MALFORMED = 'the URL is malformed'

const loopbackSpellings = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '0',
  '0.0.0.0',
  '0x0',
  '127.0.0.1.',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  '%31%32%37.0.0.1',
  '127.255.255.254',
]
const metadata = [
  '169.254.169.254',
  '0xA9FEA9FE',
  '2852039166',
  '169.254.43518',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
]
const specialV4 = [
  '10.0.0.0',
  '10.255.255.255',
  '172.16.0.0',
  '172.31.255.255',
  '192.168.0.0',
  '192.168.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '198.18.0.0',
  '198.19.255.255',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
]
const specialV6 = [
  '::',
  '::1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
  '2001:db8::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'ff02::1',
  '100::1',
  'fec0::1',
  '3fff::1',
  '5f00::1',
  '2620:4f:8000::1',
]
const privateNames = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'foo.localhost',
  'printer.local',
  'metadata.google.internal',
  'intranet',
  '1.0.0.127.in-addr.arpa',
  'abc.onion',
  'example.com.',
  'a..example.com',
  'x.test',
  'x.example',
  'x.invalid',
  'router.lan',
  'nas.home',
  'mail.corp',
  'db.private',
  'host.localdomain',
  'x.alt',
  'ｌｏｃａｌｈｏｓｔ',
]

for (const [family, hosts, fault] of [
  ['the loopback address', loopbackSpellings, ADDRESS],
  ['a metadata address', metadata, ADDRESS],
  ['a special IPv4 address', specialV4, ADDRESS],
  ['a special IPv6 address', specialV6.map((host) => `[${host}]`), ADDRESS],
  ['a private name', privateNames, NAME],
] as const) {
  test(`W-URL-01 ${family} is refused in every spelling`, (t) => {
    for (const host of hosts) t.is(urlFault(`https://${host}/hook`, nothing), fault, host)
  })
}

test('W-URL-01 an address with a zone is refused', (t) => {
  t.is(urlFault('https://[fe80::1%25eth0]/', nothing), MALFORMED)
  t.false(isPublicAddress('fe80::1%eth0'))
  t.false(isPublicAddress('2606:4700::1111%eth0'))
})

test('W-URL-01 only https is called', (t) => {
  for (const url of [
    'http://example.com/',
    'http://127.0.0.1/',
    'ftp://example.com/',
    'gopher://example.com/',
    'HTTP://example.com',
  ]) {
    t.is(urlFault(url, nothing), 'the URL is not https', url)
  }
  for (const url of ['file:///etc/passwd', 'data:text/plain,x', 'javascript:alert(1)', 'mailto:a@example.com']) {
    t.is(urlFault(url, nothing), MALFORMED, url)
  }
})

test('W-URL-01 a user name or password is refused, also an empty one', (t) => {
  for (const url of [
    'https://user:pw@example.com/',
    'https://example.com@127.0.0.1/',
    'https://@example.com/',
    'https://:@example.com/',
  ]) {
    t.is(urlFault(url, nothing), 'the URL carries a user name or password', url)
  }
  t.is(urlFault('https://127.0.0.1#@example.com/', nothing), ADDRESS)
  t.is(urlFault('https://127.0.0.1?@example.com/', nothing), ADDRESS)
})

test('W-URL-01 text that two readers could take for two hosts is refused', (t) => {
  for (const url of [
    'https://127.0.0.1\\@example.com/',
    'https://example.com\\@127.0.0.1/',
    'https:/\\127.0.0.1',
    'https:127.0.0.1',
    'https:example.com',
    'https:/example.com',
    'https:///example.com',
    '//127.0.0.1',
    '//example.com',
    'example.com',
    ' https://example.com/',
    'https://example.com/ ',
    'https://exa\tmple.com/',
    'https://example.com/\r\nHost: x',
    'https://example.com/\u0000',
    'https://exam\u00adple.com/',
    'https://example.com/\ud800',
    '',
    'https://',
    'https://[::1',
    'https://256.1.1.1/',
    'https://1.2.3.4.5/',
    'https://example.com:99999/',
    'https://exa<mple.com/',
  ]) {
    t.is(urlFault(url, nothing), MALFORMED, JSON.stringify(url))
  }
})

test('W-URL-01 a port of a well-known other service is refused, and any other passes', (t) => {
  const fault = 'the port is one of another service, such as mail or a database'
  for (const port of [0, 22, 25, 53, 80, 110, 465, 587, 993, 2375, 3306, 3389, 5432, 6379, 6697, 10080, 11211, 27017])
    t.is(urlFault(`https://example.com:${port}/`, nothing), fault, String(port))
  for (const port of ['', ':443', ':444', ':3000', ':4443', ':8080', ':8443', ':9443', ':65535'])
    t.is(urlFault(`https://example.com${port}/`, nothing), undefined, port)
  t.is(urlFault('https://10.0.0.1:9443/', nothing), 'the host is not a public address')
})

test('W-URL-01 a URL of 2048 characters passes and a longer one does not', (t) => {
  const url = 'https://example.com/'.padEnd(2048, 'a')
  t.is(urlFault(url, nothing), undefined)
  t.is(urlFault(`${url}a`, nothing), 'the URL is longer than 2048 characters')
})

test('W-URL-01 public hosts pass', (t) => {
  for (const host of [
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '8.8.8.8',
    '1.1.1.1',
    '223.255.255.255',
    '198.17.0.1',
    '[2606:4700:4700::1111]',
    '[2a00:1450:4001:80e::200e]',
    '[2001:4860:4860::8888]',
    '[2003::1]',
    'example.com',
    'EXAMPLE.com',
    'hooks.shop.co.uk',
    'bücher.example.com',
    '例え.jp',
    'xn--bcher-kva.de',
    'a_b.example.com',
    'test.com',
    'local.de',
    'localhost.com',
    'foo.bar.museum',
    'example.com:8443',
  ]) {
    t.is(urlFault(`https://${host}/hook?a=1#b`, nothing), undefined, host)
  }
})

test('X-SSRF-01 an allow-listed target passes over http and https, at its exact host and port only', (t) => {
  const allow = parseAllowList(' 127.0.0.1:9000, LOCALHOST:9001 ,[::1]:9002,hooks.internal:80,')
  t.deepEqual([...allow], ['127.0.0.1:9000', 'localhost:9001', '[::1]:9002', 'hooks.internal:80'])
  for (const url of [
    'http://127.0.0.1:9000/x',
    'https://127.0.0.1:9000/',
    'http://localhost:9001/',
    'http://[::1]:9002/',
    'http://hooks.internal/',
  ]) {
    t.is(urlFault(url, allow), undefined, url)
  }
  for (const url of [
    'http://127.0.0.1:9001/',
    'http://localhost:9000/',
    'https://hooks.internal/',
    'http://127.0.0.2:9000/',
  ]) {
    t.not(urlFault(url, allow), undefined, url)
  }
  t.is(urlFault('ftp://127.0.0.1:9000/', allow), 'the URL is not https')
  t.is(urlFault('http://user@127.0.0.1:9000/', allow), 'the URL carries a user name or password')
})

test('an allow-list item that is not host:port stops the start and is named', (t) => {
  t.is(parseAllowList('').size, 0)
  for (const item of [
    'localhost',
    ':9000',
    'localhost:',
    'localhost:0',
    'localhost:65536',
    'http://localhost:9000',
    '*:80',
    'a b:80',
    '::1:80',
    'u@h:80',
    'h:80/x',
  ]) {
    const error = t.throws(() => parseAllowList(`127.0.0.1:9000,${item}`), undefined, item)
    t.true(error?.message.includes(`"${item}" is not host:port`), error?.message)
  }
})
