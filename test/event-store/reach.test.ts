import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServerCredentials, status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { refusal } from '../../adapters/store/node/wire.ts'
import { freePort } from '../../src/demo/port.ts'
import { openServer } from '../../src/event-store/reach.ts'
import { BadSetting } from '../../src/settings/setting-kinds.ts'
import { newCertificate } from '../store/certificate.ts'
import { type Faults, faultyServer } from '../store/faulty-server.ts'
import { newCore, newDirectory } from '../store/open.ts'

/** What somebody reads whose EventStoreDB cannot be used: one sentence, at once where waiting cannot help. */

const SECRET = 'hunter2'

/** A start with a URL that cannot be used; its last words, and those while it waited. */
const refusedStart = async (t: ExecutionContext, url: string, seconds = 60) => {
  const told: string[] = []
  const error = await t.throwsAsync(openServer(url, () => {}, { seconds, tell: (message) => told.push(message) }))
  for (const text of [error?.message ?? '', ...told]) {
    t.false(text.includes(SECRET))
    t.regex(text, /^(waiting for the event store: )?EVENTSTORE_URL: /)
    t.notRegex(text, /\n|UNAVAILABLE: /)
  }
  return { error, told, words: error?.message ?? '' }
}

/** A server with TLS, of an authority that nobody knows. */
const withTls = async (t: ExecutionContext, faults: Faults = {}) => {
  const { key, certificate } = newCertificate()
  const authority = join(newDirectory(t), 'ca.crt')
  writeFileSync(authority, certificate)
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(certificate) }
  const server = await faultyServer(t, { ...faults, credentials: ServerCredentials.createSsl(null, [pair]) })
  const port = server.address.split(':')[1]
  return { ...server, port, authority, url: `esdb://daybook:${SECRET}@localhost:${port}?tlsCAFile=${authority}` }
}

const refusing = (code: status, words: string, exception: string): Faults => ({
  read: (call) => call.emit('error', refusal(code, words, { exception })),
})

test('a user without rights is told what it may not do, and the command that gives it the right', async (t) => {
  const { url, port, asked } = await withTls(t, refusing(status.PERMISSION_DENIED, 'Access Denied', 'access-denied'))
  const { error, words, told } = await refusedStart(t, url)
  t.true(error instanceof BadSetting)
  t.regex(words, /the user daybook may not read \$all/)
  t.true(words.includes(`daybook eventstore prepare --admin 'esdb://admin:<its password>@localhost:${port}'`))
  t.deepEqual([told, asked.reads.length], [[], 1])
})

test('a wrong password is told at once, with its user', async (t) => {
  const { url, asked } = await withTls(t, refusing(status.UNAUTHENTICATED, 'Unauthenticated', 'not-authenticated'))
  const { error, words } = await refusedStart(t, url)
  t.true(error instanceof BadSetting)
  t.regex(words, /does not know the user daybook, or knows it by another password/)
  t.is(asked.reads.length, 1)
})

test('an authority that is not named, another name and a server without TLS are told at once, whatever way the server is looked for', async (t) => {
  const { port, authority } = await withTls(t)
  const plain = await faultyServer(t)
  const cases: readonly [host: string, words: RegExp][] = [
    [`esdb://daybook:${SECRET}@localhost:${port}`, /not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\).* tlsCAFile=/],
    [`esdb+discover://daybook:${SECRET}@localhost:${port}`, /not trusted here .* tlsCAFile=/],
    [
      `esdb://daybook:${SECRET}@127.0.0.1:${port}?tlsCAFile=${authority}`,
      /another name \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    ],
    [`esdb://daybook:${SECRET}@${plain.address}`, /answers without TLS .* tls=false/],
  ]
  for (const [url, words] of cases) {
    const start = await refusedStart(t, url)
    t.true(start.error instanceof BadSetting, start.words)
    t.regex(start.words, words)
    t.deepEqual(start.told, [])
  }
})

test('what may pass is waited for as long as the setting says, with the address', async (t) => {
  const { port } = await withTls(t)
  const closed = await freePort()
  const cases: readonly [url: string, words: RegExp][] = [
    [`esdb://daybook:${SECRET}@localhost:${closed}`, /nobody listens at localhost:\d+ \(ECONNREFUSED\)/],
    [`esdb+discover://daybook:${SECRET}@localhost:${closed}?maxDiscoverAttempts=1`, /nobody listens at/],
    [`esdb://localhost:${port}?tls=false`, /does not serve as EventStoreDB .* without tls=false/],
    [`unix:${join(newDirectory(t), 'none.sock')}`, /nobody listens at .*none\.sock \(ENOENT\)/],
  ]
  const tried = async ([url, words]: (typeof cases)[number]) => {
    const { error, told, ...start } = await refusedStart(t, url, 4)
    t.false(error instanceof BadSetting)
    t.regex(start.words, words)
    t.regex(start.words, /\(waited 4 s, STARTUP_WAIT_SECONDS\)$/)
    // Once for the first five seconds.
    t.is(told.length, 1)
  }
  await Promise.all(cases.map(tried))
  t.deepEqual((await refusedStart(t, `esdb://daybook:${SECRET}@localhost:${closed}`, 0)).told, [])
})

test('a service that was started before its event store goes on once that is there', async (t) => {
  const port = await freePort()
  const told: string[] = []
  const opening = openServer(`esdb://127.0.0.1:${port}?tls=false`, () => {}, {
    seconds: 60,
    tell: (message, { secondsLeft }) => {
      told.push(`${message} ${secondsLeft}`)
      void serveProtocol(newCore(t), `127.0.0.1:${port}`).then((served) => t.teardown(() => served.stop()))
    },
  })
  const place = await opening
  t.teardown(() => place.close())
  t.is(await place.store.head(), -1n)
  t.is(told.length, 1)
  t.true(told[0]?.startsWith(`waiting for the event store: EVENTSTORE_URL: nobody listens at 127.0.0.1:${port}`))
})

test('a file of an authority that is not there is named, and so is an option that is none', async (t) => {
  const missing = await refusedStart(t, `esdb://daybook:${SECRET}@localhost:1?tlsCAFile=/nowhere/ca.crt`)
  t.is(missing.words, 'EVENTSTORE_URL: tlsCAFile names no file: /nowhere/ca.crt')
  t.regex(
    (await refusedStart(t, `esdb://daybook:${SECRET}@localhost:1?tlsCaPath=x`)).words,
    /unknown option: tlsCaPath/,
  )
})
