/**
 * A server with TLS, users and rights, as EventStoreDB 23.10.6 was seen to answer: its HTTP interface for users and its
 * gRPC on one port, over a node of ours. What its streams `$settings` and `$$$all` say counts.
 */
import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  DeleteReq,
  DeleteResp,
} from '@eventstore/db-client/generated/streams_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js'
import type { ExecutionContext } from 'ava'
import { appendCall, batchAppendCall } from '../../adapters/store/node/append-calls.ts'
import type { Core } from '../../adapters/store/node/core.ts'
import { readCall } from '../../adapters/store/node/read-calls.ts'
import { packedStatus, refusal, streamName } from '../../adapters/store/node/wire.ts'
import { newCertificate } from '../store/certificate.ts'
import { cuttingCore } from '../store/cutting-server.ts'
import { type AppendCall, type ReadCall, withOwn } from '../store/faulty-server.ts'
import { newCore, newDirectory } from '../store/open.ts'

type User = { password: string; groups: readonly string[]; disabled: boolean }
type Acl = Readonly<Record<string, string | readonly string[] | undefined>>

export const ADMIN_PASSWORD = 'changed it'

export const securedServer = async (t: ExecutionContext) => {
  const users = new Map<string, User>([['admin', { password: ADMIN_PASSWORD, groups: ['$admins'], disabled: false }]])
  const rights = rightsOver(users)
  const cutting = cuttingCore(newCore(t))
  const core: Core = { ...cutting.core, append: rights.heard(cutting.core) }
  /** The calls for users, and what came with them. */
  const asked: { method: string; path: string; body: string }[] = []
  let next: string | undefined
  const http = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    asked.push({ method: request.method ?? '', path: request.url ?? '', body })
    if (next === 'silence') return
    if (next !== undefined) {
      response.writeHead(307, { location: next }).end()
      next = undefined
      return
    }
    const [code, answer] = answerTo(users, request, body)
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  const grpc = grpcOver(core, rights)
  const { key, certificate } = newCertificate()
  const authority = join(newDirectory(t), 'ca.crt')
  writeFileSync(authority, certificate)
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure())
  const open = new Set<TLSSocket>()
  const front = createTlsServer({ key, cert: certificate, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    if (socket.alpnProtocol === 'h2') injector.injectConnection(socket)
    else http.emit('connection', socket)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    front.close()
    grpc.forceShutdown()
  })
  const { port } = front.address() as AddressInfo
  const urlOf = (login: string, password: string) =>
    `esdb://${login}:${encodeURIComponent(password)}@localhost:${port}?tlsCAFile=${encodeURIComponent(authority)}`
  return {
    ...cutting,
    core,
    users,
    asked,
    urlOf,
    admin: urlOf('admin', ADMIN_PASSWORD),
    origin: `https://localhost:${port}`,
    /** The next call for users is sent on to another address, or all that follow are never answered. */
    answerNext: (how: string) => {
      next = how
    },
  }
}

const rightsOver = (users: ReadonlyMap<string, User>) => {
  let all: Acl = {}
  let defaults: Readonly<Record<string, Acl>> = {}
  const holds = (login: string, roles: string | readonly string[] | undefined) =>
    (users.get(login)?.groups.includes('$admins') ?? false) ||
    [roles ?? []].flat().some((role) => role === login || role === '$all')
  /** `action` is a key of an access list. */
  const may = (login: string, action: string, stream: string) => {
    const of = stream.startsWith('$$') ? stream.slice(2) : stream
    const onMetadata = { $r: '$mr', $w: '$mw' }[action] ?? action
    if (of.startsWith('$')) return holds(login, '$admins')
    return holds(login, defaults.$userStreamAcl?.[stream.startsWith('$$') ? onMetadata : action] ?? '$all')
  }
  return {
    /** The user of a call; undefined when it is none, or has another password. */
    userOf: (metadata: Metadata) => userIn(users, metadata.get('authorization')[0]?.toString()),
    may: (login: string, action: string, stream: string | undefined) =>
      stream === undefined ? holds(login, all.$r) : may(login, action, stream),
    heard:
      (core: Core): Core['append'] =>
      async (stream, expected, events) => {
        const done = await core.append(stream, expected, events)
        const fields = () => JSON.parse(Buffer.from(events[0]?.data ?? []).toString())
        if (stream === '$$$all') all = fields().$acl
        if (stream === '$settings') defaults = fields()
        return done
      },
  }
}

const userIn = (users: ReadonlyMap<string, User>, authorization: string | undefined): string | undefined => {
  const [login = '', ...password] = Buffer.from(authorization?.replace('Basic ', '') ?? '', 'base64')
    .toString()
    .split(':')
  return users.get(login)?.password === password.join(':') ? login : undefined
}

