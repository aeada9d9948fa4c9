/** How much each side of a connection may send before the other one has read it. */

import { once } from 'node:events'
import { connect, createServer, type Http2Session, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { eventually } from '../../src/demo/stage.ts'
import { newClient, newNode } from './open.ts'

/** Bytes. A connection begins with 65,535. */
const WINDOW = 1_048_576

/** What the other side lets a session send on each call, and on all of them together. */
const windowsOf = ({ remoteSettings, state }: Http2Session) => [
  remoteSettings.initialWindowSize,
  state.remoteWindowSize,
]

test('a server may send a client a megabyte before that has read it', async (t) => {
  const server = createServer()
  const sessions: ServerHttp2Session[] = []
  server.on('session', (session) => sessions.push(session))
  server.on('stream', (stream) => stream.on('error', () => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  const store = newClient(t, `esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`)
  store.head().catch(() => {})
  await eventually('the windows', () => sessions.length === 1 && windowsOf(sessions[0] as Http2Session)[1] === WINDOW)
  t.deepEqual(windowsOf(sessions[0] as Http2Session), [WINDOW, WINDOW])
})

test('a client may send the embedded node a megabyte before that has read it', async (t) => {
  const { served } = await newNode(t)
  const session = connect(`http://${served.address}`)
  t.teardown(() => session.destroy())
  await once(session, 'remoteSettings')
  await eventually('the windows', () => windowsOf(session)[1] === WINDOW)
  t.deepEqual(windowsOf(session), [WINDOW, WINDOW])
})
