/** EventStoreDB's log byte for byte. These calls are made below the part of the client that parses. */
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { AppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { CallOptions, Metadata } from '@grpc/grpc-js'
import { WrongRevision } from '../../../domain/kernel/ports.ts'
import { ledgerRules } from '../../../domain/write-side/readable.ts'
import type { ByteLog, LogPlace, StoredBytes } from '../base/bytes.ts'
import { PAGE_EVENTS } from '../base/limits.ts'
import { lineOf } from '../base/log-line.ts'
import { baseOf, type LogStore } from '../base/origin.ts'
import { isSystem } from '../base/recorded.ts'
import { type Connection, openConnection, type StoreLog } from './connection.ts'
import { eventStoreDb } from './eventstoredb.ts'
import { retried } from './patience.ts'
import { allRequest, collect, identifierOf, type RawCall, rawCall, type Streams } from './raw-calls.ts'

/**
 * A server by its connection string, as `eventStoreDb` takes it. `name` is its name for people, without credentials.
 */
export const eventStoreDbPlace = (connectionString: string, name: string, log: StoreLog): LogPlace => {
  const closing = new AbortController()
  const connection = openConnection(connectionString, closing.signal)
  const store = eventStoreDb(connectionString, { log, rules: ledgerRules })
  return {
    name,
    store,
    bytes: bytesOf(connection, store, log),
    ask: () =>
      rawCall(
        connection,
        'a first call',
        (client, metadata, options) => collect(client.read(allRequest(-1n, 1), metadata, options), -1n),
        FIRST_CALL_LIMIT_MS,
      ),
    close: async () => {
      closing.abort(new Error('the event store is closed'))
      await Promise.all([store.close(), connection.close()])
    },
  }
}

const FIRST_CALL_LIMIT_MS = 5_000

const bytesOf = (connection: Connection, store: LogStore, log: StoreLog): ByteLog => {
  const again = (what: string) => (error: unknown) => log('a call is tried again', { what, error: String(error) })
  const call = <T>(what: string, act: RawCall<T>) =>
    retried(connection.closing, () => rawCall(connection, what, act), again(what))
  const readAll: ByteLog['readAll'] = async function* (after, until) {
    for (let position = after; position < until; ) {
      const page = await call('a read', (client, metadata, options) =>
        collect(client.read(allRequest(position, PAGE_EVENTS + 1), metadata, options), position),
      )
      position = page.at(-1)?.position ?? until
      yield page.filter((event) => !isSystem(event) && event.position <= until)
    }
  }
  return {
    readAll,
    async *readLines(after, until) {
      const base = await baseOf(store)
      for await (const page of readAll(after, until)) yield page.map((event) => lineOf(event, base))
    },
    // The read begins at the event itself: a server reads only from a position where an event is, and includes that
    // event.
    async lineAt(position) {
      const [event] = await call('a read', (client, metadata, options) =>
        collect(client.read(allRequest(position, 1), metadata, options), position - 1n),
      )
      return event?.position === position && !isSystem(event) ? lineOf(event, await baseOf(store)) : undefined
    },
    // A server that has several calls at once may take them in any order.
    appendsInOrder: 1,
    append: async (stream, expected, events) => {
      const answer = await call(`an append to ${stream}`, (client, metadata, options) =>
        append(client, [metadata, options], { stream, expected, events }),
      )
      const end = expected + BigInt(events.length)
      const landed = answer.getSuccess()?.getCurrentRevision()
      if (landed !== undefined && BigInt(landed) !== end)
        throw store.cuts.found(stream, 'misplaced', `took a copy that ends at revision ${end} at revision ${landed}`)
      if (landed !== undefined) return
      const at = answer.getWrongExpectedVersion()?.getCurrentRevision() || 'its start'
      throw new WrongRevision(`${stream} is at ${at}, not at ${expected}`)
    },
  }
}

type Write = {
  readonly stream: string
  readonly expected: bigint
  readonly events: readonly StoredBytes[]
}

const append = (client: Streams, given: [Metadata, CallOptions], { stream, expected, events }: Write) =>
  new Promise<AppendResp>((resolve, reject) => {
    const sink = client.append(...given, (error, answer) => (error ? reject(error) : resolve(answer)))
    sink.on('error', reject)
    const options = new streams.AppendReq.Options().setStreamIdentifier(identifierOf(stream))
    if (expected < 0n) options.setNoStream(new shared.Empty())
    else options.setRevision(String(expected))
    sink.write(new streams.AppendReq().setOptions(options))
    // An append is at most 1 MiB, so it need not wait for the socket to drain.
    for (const event of events) {
      const message = new streams.AppendReq.ProposedMessage()
        .setId(new shared.UUID().setString(event.id))
        .setData(event.data)
        .setCustomMetadata(event.metadata)
      message.getMetadataMap().set('type', event.type).set('content-type', event.contentType)
      sink.write(new streams.AppendReq().setProposedMessage(message))
    }
    sink.end()
  })
