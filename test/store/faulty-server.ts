/** A node whose answers can be lost, changed or withheld on their way, since a healthy one does none of that on demand. */

import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { AppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import { Server, ServerCredentials, type ServerWritableStream, type sendUnaryData } from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import { appendCall, batchAppendCall } from '../../adapters/store/node/append-calls.ts'
import type { Core } from '../../adapters/store/node/core.ts'
import { readCall } from '../../adapters/store/node/read-calls.ts'
import { newCore } from './open.ts'

export type Faults = {
  /** Sees the true answer to each append (counted from 1) and gives the one that is sent; none is sent when it does not call `answer`. */
  append?(attempt: number, answer: sendUnaryData<AppendResp>, core: Core): sendUnaryData<AppendResp>
  /** Takes a read away from the node; true when it did. */
  read?(call: ServerWritableStream<never, never>): boolean
}

/** Serves a new core with faults; answers the connection string. */
export const faultyServer = async (t: ExecutionContext, faults: Faults): Promise<{ core: Core; url: string }> => {
  const core = newCore(t)
  const server = new Server()
  const append = appendCall(core)
  const read = readCall(core, new AbortController().signal)
  let attempt = 0
  server.addService(streamsService.StreamsService, {
    append: (call: Parameters<typeof append>[0], answer: sendUnaryData<AppendResp>) =>
      append(call, faults.append?.(++attempt, answer, core) ?? answer),
    read: (call: Parameters<typeof read>[0]) => {
      if (!faults.read?.(call as unknown as ServerWritableStream<never, never>)) read(call)
    },
    batchAppend: batchAppendCall(core),
    delete: unused,
    tombstone: unused,
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  t.teardown(() => server.forceShutdown())
  return { core, url: `esdb://127.0.0.1:${port}?tls=false` }
}

const unused = (): void => undefined
