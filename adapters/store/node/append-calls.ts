/**
 * The writing half of EventStoreDB's Streams service: Append (one append a call) and BatchAppend (many on one stream of
 * messages).
 */

import { setImmediate as turn } from 'node:timers/promises'
import type { UUID } from '@eventstore/db-client/generated/shared_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { Status } from '@eventstore/db-client/generated/status_pb.js'
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import {
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type ServerErrorResponse,
  status,
} from '@grpc/grpc-js'
import { MAX_APPEND_BYTES } from '../base/limits.ts'
import { bytesOf } from '../base/recorded.ts'
import { type ExpectedRevision, type ProposedEvent, RefusedAppend, StaleAppend } from './appends.ts'
import type { Core } from './core.ts'
import { untilDrained } from './drained.ts'
import type { CommitResult } from './group-commit.ts'
import {
  expectedRevision,
  packedStatus,
  proposedEvent,
  refusal,
  streamIdentifier,
  streamName,
  uuidText,
} from './wire.ts'

export const appendCall =
  (core: Core): handleClientStreamingCall<AppendReq, AppendResp> =>
  (call, answer) => {
    const draft = newDraft()
    call.on('data', (request: AppendReq) => {
      const options = request.getOptions()
      const message = request.getProposedMessage()
      try {
        if (options)
          draft.open(streamName(options.getStreamIdentifier()), expectedRevision(options, options.getRevision()))
        if (message) draft.add(proposedEvent(message))
      } catch (error) {
        draft.spoil(error)
      }
    })
    call.on('error', () => draft.spoil(new RefusedAppend('malformed', 'the call broke off')))
    call.on('end', async () => {
      // A call that is cancelled or cut off also ends its messages, a moment before it says so. Half an append must not
      // pass for a whole.
      for (let turns = 0; turns < CUT_OFF_TURNS && !call.cancelled; turns++) await turn()
      if (call.cancelled) return
      draft.append(core).then(
        (committed) => answer(null, new streams.AppendResp().setSuccess(success(committed))),
        (error: unknown) => {
          if (!(error instanceof StaleAppend)) return answer(asRefusal(error))
          answer(null, new streams.AppendResp().setWrongExpectedVersion(wrongVersion(draft.expected(), error.current)))
        },
      )
    })
  }

/** `stopping` ends a call in order, after the appends that have come in whole, as a server that shuts down does. */
export const batchAppendCall =
  (core: Core, stopping: AbortSignal): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> =>
  (call) => {
    const drafts = new Map<string, Draft>()
    let inFlight = 0
    let ended = false
    const end = () => {
      if (ended) return
      ended = true
      stopping.removeEventListener('abort', end)
      call.pause()
      if (inFlight === 0) call.end()
    }
    const settled = () => {
      inFlight--
      if (!ended && inFlight < BATCH_IN_FLIGHT) call.resume()
      if (ended && inFlight === 0) call.end()
    }
    const finish = async (id: UUID | undefined, draft: Draft) => {
      const response = new streams.BatchAppendResp().setStreamIdentifier(streamIdentifier(draft.stream()))
      if (id) response.setCorrelationId(id)
      try {
        response.setSuccess(batchSuccess(await draft.append(core)))
      } catch (error) {
        response.setError(batchError(error, draft))
      }
      if (!call.cancelled && !call.destroyed && !call.write(response)) await untilDrained(call)
      settled()
    }
    call.on('data', (request: BatchAppendReq) => {
      const id = request.getCorrelationId()
      const key = id ? uuidText(id) : ''
      const draft = fill(drafts.get(key) ?? newDraft(), request)
      if (!request.getIsFinal()) {
        if (drafts.size < BATCH_OPEN_DRAFTS || drafts.has(key)) drafts.set(key, draft)
        else
          call.emit(
            'error',
            refusal(status.RESOURCE_EXHAUSTED, `more than ${BATCH_OPEN_DRAFTS} appends are unfinished`),
          )
        return
      }
      drafts.delete(key)
      inFlight++
      if (inFlight >= BATCH_IN_FLIGHT) call.pause()
      void finish(id, draft)
    })
    call.on('end', end)
    // A client that goes away takes its unfinished appends with it; what was queued is committed all the same.
    for (const gone of ['error', 'cancelled', 'close'])
      call.on(gone, () => {
        drafts.clear()
        stopping.removeEventListener('abort', end)
      })
    if (stopping.aborted) end()
    else stopping.addEventListener('abort', end)
  }

/** Turns of the event loop after which a call that was cut off is known to be. */
const CUT_OFF_TURNS = 3
/** Appends of one connection that may wait for their commit; above it no more are read from the socket. */
const BATCH_IN_FLIGHT = 1_024
/** Appends of one connection whose last part has not come yet. */
const BATCH_OPEN_DRAFTS = 256

type Draft = ReturnType<typeof newDraft>

