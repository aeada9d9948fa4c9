/** Answers of a server, true or not, for tests that put them in the place of the node's own. */
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import { type ServerErrorResponse, status } from '@grpc/grpc-js'
import { eventAnswer, packedStatus, refusal } from '../../adapters/store/node/wire.ts'

/** The answer to one append; an error is the end of its call. */
export type Answer = (error: ServerErrorResponse | null, response?: BatchAppendResp) => void

/** The append is done, but its call ends before its answer. */
export const lost =
  (code: status, answer: Answer): Answer =>
  () =>
    answer(refusal(code, 'lost'))

export const later =
  (ms: number, answer: Answer): Answer =>
  (...rest) =>
    void setTimeout(() => answer(...rest), ms)

export const never: Answer = () => undefined

/** The append is done, but its answer is that it was not; `type` is that of the details. */
export const denied =
  (code: status, words: string, answer: Answer, type = 'Unknown', details: Uint8Array = new Uint8Array()): Answer =>
  (_, told) =>
    answer(null, told?.setError(packedStatus(code, words, type, details)))

export const wrongVersion = (answer: Answer): Answer =>
  denied(
    status.ALREADY_EXISTS,
    'WrongExpectedVersion',
    answer,
    'WrongExpectedVersion',
    new shared.WrongExpectedVersion()
      .setCurrentStreamRevision('1')
      .setExpectedNoStream(new shared.Empty())
      .serializeBinary(),
  )

/** What a follower answers to a call that needs the leader; `address` is the leader's host:port. */
export const notLeader = (address: string): ServerErrorResponse => {
  const [host = '', port = ''] = address.split(':')
  return refusal(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': port,
  })
}

/** One event of a read; of a stream named `thing`, unless another is named. */
export const eventAt = (revision: bigint, position: bigint, type = 'One', stream = 'thing'): ReadResp => {
  const meta = { v: 1, at: '2026-01-02T03:04:05.678Z', cause: { actor: 'tester', correlationId: 'c-1' } }
  const answer = eventAnswer(
    {
      id: crypto.randomUUID(),
      stream,
      type,
      revision: 0,
      position: 0,
      created: 0,
      contentType: 'application/json',
      data: Buffer.from('{}'),
      metadata: Buffer.from(JSON.stringify(meta)),
    },
    'text',
  )
  answer.getEvent()?.getEvent()?.setStreamRevision(String(revision)).setCommitPosition(String(position))
  return answer
}
