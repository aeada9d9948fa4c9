/**
 * EventStoreDB's gRPC protocol over the embedded node, for the unmodified client on this machine. Served: server
 * features, gossip, and the streams service without its deletions. Persistent subscriptions and projections answer
 * UNIMPLEMENTED, as nothing here needs them.
 */

import { chmodSync, existsSync, lstatSync, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { Server, ServerCredentials, type sendUnaryData, status } from '@grpc/grpc-js'
import { widenServer } from '../base/receive-window.ts'
import { appendCall, batchAppendCall } from './append-calls.ts'
import type { Core } from './core.ts'
import { readCall } from './read-calls.ts'
import { refusal } from './wire.ts'

/**
 * `address` names the port that was bound. `stop` ends subscriptions and the calls that take appends, lets running ones
 * finish for a moment, and leaves the core open.
 */
export type ServedProtocol = { readonly address: string; stop(): Promise<void> }

/**
 * Serves a core on `127.0.0.1:port`, `localhost:port`, `[::1]:port` (port 0: any free one) or `unix:/path.sock` (for
 * its owner only). Rejects any address beyond this machine, and one that is taken.
 */
export const serveProtocol = async (core: Core, address: string): Promise<ServedProtocol> => {
  const where = parseAddress(address)
  if (where.kind === 'unix') await clearSocket(where.path)
  const stopping = new AbortController()
  const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES })
  widenServer(server)
  let port = 0
  server.addService(streamsService.StreamsService, {
    read: readCall(core, stopping.signal),
    append: appendCall(core),
    batchAppend: batchAppendCall(core, stopping.signal),
    delete: refuseDeletion,
    tombstone: refuseDeletion,
  })
  server.addService(featuresService.ServerFeaturesService, {
    getSupportedMethods: (_: unknown, answer: sendUnaryData<SupportedMethods>) => answer(null, supportedMethods()),
  })
  server.addService(gossipService.GossipService, {
    read: (_: unknown, answer: sendUnaryData<ClusterInfo>) =>
      answer(null, clusterOfOne(where.kind === 'tcp' ? where.host : 'localhost', port)),
  })
  port = await bind(server, where.kind === 'unix' ? `unix:${where.path}` : `${where.host}:${where.port}`)
  if (where.kind === 'unix') protectSocket(where.path)
  return {
    address: where.kind === 'unix' ? `unix:${where.path}` : `${where.host}:${port}`,
    stop: () => {
      stopping.abort()
      return shutDown(server)
    },
  }
}

/**
 * Largest message from a client; an append is at most 1,048,576 bytes, and batches of events may come in one message.
 */
const MAX_MESSAGE_BYTES = 4_194_304
const STOP_TIMEOUT_MS = 2_000
/** The version that a client asks for before it picks its calls. */
const SERVER_VERSION = '24.10.0'
const STREAMS = 'event_store.client.streams.streams'
const LEADER = 8

const bind = (server: Server, address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    )
  })

const shutDown = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown()
      resolve()
    }, STOP_TIMEOUT_MS)
    server.tryShutdown(() => {
      clearTimeout(timer)
      resolve()
    })
  })

const refuseDeletion = (_: unknown, answer: sendUnaryData<never>): void =>
  answer(
    refusal(status.PERMISSION_DENIED, 'Events are facts: this node deletes no stream.', { exception: 'access-denied' }),
  )

const supportedMethods = (): SupportedMethods => {
  const result = new features.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION)
  for (const [name, can] of Object.entries({
    append: [],
    batchappend: ['deadline_duration'],
    read: ['position', 'events'],
  }))
    result.addMethods(new features.SupportedMethod().setMethodName(name).setServiceName(STREAMS).setFeaturesList(can))
  return result
}

const clusterOfOne = (host: string, port: number): ClusterInfo => {
  const member = new gossip.MemberInfo()
    .setInstanceId(new shared.UUID().setString(crypto.randomUUID()))
    .setTimeStamp(String(BigInt(Date.now()) * 10_000n))
    .setState(LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port))
  const result = new gossip.ClusterInfo()
  result.addMembers(member)
  return result
}

/**
 * An address to bind, as gRPC writes it. `host` and `port` are what a client is told; a unix socket has a path instead.
 */
type BindAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

/**
 * The address where the node may listen: on this machine only, because the protocol has no passwords here. Reads
 * `127.0.0.1:2113`, `localhost:2113`, `[::1]:2113` or `unix:/path.sock`; port 0 means any free one. Throws on
 * anything else.
 */
const parseAddress = (text: string): BindAddress => {
  const path = /^unix:(?:\/\/)?(\/.+)$/.exec(text)?.[1]
  if (path) {
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) throw new Error(`the path of the socket is too long: ${path}`)
    return { kind: 'unix', path }
  }
  const [, host = '', port = ''] = /^(127(?:\.\d{1,3}){3}|localhost|\[::1\]):(\d{1,5})$/.exec(text) ?? []
  if (!host || Number(port) > 65_535)
    throw new Error(`the node listens on this machine only (127.0.0.1, localhost, [::1] or unix:/path): ${text}`)
  return { kind: 'tcp', host, port: Number(port) }
}

/**
 * Removes a socket file that a dead process left behind. Throws when somebody still listens on it, or when it is
 * another kind of file.
 */
const clearSocket = async (path: string): Promise<void> => {
  if (!existsSync(path)) return
  if (!lstatSync(path).isSocket()) throw new Error(`${path} is in the way of the socket`)
  if (await answers(path)) throw new Error(`another process listens on ${path}`)
  unlinkSync(path)
}

/** Leaves the socket to the user who owns it. */
const protectSocket = (path: string): void => chmodSync(path, 0o600)

/** Bytes that the kernel's socket address has for a path. */
const MAX_SOCKET_PATH_BYTES = 107
const PROBE_TIMEOUT_MS = 1_000

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    const done = (listening: boolean) => {
      socket.destroy()
      resolve(listening)
    }
    socket.setTimeout(PROBE_TIMEOUT_MS, () => done(true))
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
