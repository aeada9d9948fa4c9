/**
 * Appends over EventStoreDB's BatchAppend: one call stays open on the connection, takes an append a message, and
 * answers each by an id. A call for each append costs nearly twice the work, here and at the server.
 */
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { type CallOptions, type Metadata, status } from '@grpc/grpc-js'
import type { EncodedEvent } from '../base/recorded.ts'
import type { Connection } from './connection.ts'
import { AnswerTimeout, withinTime } from './patience.ts'
import { identifierOf, onChannel, type Streams } from './raw-calls.ts'

/** `expected` is the revision that the stream has to be at, -1n while it holds no event. */
type AppendRequest = {
  readonly stream: string
  readonly expected: bigint
  readonly events: readonly EncodedEvent[]
}

/**
 * What became of an append. `appended`: its last event is at `revision`; a repeat may come without its position.
 * `conflict`: nothing was written, because the stream is at `revision`, or holds no event. `deleted`: the stream was
 * deleted for good.
 */
export type AppendAnswer =
  | { readonly kind: 'appended'; readonly revision: bigint; readonly position: bigint | undefined }
  | { readonly kind: 'conflict'; readonly revision: bigint | undefined }
  | { readonly kind: 'deleted' }

/**
 * Sends an append once and waits `limitMs` for its answer. Rejects with an error that `isDefinite` when the server said
 * no; after any other nobody knows what became of the append.
 */
export type SendAppend = (append: AppendRequest, limitMs: number) => Promise<AppendAnswer>

/** Nothing is sent before the first append; a call that broke off is opened anew by the next. */
export const openAppendCalls = (connection: Connection): SendAppend => {
  let newest: AppendCall | undefined
  const callOn = (channel: Streams, given: () => [Metadata, CallOptions]): AppendCall => {
    if (newest?.channel === channel && newest.takesMore()) return newest
    // The client may have turned to another server, where its former call would stay open for nobody.
    newest?.retire()
    newest = openCall(channel, given(), connection.closing)
    return newest
  }
  return async (append, limitMs) => {
    const what = `an append to ${append.stream}`
    const id = crypto.randomUUID()
    let call: AppendCall | undefined
    let late = false
    const told = onChannel(connection, what, (channel, given) => {
      if (late) throw new AnswerTimeout(`${what} had no time left when its server was found`)
      call = callOn(channel, given)
      return call.send(id, append)
    })
    const answer = await withinTime(limitMs, what, told).catch((error: unknown) => {
      late = true
      call?.giveUp(id)
      throw call?.hasAnswered() === false && isRefusal(error) ? error : unsettled(error)
    })
    if (answer.kind === 'refused') throw new AppendRefusal(answer.code, `the store refused ${what}: ${answer.message}`)
    return answer
  }
}

