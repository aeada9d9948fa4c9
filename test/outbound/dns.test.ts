import test from 'ava'
import { createDns } from '../../adapters/dns.ts'
import { type DnsAnswer, startDnsServer } from '../support/dns-server.ts'

const zone = new Map<string, DnsAnswer>([
  ['_svc-signin.shop.example', ['v=spf1 -all', ['svc-sig', 'nin=abc'], 'other']],
  ['_svc-signin.empty.example', []],
  ['_svc-signin.broken.example', { rcode: 2 }],
  ['_svc-signin.refused.example', { rcode: 5 }],
  ['_svc-signin.hole.example', 'silent'],
])

test('A-CLI-04 four answers are told apart: records, none, no such name, and none that says anything', async (t) => {
  const server = await startDnsServer(zone)
  t.teardown(() => server.stop())
  const { txt } = createDns([server.address])
  const ask = (domain: string) => txt(`_svc-signin.${domain}`)
  const [found, empty, missing, broken, refused, hole] = await Promise.all(
    ['shop.example', 'empty.example', 'gone.example', 'broken.example', 'refused.example', 'hole.example'].map(ask),
  )
  t.deepEqual(found, { status: 'found', texts: ['v=spf1 -all', 'svc-signin=abc', 'other'] })
  t.deepEqual([empty, missing], [{ status: 'absent' }, { status: 'absent' }])
  t.deepEqual(broken, { status: 'unclear', reason: 'ESERVFAIL' })
  t.deepEqual(refused, { status: 'unclear', reason: 'EREFUSED' })
  t.deepEqual(hole, { status: 'unclear', reason: 'ETIMEOUT' })
})

test('A-CLI-04 without a name server nothing is known of a name', async (t) => {
  const server = await startDnsServer()
  await server.stop()
  t.is((await createDns([server.address]).txt('_svc-signin.shop.example')).status, 'unclear')
})
