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
import type { BatchAppendReq, BatchAppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
  type sendUnaryData,
  type status,
} from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import { appendCall, batchAppendCall } from '../../adapters/store/node/append-calls.ts'
import type { Core } from '../../adapters/store/node/core.ts'
import { readCall } from '../../adapters/store/node/read-calls.ts'
import { refusal, uuidText } from '../../adapters/store/node/wire.ts'
import type { Answer } from './answers.ts'
import { newCore } from './open.ts'

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>
/** The call that takes all appends of a connection. */
export type AppendCall = ServerDuplexStream<BatchAppendReq, BatchAppendResp>

export type Faults = {
  readonly core?: Core
  /** With TLS the client sends its credentials. */
  readonly credentials?: ServerCredentials
  /** Calls that a connection may have open at once. */
  readonly callsAtOnce?: number
  /**
   * Sees the true answer to each append (counted from 1) and gives the one that is sent; none is sent when it does not
   * call `answer`. An error ends the call, with all that is open on it.
   */
  append?(attempt: number, answer: Answer, core: Core, call: AppendCall): Answer
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
  const batchAppend = batchAppendCall(core, new AbortController().signal)
  const read = readCall(core, new AbortController().signal)
  const asked = { appends: 0, appendCalls: 0, features: 0, reads: [] as ReadCall[] }
  /** The authorization of each read and each call for appends, in their order. */
  const users: (string | undefined)[] = []
  const open = new Set<ReadCall>()
  server.addService(streamsService.StreamsService, {
    append,
    read: (call: ReadCall) => {
      users.push(call.metadata.get('authorization')[0]?.toString())
      asked.reads.push(call)
      open.add(call)
      for (const over of ['cancelled', 'close', 'finish']) call.on(over, () => open.delete(call))
      if (!faults.read?.(call)) read(call)
    },
    batchAppend: (call: AppendCall) => {
      users.push(call.metadata.get('authorization')[0]?.toString())
      asked.appendCalls++
      batchAppend(
        answeredBy(call, (answer) => {
          const attempt = ++asked.appends
          return faults.append?.(attempt, answer, core, call) ?? answer
        }),
      )
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

/** The call as the node sees it; `answerTo` gives the answer to each append when that comes in. */
const answeredBy = (call: AppendCall, answerTo: (answer: Answer) => Answer): AppendCall => {
  const answers = new Map<string, Answer>()
  let over = false
  for (const event of ['cancelled', 'close', 'error']) call.on(event, () => (over = true))
  const told: Answer = (error, response) => {
    if (over) return
    if (error) call.emit('error', error)
    else if (response) call.write(response)
  }
  call.on('data', (request: BatchAppendReq) => {
    if (request.getIsFinal()) answers.set(uuidText(request.getCorrelationId()), answerTo(told))
  })
  const write = (response: BatchAppendResp): boolean => {
    const id = uuidText(response.getCorrelationId())
    answers.get(id)?.(null, response)
    return answers.delete(id)
  }
  return withOwn(call, { write })
}

/** A call with something of its own laid over it. */
export const withOwn = (call: AppendCall, own: Readonly<Record<string, unknown>>): AppendCall =>
  new Proxy(call, {
    get: (target, name) => {
      const value = Object.hasOwn(own, name) ? own[String(name)] : Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

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
