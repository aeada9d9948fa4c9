import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AccessDeniedError,
  BACKWARDS,
  END,
  EventStoreDBClient,
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM,
  type Position,
  persistentSubscriptionToStreamSettingsFromDefaults,
  START,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { credentials as grpcCredentials, Metadata } from '@grpc/grpc-js'
import test from 'ava'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { streamIdentifier, streamName } from '../../adapters/store/node/wire.ts'
import { connected, event, types } from './client.ts'
import { newCore, newDirectory, newNode } from './open.ts'

// One after the other: the batch path of this client mixes up the answers of two clients in one process.
const { serial } = test

const credentials = { username: 'nobody', password: 'nobody' }
for (const [path, options] of [
  ['batch', {}],
  ['unary', { credentials }],
] as const)
  serial(`the client appends on its ${path} path, and is told of a conflict`, async (t) => {
    const { client } = await connected(t)
    const done = await client.appendToStream('a', [event('One'), event('Two')], {
      expectedRevision: NO_STREAM,
      ...options,
    })
    t.is(done.nextExpectedRevision, 1n)
    t.true((done.position?.commit ?? 0n) > 0n)
    const next = await client.appendToStream('a', event('Three'), { expectedRevision: 1n, ...options })
    t.is(next.nextExpectedRevision, 2n)
    await client.appendToStream('a', event('Four'), options)
    const error = await t.throwsAsync(client.appendToStream('a', event('Late'), { expectedRevision: 0n, ...options }), {
      instanceOf: WrongExpectedVersionError,
    })
    t.is((error as WrongExpectedVersionError).actualVersion, 3n)
    t.is((error as WrongExpectedVersionError).expectedVersion, 0n)
    const absent = await t.throwsAsync(
      client.appendToStream('none', event('Late'), { expectedRevision: 0n, ...options }),
    )
    t.is((absent as WrongExpectedVersionError).actualVersion, 'no_stream')
    t.deepEqual(await types(client.readStream('a', { maxCount: 10 })), ['One', 'Two', 'Three', 'Four'])
  })

for (const [path, options] of [
  ['batch', {}],
  ['unary', { credentials }],
] as const)
  serial(`what is too large, or in the store's own name, is refused on the ${path} path`, async (t) => {
    const { client, core } = await connected(t)
    const large = (bytes: number) => event('Large', { text: 'x'.repeat(bytes) })
    const refused = { instanceOf: MaxAppendSizeExceededError }
    await t.throwsAsync(
      client.appendToStream(
        'a',
        Array.from({ length: 10 }, () => large(200_000)),
        options,
      ),
      refused,
    )
    await t.throwsAsync(client.appendToStream('a', large(300_000), options), refused)
    await t.throwsAsync(client.appendToStream('$own', event('One'), options), { instanceOf: AccessDeniedError })
    await t.throwsAsync(client.appendToStream('a', event('$own'), options), { instanceOf: AccessDeniedError })
    await t.throwsAsync(client.appendToStream('a', jsonEvent({ type: 'One', data: {}, id: 'none' }), options), {
      message: /UUID/,
    })
    t.is(core.head('a'), -1)
    await client.appendToStream('a', event('Fine'), options)
    t.is(core.head('a'), 0)
  })

serial('a stream is read both ways, from any place, and an unknown one is not found', async (t) => {
  const { client } = await connected(t)
  await client.appendToStream(
    'a',
    ['0', '1', '2', '3'].map((type) => event(type)),
  )
  await client.appendToStream('b', event('other'))
  t.deepEqual(await types(client.readStream('a', { maxCount: 2 })), ['0', '1'])
  t.deepEqual(await types(client.readStream('a', { fromRevision: 2n })), ['2', '3'])
  t.deepEqual(await types(client.readStream('a', { fromRevision: 9n })), [])
  t.deepEqual(await types(client.readStream('a', { direction: BACKWARDS, fromRevision: END })), ['3', '2', '1', '0'])
  t.deepEqual(await types(client.readStream('a', { direction: BACKWARDS, fromRevision: 1n, maxCount: 5 })), ['1', '0'])
  t.deepEqual(
    await types(client.readStream('a', { direction: BACKWARDS, fromRevision: 0xffffffffffffffffn, maxCount: 1 })),
    ['3'],
  )
  await t.throwsAsync(types(client.readStream('none')), { instanceOf: StreamNotFoundError })
})

serial('the whole log is read both ways and from any position', async (t) => {
  const { client } = await connected(t)
  for (const type of ['1', '2', '3']) await client.appendToStream(`s-${type}`, event(type))
  t.deepEqual(await types(client.readAll()), ['$log-created', '1', '2', '3'])
  t.deepEqual(await types(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 2 })), ['3', '2'])
  const positions: (Position | undefined)[] = []
  for await (const resolved of client.readAll()) positions.push(resolved.event?.position)
  const second = positions[2] ?? START
  t.deepEqual(await types(client.readAll({ fromPosition: second })), ['2', '3'])
  t.deepEqual(await types(client.readAll({ fromPosition: second, direction: BACKWARDS })), ['1', '$log-created'])
  t.deepEqual(await types(client.readAll({ fromPosition: END })), [])
  t.deepEqual(await types(client.readAll({ fromPosition: START, direction: BACKWARDS })), [])
})

