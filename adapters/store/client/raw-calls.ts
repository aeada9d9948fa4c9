/**
 * Calls of EventStoreDB's streams service below the part of the client that parses and leaves things out, on the
 * client's own connection with its own generated messages.
 */
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { CallOptions, ClientReadableStream, Metadata, ServiceError } from '@grpc/grpc-js'
import type { StoredBytes } from '../base/bytes.ts'
import type { Connection } from './connection.ts'
import { withinTime } from './patience.ts'
import { isPosition } from './reads.ts'

export type Streams = InstanceType<typeof streamsService.StreamsClient>

/**
 * The client's own methods that it does not export: the call on its present channel, which it replaces when it breaks,
 * and its credentials.
 */
type CallInternals = {
  execute<T>(service: typeof streamsService.StreamsClient, name: string, act: (c: Streams) => Promise<T>): Promise<T>
  callArguments(given: object, options?: CallOptions): [Metadata, CallOptions]
}

export type RawCall<T> = (client: Streams, metadata: Metadata, options: CallOptions) => Promise<T>

/**
 * Makes a call to the leader, because a follower may lag behind what was just written. It has `limitMs`, and one try.
 */
export const rawCall = <T>(
  { client, credentials }: Connection,
  what: string,
  act: RawCall<T>,
  limitMs = CALL_TIMEOUT_MS,
): Promise<T> => {
  const insides = client as unknown as CallInternals
  const given = insides.callArguments({ credentials, requiresLeader: true, deadline: limitMs })
  const called = insides
    .execute(streamsService.StreamsClient, what, (c) => act(c, ...given))
    .catch((error: ServiceError) => {
      // Its code says that nothing was found, which would end the tries; the client has turned to the leader by now.
      if (String(error.metadata?.get('exception')) === 'not-leader') throw new Error('that server is not the leader')
      throw error
    })
  return withinTime(limitMs + TIMEOUT_GRACE_MS, what, called)
}

/**
 * Does something on the client's present channel; an error that comes of it and says so makes the client turn to
 * another server. `given` answers the arguments of a call that stays open, to whichever server the client is at.
 */
export const onChannel = <T>(
  { client, credentials }: Connection,
  what: string,
  act: (channel: Streams, given: () => [Metadata, CallOptions]) => Promise<T>,
): Promise<T> => {
  const insides = client as unknown as CallInternals
  const given = () => insides.callArguments({ credentials }, { deadline: Number.POSITIVE_INFINITY })
  return insides.execute(streamsService.StreamsClient, what, (channel) => act(channel, given))
}

const CALL_TIMEOUT_MS = 10_000
/** Milliseconds after the call's own deadline at which our clock ends it: a second safety net. */
const TIMEOUT_GRACE_MS = 500

/** A stream's name as a call has it. */
export const identifierOf = (stream: string) => new shared.StreamIdentifier().setStreamName(Buffer.from(stream))

/** Asks for `count` events from the one at `after` on, which is included. */
export const allRequest = (after: bigint, count: number) => {
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

/** The events of a finite read after a position. */
export const collect = (read: ClientReadableStream<ReadResp>, after: bigint) =>
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