/**
 * An append while its parts come in. Once it is too large or malformed its events are dropped and only the error is
 * kept.
 */
const newDraft = () => {
  let stream = ''
  let expected: ExpectedRevision = 'any'
  let events: ProposedEvent[] = []
  let bytes = 0
  let fault: unknown
  const spoil = (error: unknown) => {
    fault ??= error
    events = []
  }
  return {
    stream: () => stream,
    expected: () => expected,
    open: (name: string, at: ExpectedRevision) => {
      stream = name
      expected = at
    },
    add: (event: ProposedEvent) => {
      bytes += bytesOf(event)
      if (bytes > MAX_APPEND_BYTES) spoil(new RefusedAppend('too-large', tooLarge))
      if (!fault) events.push(event)
    },
    spoil,
    append: async (core: Core): Promise<CommitResult> => {
      if (fault) throw fault
      return core.append(stream, expected, events)
    },
  }
}

const tooLarge = `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`

const fill = (draft: Draft, request: BatchAppendReq): Draft => {
  try {
    const options = request.getOptions()
    if (options)
      draft.open(streamName(options.getStreamIdentifier()), expectedRevision(options, options.getStreamPosition()))
    for (const message of request.getProposedMessagesList()) draft.add(proposedEvent(message))
  } catch (error) {
    draft.spoil(error)
  }
  return draft
}

const success = ({ revision, position }: CommitResult): AppendResp.Success => {
  const result = new streams.AppendResp.Success()
  if (revision < 0) result.setNoStream(new shared.Empty())
  else result.setCurrentRevision(String(revision))
  if (position < 0) return result.setNoPosition(new shared.Empty())
  return result.setPosition(
    new streams.AppendResp.Position().setCommitPosition(String(position)).setPreparePosition(String(position)),
  )
}

const batchSuccess = ({ revision, position }: CommitResult): BatchAppendResp.Success => {
  const result = new streams.BatchAppendResp.Success()
  if (revision < 0) result.setNoStream(new shared.Empty())
  else result.setCurrentRevision(String(revision))
  if (position < 0) return result.setNoPosition(new shared.Empty())
  return result.setPosition(
    new shared.AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position)),
  )
}

const wrongVersion = (expected: ExpectedRevision, current: number): AppendResp.WrongExpectedVersion => {
  const result = new streams.AppendResp.WrongExpectedVersion()
  if (current < 0) result.setCurrentNoStream(new shared.Empty())
  else result.setCurrentRevision(String(current))
  if (expected === 'any') return result.setExpectedAny(new shared.Empty())
  if (expected === 'exists') return result.setExpectedStreamExists(new shared.Empty())
  return expected < 0 ? result.setExpectedNoStream(new shared.Empty()) : result.setExpectedRevision(String(expected))
}

const asRefusal = (error: unknown): ServerErrorResponse => {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof RefusedAppend)) return refusal(status.UNAVAILABLE, message)
  switch (error.reason) {
    case 'too-large':
      return refusal(status.INVALID_ARGUMENT, message, {
        exception: 'maximum-append-size-exceeded',
        'maximum-append-size': String(MAX_APPEND_BYTES),
      })
    case 'system':
      return refusal(status.PERMISSION_DENIED, message, { exception: 'access-denied' })
    case 'malformed':
      return refusal(status.INVALID_ARGUMENT, message)
    case 'busy':
      return refusal(status.UNAVAILABLE, message)
  }
}

const batchError = (error: unknown, draft: Draft): Status => {
  if (error instanceof StaleAppend) {
    const wrong = new shared.WrongExpectedVersion()
    if (error.current < 0) wrong.setCurrentNoStream(new shared.Empty())
    else wrong.setCurrentStreamRevision(String(error.current))
    const expected = draft.expected()
    if (expected === 'any') wrong.setExpectedAny(new shared.Empty())
    else if (expected === 'exists') wrong.setExpectedStreamExists(new shared.Empty())
    else if (expected < 0) wrong.setExpectedNoStream(new shared.Empty())
    else wrong.setExpectedStreamPosition(String(expected))
    return packedStatus(status.ALREADY_EXISTS, 'WrongExpectedVersion', 'WrongExpectedVersion', wrong.serializeBinary())
  }
  const { code, details = '' } = asRefusal(error)
  const reason = error instanceof RefusedAppend ? error.reason : undefined
  if (reason === 'too-large') {
    const limit = new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES)
    return packedStatus(code ?? status.UNKNOWN, details, 'MaximumAppendSizeExceeded', limit.serializeBinary())
  }
  if (reason === 'system') return packedStatus(code ?? status.UNKNOWN, details, 'AccessDenied', new Uint8Array())
  // The client knows no type for these and then quotes the message, which says more than `Unknown` would.
  return packedStatus(code ?? status.UNKNOWN, details, 'BadRequest', new Uint8Array())
}
