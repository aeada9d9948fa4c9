/** What a connection string may say, what becomes of its user, and that its password is never told to anybody else. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect, promisify } from 'node:util'
import { ServerCredentials } from '@grpc/grpc-js'
import test from 'ava'
import { readConnectionString } from '../../adapters/store/client/connection-string.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { newCertificate } from './certificate.ts'
import { firstOf, newEvent, newStream } from './events.ts'
import { faultyServer } from './faulty-server.ts'
import { newClient, newDirectory } from './open.ts'

const PASSWORD = 'p@ss:w/rd?&%#é'
const encoded = encodeURIComponent(PASSWORD)

test('a connection string gives its hosts and options to the client, and its user to the calls', (t) => {
  t.deepEqual(
    readConnectionString(`esdb://daybook:${encoded}@a.internal:2113,b.internal:2113?tls=true&keepAliveInterval=10000`),
    {
      address: 'esdb://a.internal:2113,b.internal:2113?tls=true&keepAliveInterval=10000&keepAliveTimeout=5000',
      user: { username: 'daybook', password: PASSWORD },
      insecure: false,
      hosts: ['a.internal:2113', 'b.internal:2113'],
      authority: undefined,
    },
  )
  t.deepEqual(readConnectionString('esdb+discover://localhost?tls=false&keep_alive-timeout=20000'), {
    address: 'esdb+discover://localhost?tls=false&keep_alive-timeout=20000',
    user: undefined,
    insecure: true,
    hosts: ['localhost:2113'],
    authority: undefined,
  })
  t.is(readConnectionString('esdb://u:p@localhost?tlsCAFile=%2Fmy%20ca.crt').authority, '/my ca.crt')
  t.is(readConnectionString('esdb://u:p@localhost/').address, 'esdb://localhost?keepAliveTimeout=5000')
})

const refused: readonly (readonly [string, RegExp])[] = [
  ['esdb://localhost:2113', /user:password@/],
  ['esdb://hunter2@localhost:2113', /user:password@/],
  ['esdb://admin:@localhost:2113', /user:password@/],
  ['http://admin:hunter2@localhost:2113?tls=false', /is not esdb:/],
  ['esdb://admin:hunter2/x@localhost:2113', /URL-encoded/],
  ['esdb://admin:hunter2?x@localhost:2113', /URL-encoded/],
  ['esdb://admin:hunter2@x@localhost:2113', /URL-encoded/],
  ['esdb://admin:hunter2%zz@localhost:2113', /URL-encoded/],
  ['esdb://admin:hunter2@', /is not esdb:/],
  ['esdb://admin:hunter2@localhost:port', /port number/],
  ['esdb://admin:hunter2@localhost:2113?tls=maybe', /true or false/],
  ['esdb://admin:hunter2@localhost:2113?tls=true&colour=red', /unknown option: colour/],
  ['esdb://admin:hunter2@localhost:2113?tlsVerifyCert=false', /tlsCAFile/],
  ['esdb://admin:hunter2@localhost:2113?tlsCAFile=/nowhere.crt', /names no file: .nowhere.crt/],
  ['esdb://admin:hunter2@localhost:2113?throwOnAppendFailure=false', /wrong revision/],
  ['esdb://admin:hunter2@localhost:2113?throw_on_append-failure=false', /wrong revision/],
  ['esdb://admin:hunter2@localhost:2113?keepAliveInterval=-1', /above 0/],
  ['esdb://admin:hunter2@localhost:2113?KeepAliveTimeout=0', /above 0/],
]
test('a connection string that would lose a user, a time limit or an event is refused, without a word of its password', (t) => {
  for (const [text, message] of refused) {
    const error = t.throws(() => eventStoreDb(text), { message }, text)
    t.notRegex(inspect(error, { depth: Number.POSITIVE_INFINITY }), /hunter2/, text)
  }
})

test('with TLS the user of the connection string makes every call', async (t) => {
  const { key, certificate } = newCertificate()
  const authority = join(newDirectory(t), 'ca.crt')
  writeFileSync(authority, certificate)
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(certificate) }
  const { address, users } = await faultyServer(t, { credentials: ServerCredentials.createSsl(null, [pair]) })
  const port = address.split(':')[1]
  const store = newClient(t, `esdb://daybook:${encoded}@localhost:${port}?tlsCAFile=${encodeURIComponent(authority)}`)
  const stream = newStream()
  await store.append(stream, -1n, [newEvent('One')])
  t.true((await store.head()) > 0n)
  for await (const page of store.read(stream)) t.is(page.length, 1)
  for await (const page of store.readAll(-1n)) t.is(page.length, 1)
  t.is((await firstOf(store, -1n, 1, () => true)).length, 1)
  const user = `Basic ${Buffer.from(`daybook:${PASSWORD}`).toString('base64')}`
  t.deepEqual(
    users,
    Array.from({ length: 8 }, () => user),
  )
})

test('neither our log nor our errors nor what the client prints for debugging hold the password', async (t) => {
  const script = join(newDirectory(t), 'debugging.mjs')
  const adapter = pathToFileURL(join(import.meta.dirname, '../../adapters/store/client/eventstoredb.ts'))
  writeFileSync(
    script,
    `import { inspect } from 'node:util'
    import { eventStoreDb } from ${JSON.stringify(adapter)}
    const show = (...what) => console.log(inspect(what, { depth: Infinity }))
    const limits = { appendTryMs: 300, appendMs: 600, pageMs: 300, readMs: 600, confirmMs: 300 }
    const meta = { v: 1, at: '2026-01-02T03:04:05.678Z', cause: { actor: 'a', correlationId: 'b' } }
    const event = { id: '0f36e1a4-59a1-4bd1-9c4a-2a3a0c8f4a11', type: 'One', data: {}, meta }
    const use = async (options) => {
      const stop = new AbortController()
      const log = (message, details) => {
        show(message, details)
        if (message.startsWith('a subscription was lost')) stop.abort()
      }
      const store = eventStoreDb('esdb://daybook:hunter2@127.0.0.1:1' + options, { log, limits })
      const following = (async () => { for await (const page of store.subscribe(-1n, stop.signal)) show(page) })()
      await store.append('thing', -1n, [event]).catch(show)
      await store.head().catch(show)
      await following
      await store.close()
    }
    await Promise.all(['', '?tls=false', '?tls=true&connectionName=x'].map(use))`,
  )
  const env = { PATH: process.env.PATH, DEBUG: 'esdb:*' }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], { env, timeout: 30_000 })
  t.regex(stderr, /Using connection string/)
  t.regex(stderr, /an append to thing/)
  t.regex(stdout, /OutcomeUnknown/)
  t.regex(stdout, /a subscription was lost/)
  const secret = Buffer.from('daybook:hunter2').toString('base64')
  for (const text of [stdout, stderr]) t.false(text.includes('hunter2') || text.includes(secret))
})
