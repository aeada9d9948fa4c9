/**
 * A node whose answers can be lost, changed or withheld on their way, since a healthy one does none of that on demand.
 */

import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { AppendReq, AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import {
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerWritableStream,
  type sendUnaryData,
  type status,
} from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import { appendCall, batchAppendCall } from '../../adapters/store/node/append-calls.ts'
import type { Core } from '../../adapters/store/node/core.ts'
import { readCall } from '../../adapters/store/node/read-calls.ts'
import { refusal } from '../../adapters/store/node/wire.ts'
import { newCore } from './open.ts'

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>
export type AppendCall = ServerReadableStream<AppendReq, AppendResp>

export type Faults = {
  readonly core?: Core
  /** With TLS the client sends its credentials. */
  readonly credentials?: ServerCredentials
  /** Calls that a connection may have open at once. */
  readonly callsAtOnce?: number
  /**
   * Sees the true answer to each append (counted from 1) and gives the one that is sent; none is sent when it does not
   * call `answer`.
   */
  append?(attempt: number, answer: sendUnaryData<AppendResp>, core: Core, call: AppendCall): sendUnaryData<AppendResp>
  /** Takes a read away from the node; true when it did. */
  read?(call: ReadCall): boolean
  /** How the first question about what the server can do is refused. */
  readonly features?: status
  /** The host:port that a client is sent to which looks for the leader of a cluster; empty while there is none. */
  leader?(): string
}

/**
 * Serves a core (a new one if none is given) with faults; answers the connection string, and what was asked of it so
 * far.
 */
export const faultyServer = async (t: ExecutionContext, faults: Faults = {}) => {
  const { core = newCore(t), credentials = ServerCredentials.createInsecure(), callsAtOnce } = faults
  const server = new Server(callsAtOnce ? { 'grpc.max_concurrent_streams': callsAtOnce } : {})
  const append = appendCall(core)
  const batchAppend = batchAppendCall(core)
  const read = readCall(core, new AbortController().signal)
  const asked = { appends: 0, batches: 0, features: 0, reads: [] as ReadCall[] }
  /** The authorization of each append and read, in their order. */
  const users: (string | undefined)[] = []
  const open = new Set<ReadCall>()
  server.addService(streamsService.StreamsService, {
    append: (call: AppendCall, answer: sendUnaryData<AppendResp>) => {
      users.push(call.metadata.get('authorization')[0]?.toString())
      const attempt = ++asked.appends
      append(call, faults.append?.(attempt, answer, core, call) ?? answer)
    },
    read: (call: ReadCall) => {
      users.push(call.metadata.get('authorization')[0]?.toString())
      asked.reads.push(call)
      open.add(call)
      for (const over of ['cancelled', 'close', 'finish']) call.on(over, () => open.delete(call))
      if (!faults.read?.(call)) read(call)
    },
    batchAppend: (call: Parameters<typeof batchAppend>[0]) => {
      asked.batches++
      batchAppend(call)
    },
    delete: unused,
    tombstone: unused,
  })
  server.addService(featuresService.ServerFeaturesService, {
    getSupportedMethods: (_: unknown, answer: sendUnaryData<SupportedMethods>) =>
      ++asked.features === 1 && faults.features
        ? answer(refusal(faults.features, 'no'))
        : answer(null, appendsInBatches()),
  })
  server.addService(gossipService.GossipService, {
    read: (_: unknown, answer: sendUnaryData<ClusterInfo>) => answer(null, clusterOf(faults.leader?.() ?? '')),
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  t.teardown(() => server.forceShutdown())
  const address = `127.0.0.1:${port}`
  return { core, address, url: `esdb://${address}?tls=false`, asked, users, openReads: () => open.size }
}

export const subscribes = (call: ReadCall): boolean => call.request.getOptions()?.hasSubscription() ?? false

const unused = (): void => undefined

const LEADER = 8

const clusterOf = (leader: string): ClusterInfo => {
  const [host = '', port] = leader.split(':')
  const result = new gossip.ClusterInfo()
  const id = new shared.UUID().setString(crypto.randomUUID())
  const member = new gossip.MemberInfo()
    .setInstanceId(id)
    .setState(LEADER)
    .setIsAlive(leader !== '')
  result.addMembers(member.setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(Number(port))))
  return result
}

/** What makes the client append in batches, unless it is kept from it. */
const appendsInBatches = (): SupportedMethods => {
  const result = new features.SupportedMethods().setEventStoreServerVersion('24.10.0')
  result.addMethods(
    new features.SupportedMethod()
      .setMethodName('batchappend')
      .setServiceName('event_store.client.streams.streams')
      .setFeaturesList(['deadline_duration']),
  )
  return result
}
