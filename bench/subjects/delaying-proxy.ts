/**
 * Stands before a server and passes on what both sides say, each some time later, as a network of that round trip does.
 * Arguments: the server's host and port, and the milliseconds of a round trip.
 */
import { connect, createServer, type Socket } from 'node:net'
import { answering } from '../answering.ts'

const [hostPort = '', roundTripMs = '0'] = process.argv.slice(2)
const { hostname, port } = new URL(`tcp://${hostPort}`)
const oneWayMs = Number(roundTripMs) / 2
const sockets = new Set<Socket>()

const pass = (from: Socket, to: Socket) => {
  sockets.add(from)
  from.setNoDelay()
  // Timers of one duration go off in the order in which they were set.
  from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), oneWayMs))
  from.on('close', () => {
    sockets.delete(from)
    setTimeout(() => to.destroy(), oneWayMs)
  })
  from.on('error', () => from.destroy())
}

const server = createServer((near) => {
  const far = connect(Number(port), hostname)
  pass(near, far)
  pass(far, near)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('the proxy has no port')

await answering(
  async () => ({ url: `esdb://127.0.0.1:${address.port}?tls=false` }),
  () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  },
)
