import test from 'ava'
import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { parseAllowList } from '../../adapters/outbound/url-rules.ts'
import { startReceiver } from './receiver.ts'
import { certificate } from './self-signed.ts'

// A loopback address of its own, on a port that the rules let through: a call that slips past the guard is counted
// here.
const VICTIM = `127.${[0, 8, 16].map((shift) => 1 + ((process.pid >> shift) & 0x7f)).join('.')}`
const URL_OF_VICTIM = 'https://hooks.example.com:8443/'
// Global unicast by its number, but no network owns it: a connection to it is not answered by anyone.
const NOBODY = '2000::1'

const allow = parseAllowList('')
const victim = startReceiver((_, response) => response.end(), { host: VICTIM, port: 8443, secure: true })
test.after.always(async () => (await victim).stop())

for (const [what, addresses] of [
  ['a loopback address', [VICTIM]],
  ['public and private addresses mixed', ['8.8.8.8', VICTIM]],
  ['an address mapped from IPv4', [`::ffff:${VICTIM}`]],
  ['an address mapped from IPv4 in hexadecimal', ['::ffff:7f00:1']],
  ['a NAT64 address', ['64:ff9b::7f00:1']],
  ['a 6to4 address', ['2002:7f00:1::']],
  ['the IPv6 loopback address', ['2606:4700:4700::1111', '::1']],
  ['a link-local address with a zone', ['fe80::1%eth0']],
  ['the metadata address', ['169.254.169.254']],
  ['the metadata address of another cloud', ['fd00:ec2::254']],
  ['a private address', ['10.0.0.1']],
  ['the unspecified address', ['0.0.0.0']],
] as const) {
  test(`X-SSRF-01 a name that resolves to ${what} is refused and no request leaves`, async (t) => {
    const { connections } = await victim
    const asked: string[] = []
    const outbound = createOutbound({
      allow,
      userAgent: 'Daybook-Test/1',
      tls: { ca: certificate },
      lookup: async (hostname) => {
        asked.push(hostname)
        return addresses
      },
    })
    t.teardown(outbound.close)
    t.like(await outbound.post(URL_OF_VICTIM, '{}', {}), { status: undefined, reason: 'address-refused', bodyHead: '' })
    t.deepEqual(asked, ['hooks.example.com'])
    t.is(connections(), 0)
  })
}

test('X-SSRF-01 a name that changes its answer after the check never leads to the new address', async (t) => {
  const { connections } = await victim
  let asked = 0
  const lookup = async () => (asked++ % 2 === 0 ? [NOBODY] : [VICTIM])
  const outbound = createOutbound({ allow, lookup, userAgent: 'Daybook-Test/1', tls: { ca: certificate } })
  t.teardown(outbound.close)
  const first = await outbound.post(URL_OF_VICTIM, '{}', {})
  t.true(['connection-failed', 'connect-timeout'].includes(String(first.reason)), String(first.reason))
  t.is(asked, 1)
  t.is((await outbound.post(URL_OF_VICTIM, '{}', {})).reason, 'address-refused')
  t.is(asked, 2)
  t.is(connections(), 0)
})

test('X-SSRF-01 an allow-listed name may be private, but only on the port that is listed', async (t) => {
  const receiver = await startReceiver((_, response) => response.end('in'))
  t.teardown(receiver.stop)
  const listed = parseAllowList(`hooks.example.com:${receiver.port}`)
  const outbound = createOutbound({ allow: listed, lookup: async () => ['127.0.0.1'], userAgent: 'Daybook-Test/1' })
  t.teardown(outbound.close)
  t.is((await outbound.post(`http://hooks.example.com:${receiver.port}/`, '{}', {})).bodyHead, 'in')
  t.is((await outbound.post('https://hooks.example.com:8443/', '{}', {})).reason, 'address-refused')
  t.is((await outbound.post('https://hooks.example.com/', '{}', {})).reason, 'address-refused')
})

test('an allow-listed name is found in the hosts file of the machine', async (t) => {
  const receiver = await startReceiver((_, response) => response.end('home'), { host: 'localhost' })
  t.teardown(receiver.stop)
  const outbound = createOutbound({ allow: parseAllowList(`localhost:${receiver.port}`), userAgent: 'Daybook-Test/1' })
  t.teardown(outbound.close)
  t.is((await outbound.post(`http://localhost:${receiver.port}/`, '{}', {})).bodyHead, 'home')
})

for (const [what, lookup] of [
  ['has no address', async () => []],
  ['is not known', () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }))],
  ['resolves to something that is no address', async () => ['example.net']],
] as const) {
  test(`a name that ${what} is told as not resolved`, async (t) => {
    const outbound = createOutbound({ allow, lookup, userAgent: 'Daybook-Test/1' })
    t.teardown(outbound.close)
    t.like(await outbound.post(URL_OF_VICTIM, '{}', {}), { status: undefined, reason: 'name-not-resolved' })
  })
}
