import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import test from 'ava'
import { openFront } from '../../src/runtime/front.ts'
import { WHOLE_SERVICE } from '../../src/settings/service-role.ts'
import { gate } from '../support/ledger.ts'

/** A stop that has to cut connections when its time is up does not come to an end. */
const DAY_MS = 86_400_000

test('N-171 a connection that nobody uses is kept for longer than load balancers use theirs again', async (t) => {
  const { socket, front } = await opened((request, response) => response.end(request.url))
  const answer = await said(socket, '/only')
  t.regex(answer, /\r\nConnection: keep-alive\r\nKeep-Alive: timeout=75\r\n/)
  await front.drain(DAY_MS)
})

test('N-171 a stop waits for what is under way, says that a connection ends, and does not wait for who only keeps one', async (t) => {
  const answering = gate()
  const begun = gate()
  const asked = gate()
  const { socket, front } = await opened(async (request, response) => {
    if (request.url === '/slow') begun.open()
    if (request.url === '/next') asked.open()
    if (request.url === '/slow') await answering.opened
    response.end(request.url)
  })
  const slow = said(socket, '/slow')
  await begun.opened
  const kept = await connected(front.port)
  await said(kept, '/kept')
  const drained = front.drain(DAY_MS)
  await ended(kept)
  const next = said(socket, '/next')
  await asked.opened
  answering.open()
  t.regex(await slow, /^HTTP\/1\.1 200 .*\r\nConnection: keep-alive\r\n/s)
  t.regex(await next, /\r\nConnection: close\r\n.*\/next$/s)
  await ended(socket)
  await drained
})

test('N-171 a connection whose request was answered after a stop had begun is closed, and ends the stop', async (t) => {
  // Without that the connection would be kept for 75 seconds.
  t.timeout(60_000)
  const answering = gate()
  const begun = gate()
  const { socket, front } = await opened(async (request, response) => {
    begun.open()
    await answering.opened
    response.end(request.url)
  })
  const slow = said(socket, '/slow')
  await begun.opened
  const drained = front.drain(DAY_MS)
  answering.open()
  t.regex(await slow, /\r\nConnection: keep-alive\r\n/)
  await Promise.all([drained, ended(socket)])
})

test('N-172 who keeps as many connections as there may be keeps nobody out, and cuts off nobody who is answered', async (t) => {
  const answering = gate()
  const begun = gate()
  const { socket, front } = await opened(async (request, response) => {
    if (request.url === '/slow') begun.open()
    if (request.url === '/slow') await answering.opened
    response.end(request.url)
  }, 4)
  const slow = said(socket, '/slow')
  await begun.opened
  const kept = await Promise.all([connected(front.port), connected(front.port)])
  for (const each of kept) await said(each, '/kept')
  const last = await connected(front.port)
  await Promise.all(kept.map(ended))
  t.regex(await said(last, '/last'), /^HTTP\/1\.1 200 /)
  t.regex(await said(await connected(front.port), '/next'), /^HTTP\/1\.1 200 /)
  answering.open()
  t.regex(await slow, /^HTTP\/1\.1 200 /)
  await front.drain(DAY_MS)
})

test('N-172 where all connections are in use, one more is closed at once', async (t) => {
  const answering = gate()
  const underWay = gate()
  let asked = 0
  const { socket, front } = await opened(async (request, response) => {
    if (++asked === 2) underWay.open()
    await answering.opened
    response.end(request.url)
  }, 2)
  const other = await connected(front.port)
  const answers = [said(socket, '/one'), said(other, '/two')]
  await underWay.opened
  await ended(await connected(front.port))
  answering.open()
  for (const answer of answers) t.regex(await answer, /^HTTP\/1\.1 200 /)
  await front.drain(DAY_MS)
})

const opened = async (listener: RequestListener, connectionsMax?: number) => {
  const front = await openFront({ port: 0 }, WHOLE_SERVICE, connectionsMax)
  front.open(listener)
  return { front, socket: await connected(front.port) }
}

const connected = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, 'localhost', () => resolve(socket))
    socket.once('error', reject)
  })

/** Asks for a path, and answers with what comes up to its answer, which is the path. */
const said = (socket: Socket, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const hear = (part: Buffer) => {
      text += part
      if (!text.includes(`\r\n\r\n${path}`)) return
      socket.off('data', hear)
      resolve(text)
    }
    socket.on('data', hear)
    socket.once('close', () => reject(new Error(`the connection ended after ${JSON.stringify(text)}`)))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  })

const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve())))