const unknown = refusal(status.UNAUTHENTICATED, 'Unauthenticated')
const denied = refusal(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' })

const grpcOver = (core: Core, { userOf, may }: ReturnType<typeof rightsOver>): Server => {
  const { signal } = new AbortController()
  const [append, batchAppend, read] = [appendCall(core), batchAppendCall(core, signal), readCall(core, signal)]
  const server = new Server()
  server.addService(streamsService.StreamsService, {
    read: (call: ReadCall) => {
      const [login, options] = [userOf(call.metadata), call.request.getOptions()]
      const stream = options?.hasAll() ? undefined : streamName(options?.getStream()?.getStreamIdentifier())
      if (login === undefined) call.emit('error', unknown)
      else if (!may(login, '$r', stream)) call.emit('error', denied)
      else read(call)
    },
    append: (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>) => {
      const login = userOf(call.metadata)
      // What comes first says which stream it is about; only then is it known whether the rest is let through.
      const passed = Object.assign(new EventEmitter(), { cancelled: false })
      append(passed as unknown as typeof call, answer)
      let refused = false
      call.on('data', (message: AppendReq) => {
        const options = message.getOptions()
        if (options && (login === undefined || !may(login, '$w', streamName(options.getStreamIdentifier())))) {
          refused = true
          answer(login === undefined ? unknown : denied)
        }
        if (!refused) passed.emit('data', message)
      })
      call.on('end', () => !refused && passed.emit('end'))
    },
    batchAppend: (call: AppendCall) => {
      const login = userOf(call.metadata)
      if (login === undefined) call.emit('error', unknown)
      else batchAppend(passing(call, (stream) => may(login, '$w', stream)))
    },
    delete: (call: ServerUnaryCall<DeleteReq, DeleteResp>, answer: sendUnaryData<DeleteResp>) => {
      const [login, stream] = [userOf(call.metadata), streamName(call.request.getOptions()?.getStreamIdentifier())]
      if (login === undefined) answer(unknown)
      else if (!may(login, '$d', stream)) answer(denied)
      else
        answer(
          refusal(status.FAILED_PRECONDITION, 'wrong version', {
            exception: 'wrong-expected-version',
            'stream-name': stream,
            'expected-version': '1',
            'actual-version': '-1',
          }),
        )
    },
    tombstone: () => undefined,
  })
  return server
}

/** The call without the appends to streams that its user may not append to; those are answered here. */
const passing = (call: AppendCall, may: (stream: string) => boolean): AppendCall => {
  const passes = (message: BatchAppendReq) => {
    const stream = message.getOptions()?.getStreamIdentifier()
    if (may(streamName(stream))) return true
    const refused = new streams.BatchAppendResp()
      .setCorrelationId(message.getCorrelationId())
      .setStreamIdentifier(stream)
    call.write(refused.setError(DENIED_APPEND))
    return false
  }
  const on = (event: string, listener: (...given: unknown[]) => void) =>
    event === 'data'
      ? call.on('data', (message: BatchAppendReq) => passes(message) && listener(message))
      : call.on(event, listener)
  return withOwn(call, { on })
}

const DENIED_APPEND = packedStatus(status.PERMISSION_DENIED, 'AccessDenied', 'AccessDenied', new Uint8Array())

/** What is recorded of the interface for users. */
const answerTo = (
  users: Map<string, User>,
  { method, url = '', headers }: IncomingMessage,
  body: string,
): readonly [number, object] => {
  const asking = userIn(users, headers.authorization)
  if (asking === undefined) return [401, {}]
  const given = body === '' ? {} : JSON.parse(body)
  const [, name = '', command] = /^\/users\/([^/]*)(?:\/command\/(.+))?$/.exec(url) ?? []
  const login = name === '$current' ? asking : decodeURIComponent(name)
  const user = users.get(login)
  const success = { loginName: login || given.loginName, success: true, error: 'Success' }
  if (method === 'GET') {
    const shown = user && { loginName: login, groups: user.groups, disabled: user.disabled }
    return shown ? [200, { data: shown, success: true }] : [404, { data: null, success: false, error: 'NotFound' }]
  }
  if (!users.get(asking)?.groups.includes('$admins')) return [403, {}]
  if (command === 'reset-password' && user) {
    user.password = given.newPassword
    return [200, success]
  }
  // Once more for one that is there it answers the same, and changes nothing.
  if (!users.has(given.loginName))
    users.set(given.loginName, { password: given.password, groups: given.groups, disabled: false })
  return [201, success]
}
