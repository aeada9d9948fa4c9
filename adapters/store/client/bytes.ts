/**
 * EventStoreDB's log byte for byte. The client parses what it reads and writes, so these calls are made on its own connection with its own
 * generated messages, below the part that parses.
 */
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { AppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { CallOptions, ClientReadableStream, Metadata, ServiceError } from '@grpc/grpc-js'
import { WrongRevision } from '../../../domain/ports.ts'
import type { ByteLog, LogPlace, StoredBytes } from '../bytes.ts'
import { eventStoreDb } from '../eventstoredb.ts'
import { PAGE_EVENTS } from '../limits.ts'
import { lineOf } from '../log-line.ts'
import { baseOf, type LogStore } from '../origin.ts'
import { isSystem } from '../recorded.ts'
import { type Connection, openConnection, type StoreLog } from './connection.ts'
import { retried, within } from './patience.ts'
import { isPosition } from './reads.ts'

/** A server by its connection string, as `eventStoreDb` takes it. `name` is how people know it, without credentials. */
export const eventStoreDbPlace = (connectionString: string, name: string, log: StoreLog): LogPlace => {
  const closing = new AbortController()
  const connection = openConnection(connectionString, closing.signal)
  const store = eventStoreDb(connectionString, { log })
  return {
    name,
    store,
    bytes: bytesOf(connection, store, log),
    close: async () => {
      closing.abort(new Error('the event store is closed'))
      await Promise.all([store.close(), connection.close()])
    },
  }
}

const CALL_TIMEOUT_MS = 10_000
/** Our own clock is the second net under the deadline that the call is given. */
const TIMEOUT_GRACE_MS = 500

const bytesOf = (connection: Connection, store: LogStore, log: StoreLog): ByteLog => {
  const again = (what: string) => (error: unknown) => log('a call is tried again', { what, error: String(error) })
  const call = <T>(what: string, act: (client: Streams, metadata: Metadata, options: CallOptions) => Promise<T>) =>
    retried(
      connection.closing,
      () => within(CALL_TIMEOUT_MS + TIMEOUT_GRACE_MS, what, attempt(connection, what, act)),
      again(what),
    )
  const readAll: ByteLog['readAll'] = async function* (after, until) {
    for (let position = after; position < until; ) {
      const page = await call('a read', (client, metadata, options) =>
        collect(client.read(readRequest(position, PAGE_EVENTS + 1), metadata, options), position),
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
    // From the event itself: a server reads on only from where an event is, and with the event there.
    async lineAt(position) {
      const [event] = await call('a read', (client, metadata, options) =>
        collect(client.read(readRequest(position, 1), metadata, options), position - 1n),
      )
      return event?.position === position && !isSystem(event) ? lineOf(event, await baseOf(store)) : undefined
    },
    // A server that has several calls at once may take them in any order.
    appendsInOrder: 1,
    append: async (stream, expected, events) => {
      const answer = await call(`an append to ${stream}`, (client, metadata, options) =>
        append(client, [metadata, options], { stream, expected, events }),
      )
      if (answer.hasSuccess()) return
      const at = answer.getWrongExpectedVersion()?.getCurrentRevision() || 'its start'
      throw new WrongRevision(`${stream} is at ${at}, not at ${expected}`)
    },
  }
}

type Streams = InstanceType<typeof streamsService.StreamsClient>

/** What the client keeps for its own methods: the call on its present channel, which it replaces when it breaks, and its credentials. */
type Insides = {
  execute<T>(service: typeof streamsService.StreamsClient, name: string, act: (c: Streams) => Promise<T>): Promise<T>
  callArguments(given: object): [Metadata, CallOptions]
}

/** Asked of the leader, because a follower may lag behind what was just written. */
const attempt = <T>(
  { client, credentials }: Connection,
  what: string,
  act: (client: Streams, metadata: Metadata, options: CallOptions) => Promise<T>,
): Promise<T> => {
  const insides = client as unknown as Insides
  const given = insides.callArguments({ credentials, requiresLeader: true, deadline: CALL_TIMEOUT_MS })
  return insides
    .execute(streamsService.StreamsClient, what, (c) => act(c, ...given))
    .catch((error: ServiceError) => {
      // Its code says that nothing was found, which would end the tries; the client has turned to the leader by now.
      if (String(error.metadata?.get('exception')) === 'not-leader') throw new Error('that server is not the leader')
      throw error
    })
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
    const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(stream))
    const options = new streams.AppendReq.Options().setStreamIdentifier(identifier)
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

/** So many events from one on, which is included. */
const readRequest = (after: bigint, count: number) => {
  const all = new streams.ReadReq.Options.AllOptions()
  if (after < 0n) all.setStart(new shared.Empty())
  else
    all.setPosition(
      new streams.ReadReq.Options.Position().setCommitPosition(String(after)).setPreparePosition(String(after)),
    )
  const options = new streams.ReadReq.Options()
    .setAll(all)
    .setCount(String(count))
    .setNoFilter(new shared.Empty())
    .setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty()))
  return new streams.ReadReq().setOptions(options)
}

const collect = (read: ClientReadableStream<ReadResp>, after: bigint) =>
  new Promise<readonly StoredBytes[]>((resolve, reject) => {
    const events: StoredBytes[] = []
    // The listener stays for good: a cancelled call may still report that it was cancelled.
    read.on('error', reject)
    read.on('data', (answer: ReadResp) => {
      try {
        const event = storedBytes(answer)
        if (event && event.position > after) events.push(event)
      } catch (error) {
        reject(error)
      }
    })
    read.on('end', () => resolve(events))
    read.on('close', () => reject(new Error('the read was closed before its end')))
  }).finally(() => read.cancel())

const storedBytes = (answer: ReadResp): StoredBytes | undefined => {
  const event = answer.getEvent()?.getEvent()
  if (!event) return undefined
  const position = BigInt(event.getCommitPosition())
  if (!isPosition(position))
    throw new Error('an event came without its position: EventStoreDB 22.10 or newer is needed')
  return {
    id: event.getId()?.getString().toLowerCase() ?? '',
    stream: Buffer.from(event.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
    revision: BigInt(event.getStreamRevision()),
    position,
    type: event.getMetadataMap().get('type') ?? '',
    contentType: event.getMetadataMap().get('content-type') ?? '',
    data: event.getData_asU8(),
    metadata: event.getCustomMetadata_asU8(),
  }
}