/** The server has looked at this very append and said no; `code` is that of gRPC. */
class AppendRefusal extends Error {
  override readonly name = 'AppendRefusal'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Whether a call that has answered nothing was not even begun: its user may not, or the server has no such call. Any
 * other end of a call leaves open what the server had already taken from it.
 */
const isRefusal = (error: unknown): boolean => REFUSALS.has((error as { code?: unknown }).code)

const REFUSALS: ReadonlySet<unknown> = new Set([status.UNAUTHENTICATED, status.PERMISSION_DENIED, status.UNIMPLEMENTED])

/** The error without the code of its call, which says nothing of what became of an append on it. */
const unsettled = (error: unknown): unknown =>
  typeof (error as { code?: unknown }).code === 'number' ? new Error((error as Error).message, { cause: error }) : error

/** An error is answered, not thrown: the client would take its code for one of the connection. */
type Told = AppendAnswer | { readonly kind: 'refused'; readonly code: number; readonly message: string }

type AppendCall = {
  readonly channel: Streams
  takesMore(): boolean
  hasAnswered(): boolean
  /** Rejects with the error of the call when that ends first. */
  send(id: string, append: AppendRequest): Promise<Told>
  /** Forgets an append whose time is up; a call that is silent gets no more of them. */
  giveUp(id: string): void
  /** Ends the call as soon as all that is open on it was answered or given up. */
  retire(): void
}

type Waiting = { readonly resolve: (told: Told) => void; readonly reject: (error: unknown) => void }

/** Nothing waits for the server to read: the appends that may be open at once are few enough to be held here. */
const openCall = (channel: Streams, given: [Metadata, CallOptions], closing: AbortSignal): AppendCall => {
  closing.throwIfAborted()
  const open = new Map<string, Waiting>()
  const wire = channel.batchAppend(...given)
  let [takesMore, hasAnswered] = [true, false]
  const retire = () => {
    takesMore = false
    if (open.size === 0) wire.cancel()
  }
  const end = (error: unknown) => {
    takesMore = false
    closing.removeEventListener('abort', retire)
    for (const { reject } of open.values()) reject(error)
    open.clear()
  }
  closing.addEventListener('abort', retire)
  wire.on('data', (answer: BatchAppendResp) => {
    hasAnswered = true
    const id = answer.getCorrelationId()?.getString() ?? ''
    const waiting = open.get(id)
    // Nobody waits any more for an answer that comes late.
    if (!waiting || !open.delete(id)) return
    try {
      waiting.resolve(answerIn(answer))
    } catch (error) {
      waiting.reject(error)
    }
    if (!takesMore) retire()
  })
  // The listener stays for good: a cancelled call still reports that it was cancelled.
  wire.on('error', end)
  wire.on('end', () => end(new EndedCall()))
  return {
    channel,
    takesMore: () => takesMore,
    hasAnswered: () => hasAnswered,
    send: (id, append) =>
      new Promise((resolve, reject) => {
        open.set(id, { resolve, reject })
        wire.write(requestOf(id, append))
      }),
    giveUp: (id) => {
      if (open.delete(id)) retire()
    },
    retire,
  }
}

/** The server ended the call in order, as one does that stops: the client is to look for another. */
class EndedCall extends Error {
  readonly code = status.UNAVAILABLE

  constructor() {
    super('the server ended the call that takes appends')
  }
}

const requestOf = (id: string, { stream, expected, events }: AppendRequest): BatchAppendReq => {
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(identifierOf(stream))
  if (expected < 0n) options.setNoStream(new shared.Empty())
  else options.setStreamPosition(String(expected))
  // A deadline would be a time of day, and the server's clock is another; it has a time limit of its own.
  return new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(id))
    .setOptions(options)
    .setProposedMessagesList(events.map(messageOf))
    .setIsFinal(true)
}

const messageOf = ({ id, type, data, metadata }: EncodedEvent): BatchAppendReq.ProposedMessage => {
  const message = new streams.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(data)
    .setCustomMetadata(metadata)
  message.getMetadataMap().set('type', type).set('content-type', 'application/json')
  return message
}

const answerIn = (answer: BatchAppendResp): Told => {
  const success = answer.getSuccess()
  if (success) {
    const revision = success.hasCurrentRevision() ? BigInt(success.getCurrentRevision()) : -1n
    const position = success.getPosition()?.getCommitPosition()
    return { kind: 'appended', revision, position: position === undefined ? undefined : BigInt(position) }
  }
  const error = answer.getError()
  const details = error?.getDetails()
  switch (details?.getTypeName()) {
    case 'event_store.client.WrongExpectedVersion': {
      const wrong = shared.WrongExpectedVersion.deserializeBinary(details.getValue_asU8())
      const revision = wrong.hasCurrentStreamRevision() ? BigInt(wrong.getCurrentStreamRevision()) : undefined
      return { kind: 'conflict', revision }
    }
    case 'event_store.client.StreamDeleted':
      return { kind: 'deleted' }
    default:
      return { kind: 'refused', code: error?.getCode() ?? status.UNKNOWN, message: error?.getMessage() || 'no reason' }
  }
}
