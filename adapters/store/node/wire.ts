/** EventStoreDB's messages: what a request says and how an answer is written. Shapes only; nothing here decides. */

import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { Status } from '@eventstore/db-client/generated/status_pb.js'
import statuses from '@eventstore/db-client/generated/status_pb.js'
import type { AppendReq, BatchAppendReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { Metadata, type ServerErrorResponse, type status } from '@grpc/grpc-js'
import { type ExpectedRevision, type ProposedEvent, RefusedAppend } from './appends.ts'
import type { StoredEvent } from './stored-event.ts'

/** The form in which a client wants event ids: as text, or as two 64-bit halves. */
export type UuidForm = 'text' | 'halves'

/** An id in lower-case text, whichever form it came in. */
export const uuidText = (id: UUID | undefined): string => {
  const halves = id?.getStructured()
  if (!halves) return id?.getString() ?? ''
  const hex = [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
    .map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'))
    .join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export const streamName = (identifier: StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString()

export const streamIdentifier = (name: string): StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(name))

export const expectedRevision = (
  options: AppendReq.Options | BatchAppendReq.Options,
  revision: string | undefined,
): ExpectedRevision => {
  if (options.hasAny()) return 'any'
  if (options.hasStreamExists()) return 'exists'
  if (options.hasNoStream()) return -1
  const expected = Number(revision)
  if (!Number.isSafeInteger(expected)) throw new RefusedAppend('malformed', `${revision} is not a revision`)
  return expected
}

export const proposedEvent = (message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): ProposedEvent => {
  const metadata = message.getMetadataMap()
  return {
    id: uuidText(message.getId()),
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') === JSON_TYPE ? JSON_TYPE : 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  }
}

export const eventAnswer = (event: StoredEvent, form: UuidForm): ReadResp => {
  const position = String(event.position)
  const record = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuid(event.id, form))
    .setStreamIdentifier(streamIdentifier(event.stream))
    .setStreamRevision(String(event.revision))
    .setPreparePosition(position)
    .setCommitPosition(position)
    .setCustomMetadata(event.metadata)
    .setData(event.data)
  record
    .getMetadataMap()
    .set('type', event.type)
    .set('created', String(BigInt(event.created) * TICKS_PER_MS))
    .set('content-type', event.contentType)
  return new streams.ReadResp().setEvent(new streams.ReadResp.ReadEvent().setEvent(record).setCommitPosition(position))
}

export const confirmation = (): ReadResp =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(crypto.randomUUID()),
  )

export const caughtUp = (): ReadResp => new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp())

export const checkpoint = (position: number): ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position)),
  )

export const notFound = (stream: string): ReadResp =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)),
  )

/** An error as a gRPC status with the trailers that EventStoreDB's clients tell errors apart by. */
export const refusal = (
  code: status,
  details: string,
  trailers: Readonly<Record<string, string>> = {},
): ServerErrorResponse => {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value)
  return Object.assign(new Error(details), { code, details, metadata })
}

/**
 * google.rpc.Status with its details packed. It is read back from bytes because the client's generated code holds its
 * own copy of the protobuf library, whose classes nobody else should mix with.
 */
export const packedStatus = (code: number, message: string, type: string, details: Uint8Array): Status => {
  const any = Buffer.concat([
    field(1, Buffer.from(`type.googleapis.com/event_store.client.${type}`)),
    field(2, details),
  ])
  return statuses.Status.deserializeBinary(
    Buffer.concat([Buffer.from([CODE_FIELD, code]), field(2, Buffer.from(message)), field(3, any)]),
  )
}

const JSON_TYPE = 'application/json'
/** Event times travel in steps of 100 ns. */
const TICKS_PER_MS = 10_000n
/** Field 1 as a varint; gRPC codes fit its one byte. */
const CODE_FIELD = 0x08

const field = (number: number, bytes: Uint8Array): Buffer => {
  const length: number[] = []
  let rest = bytes.length
  for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128)
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), bytes])
}

const uuid = (text: string, form: UuidForm): UUID => {
  if (form === 'text') return new shared.UUID().setString(text)
  const hex = text.replaceAll('-', '')
  const half = (from: number) => String(BigInt.asIntN(64, BigInt(`0x${hex.slice(from, from + 16)}`)))
  return new shared.UUID().setStructured(
    new shared.UUID.Structured().setMostSignificantBits(half(0)).setLeastSignificantBits(half(16)),
  )
}
