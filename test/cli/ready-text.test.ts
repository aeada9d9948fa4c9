import test from 'ava'
import { readyText } from '../../src/commands/service/serve.ts'

const PLACES = {
  origin: 'http://localhost:4020',
  metricsUrl: 'http://127.0.0.1:9/metrics',
  inboxUrl: 'http://localhost:4020/dev/inbox',
  sandbox: { eth: 'http://127.0.0.1:1', base: 'http://127.0.0.1:2' },
  eventStoreUrl: 'esdb://ada:s3cret@localhost:2113',
}
const CONFIG = { dataDir: '/var/daybook' }

test('at a terminal the start says where everything is in words, and without a password', (t) => {
  const text = readyText(CONFIG, PLACES, true)
  for (const each of ['4020/openapi.json', '4020/dev/inbox', '/var/daybook', '9/metrics', 'Stop with Ctrl-C'])
    t.true(text.includes(each), each)
  t.regex(text, /Chain +http:\/\/127\.0\.0\.1:1 \(sandbox in place of Ethereum; pays from anvil's public test accounts/)
  t.regex(text, /Chain +http:\/\/127\.0\.0\.1:2 \(sandbox in place of Base, with a dollar/)
  t.false(text.includes('s3cret'))
})

test('elsewhere it is one line of JSON, as every line of the log is', (t) => {
  const text = readyText(CONFIG, PLACES, false)
  t.false(text.includes('\n'))
  t.like(JSON.parse(text), { ready: true, url: PLACES.origin, sandbox: PLACES.sandbox, dataDir: '/var/daybook' })
  t.false(text.includes('s3cret'))
})