serial('a read of many events arrives whole at a slow reader', async (t) => {
  const { client, core } = await connected(t)
  for (let i = 0; i < 4; i++)
    await client.appendToStream(
      'a',
      Array.from({ length: 500 }, () => event('Many', { text: 'x'.repeat(500) })),
    )
  let seen = 0
  for await (const { event: each } of client.readStream('a')) {
    t.is(each?.revision, BigInt(seen++))
    if (seen % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  t.is(seen, core.head('a') + 1)
})

serial('nothing can be deleted, and what is not served says so', async (t) => {
  const { client, core } = await connected(t)
  await client.appendToStream('a', event('Kept'))
  const refused = { instanceOf: AccessDeniedError, message: /deletes no stream/ }
  await t.throwsAsync(client.deleteStream('a'), refused)
  await t.throwsAsync(client.tombstoneStream('a'), refused)
  await t.throwsAsync(client.setStreamMetadata('a', { maxCount: 1 }), { instanceOf: AccessDeniedError })
  const settings = persistentSubscriptionToStreamSettingsFromDefaults()
  await t.throwsAsync(client.createPersistentSubscriptionToStream('a', 'group', settings), { message: /UNIMPLEMENTED/ })
  t.is(core.head('a'), 0)
})

serial('the node listens on this machine only', async (t) => {
  const core = newCore(t)
  for (const address of [
    '0.0.0.0:0',
    '[::]:0',
    '192.168.1.1:0',
    'example.org:0',
    '127.0.0.1',
    '127.0.0.1:99999',
    'unix:relative.sock',
    ':2113',
  ])
    await t.throwsAsync(serveProtocol(core, address), { message: /this machine only/ }, address)
  for (const address of ['127.0.0.1:0', 'localhost:0']) {
    const served = await serveProtocol(core, address)
    t.notRegex(served.address, /:0$/)
    await served.stop()
  }
})

serial(
  'a socket belongs to its user, a stale one is replaced, one in use and other files are left alone',
  async (t) => {
    const path = join(tmpdir(), `daybook-${randomUUID()}.sock`)
    const dying = "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))"
    spawnSync(process.execPath, ['-e', dying, path])
    t.true(statSync(path).isSocket())
    await newNode(t, `unix:${path}`)
    const client = new EventStoreDBClient({ endpoint: `unix:${path}` }, { insecure: true })
    t.teardown(() => client.dispose())
    await client.appendToStream('a', event('One'))
    t.is(statSync(path).mode & 0o777, 0o600)
    await t.throwsAsync(serveProtocol(newCore(t), `unix:${path}`), { message: /another process listens/ })
    const file = join(newDirectory(t), 'file.sock')
    writeFileSync(file, 'precious')
    await t.throwsAsync(serveProtocol(newCore(t), `unix:${file}`), { message: /in the way/ })
  },
)

for (const [how, cut] of [
  ['cancelled', (call: { cancel(): void }) => void setTimeout(() => call.cancel(), 100)],
  ['late', () => undefined],
] as const)
  serial(`half an append that is ${how} leaves nothing behind`, async (t) => {
    const { core, served } = await connected(t)
    const client = new streamsService.StreamsClient(served.address, grpcCredentials.createInsecure())
    t.teardown(() => client.close())
    const failed = new Promise<Error | null>((resolve) => {
      const call = client.append(new Metadata(), { deadline: Date.now() + 300 }, (error) => resolve(error))
      const options = new streams.AppendReq.Options()
        .setStreamIdentifier(streamIdentifier('a'))
        .setNoStream(new shared.Empty())
      const message = new streams.AppendReq.ProposedMessage().setId(new shared.UUID().setString(randomUUID()))
      message.getMetadataMap().set('type', 'Half').set('content-type', 'application/json')
      call.write(new streams.AppendReq().setOptions(options))
      call.write(new streams.AppendReq().setProposedMessage(message))
      cut(call)
    })
    t.regex(String(await failed), /CANCELLED|DEADLINE_EXCEEDED/)
    await new Promise((resolve) => setTimeout(resolve, 100))
    t.is(core.head('a'), -1)
  })

serial(
  'a node that stops answers the appends that have come in whole, and then ends their call in order',
  async (t) => {
    const { core, served } = await connected(t)
    const client = new streamsService.StreamsClient(served.address, grpcCredentials.createInsecure())
    t.teardown(() => client.close())
    const call = client.batchAppend()
    const names = Array.from({ length: 50 }, (_, n) => `s-${n}`)
    const answered: string[] = []
    const begun = new Promise((resolve) => {
      call.on('data', (answer: BatchAppendResp) => {
        answered.push(streamName(answer.getStreamIdentifier()))
        resolve(undefined)
      })
    })
    // A node that waits for the client to go away ends the call with an error at last.
    const ended = new Promise((resolve, reject) => void call.on('end', resolve).on('error', reject))
    const half = wholeAppend('half').setIsFinal(false)
    for (const request of [half, ...names.map(wholeAppend)]) call.write(request)
    await begun
    await served.stop()
    await ended
    t.deepEqual(answered.sort(), names.filter((name) => core.head(name) === 0).sort())
    t.is(core.head('half'), -1)
  },
)

const wholeAppend = (stream: string) => {
  const message = new streams.BatchAppendReq.ProposedMessage().setId(new shared.UUID().setString(randomUUID()))
  message.getMetadataMap().set('type', 'One').set('content-type', 'application/json')
  return new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(randomUUID()))
    .setOptions(
      new streams.BatchAppendReq.Options()
        .setStreamIdentifier(streamIdentifier(stream))
        .setNoStream(new shared.Empty()),
    )
    .setProposedMessagesList([message])
    .setIsFinal(true)
}
