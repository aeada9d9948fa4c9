import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer, type TLSSocket } from 'node:tls'
import { type CommandMessage, DECLINED, type HomeAnswer } from '../../domain/write-side/homes.ts'
import { atMost } from '../timing/time-limit.ts'
import { createFrameReader, frameOf } from './frames.ts'
import { type PeerProof, SHARED_KEY_TLS } from './peer-proof.ts'

/** The port at which a process takes commands for the streams whose home it is. */
export type HomeServer = {
  readonly port: number
  /** Lets others in who ask for the process of this id; until then nobody is. */
  open(id: string, doors: HomeDoors): void
  /** Declines what comes from now on, and ends once what is under way is answered. */
  close(): Promise<void>
}

/** What others may ask of a process. */
export type HomeDoors = {
  decide(message: CommandMessage): Promise<HomeAnswer>
  contended(stream: string, revision: bigint): void
  /** What another process tells this one alone; a message that nobody here understands is passed over. */
  told(message: string): void
}

/** What is sent to a process: a command with a number of its own, a stream for which races are lost, or a message. */
export type HomeRequest =
  | readonly ['decide', number, CommandMessage]
  | readonly ['contended', string, bigint]
  | readonly ['told', string]
/** The answer under the number of its command; null when nobody can say what became of that. */
export type HomeReply = readonly [number, HomeAnswer | null]

/** Connections at once, also those of strangers that are about to be refused. */
const CONNECTIONS_MAX = 128
const HANDSHAKE_LIMIT_MS = 2_000
/** How long the rest of a frame may take to come. */
const FRAME_LIMIT_MS = 2_000
/** Commands of one connection that are being decided; more are declined at once. */
export const COMMANDS_AT_ONCE_MAX = 1_000
/** How long a process that ends waits for what it decides for others, and for its answers to be taken. */
const DRAIN_MS = 1_000
/** Bytes of answers that wait because their reader does not read; then the connection is ended. */
const UNREAD_BYTES_MAX = 16 * 1_024 * 1_024

/** Listens on an address of this machine, at a port that the system chooses. */
export const startHomeServer = async (host: string, proof: PeerProof): Promise<HomeServer> => {
  let opened: { readonly identity: string; readonly doors: HomeDoors } | undefined
  const sockets = new Set<TLSSocket>()
  const underWay = new Set<Promise<unknown>>()
  const doors: HomeDoors = {
    contended: (stream, revision) => opened?.doors.contended(stream, revision),
    told: (message) => opened?.doors.told(message),
    async decide(message) {
      if (!opened) return DECLINED
      const deciding = opened.doors.decide(message)
      const settled = deciding.catch(() => {}).finally(() => underWay.delete(settled))
      underWay.add(settled)
      return deciding
    },
  }
  const server = createServer({
    ...SHARED_KEY_TLS,
    handshakeTimeout: HANDSHAKE_LIMIT_MS,
    pskCallback: (_, given) => (given === opened?.identity ? proof.key : null),
  })
  server.maxConnections = CONNECTIONS_MAX
  // Whoever fails the handshake is cut off by it; there is nobody to tell.
  server.on('tlsClientError', (_, socket) => socket.destroy())
  server.on('secureConnection', (socket) => {
    if (!opened) return void socket.destroy()
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    serveConnection(socket, doors)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    open(id, doors) {
      opened = { identity: proof.identityFor(id), doors }
    },
    async close() {
      opened = undefined
      await atMost(DRAIN_MS, Promise.all(underWay))
      // The last answers go out in the turn after the one in which they came.
      await pause(0)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroySoon()
      const late = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, DRAIN_MS)
      await closed
      clearTimeout(late)
    },
  }
}

const serveConnection = (socket: TLSSocket, { decide, contended, told }: HomeDoors): void => {
  const frames = createFrameReader()
  const replies = createBatch<HomeReply>((batch) => {
    const frame = frameOf(batch)
    if (frame) return void socket.write(frame)
    // What is too large together may go one by one; what is too large alone is as good as lost.
    for (const [number, answer] of batch)
      socket.write(frameOf([[number, answer]]) ?? (frameOf([[number, null]]) as Buffer))
  })
  let underWay = 0
  let late: NodeJS.Timeout | undefined
  const take = async (request: HomeRequest) => {
    if (request[0] === 'contended') return contended(request[1], request[2])
    if (request[0] === 'told') return told(request[1])
    const [, number, message] = request
    if (underWay >= COMMANDS_AT_ONCE_MAX) return replies.add([number, DECLINED])
    underWay++
    const answer = await decide(message).catch(() => null)
    underWay--
    if (socket.writableLength > UNREAD_BYTES_MAX) socket.destroy()
    if (!socket.destroyed) replies.add([number, answer])
  }
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => clearTimeout(late))
  socket.on('data', (piece) => {
    clearTimeout(late)
    try {
      for (const request of frames.read(piece) as readonly HomeRequest[]) void take(request)
    } catch {
      return void socket.destroy()
    }
    if (frames.isHalf()) late = setTimeout(() => socket.destroy(), FRAME_LIMIT_MS)
  })
}

/** Gathers what is written in one turn of the event loop, so that it goes out together. */
export const createBatch = <T>(write: (values: readonly T[]) => void) => {
  let waiting: T[] = []
  const flush = () => {
    const batch = waiting
    waiting = []
    write(batch)
  }
  return {
    add(value: T) {
      if (waiting.push(value) === 1) setImmediate(flush)
    },
    /** Takes back all that was not written yet. */
    takeBack: () => waiting.splice(0),
  }
}
