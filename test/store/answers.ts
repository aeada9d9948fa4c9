/** Answers of a server, true or not, for tests that put them in the place of the node's own. */
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type { AppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { type ServerErrorResponse, type sendUnaryData, status } from '@grpc/grpc-js'
import { eventAnswer, refusal } from '../../adapters/store/node/wire.ts'

export type Answer = sendUnaryData<AppendResp>

/** The append is done, but its caller is told something else. */
export const lost =
  (code: status, answer: Answer): Answer =>
  () =>
    answer(refusal(code, 'lost'))

export const later =
  (ms: number, answer: Answer): Answer =>
  (...rest) =>
    void setTimeout(() => answer(...rest), ms)

export const never: Answer = () => undefined

export const wrongVersion =
  (answer: Answer): Answer =>
  () =>
    answer(
      null,
      new streams.AppendResp().setWrongExpectedVersion(
        new streams.AppendResp.WrongExpectedVersion().setCurrentRevision('1').setExpectedNoStream(new shared.Empty()),
      ),
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
