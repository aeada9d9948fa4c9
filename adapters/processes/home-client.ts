import { connect, type TLSSocket } from 'node:tls'
import { OutcomeUnknown } from '../../domain/kernel/ports.ts'
import { type CommandMessage, DECLINED, type HomeAnswer } from '../../domain/write-side/homes.ts'
import { createFrameReader, FRAME_BYTES_MAX, frameOf } from './frames.ts'
import { COMMANDS_AT_ONCE_MAX, createBatch, type HomeReply, type HomeRequest } from './home-server.ts'
import { type PeerProof, SHARED_KEY_TLS } from './peer-proof.ts'

/** One connection to another process, kept for as long as that is alive, and opened again when it was lost. */
export type HomeClient = {
  /** Undefined when nothing can be sent now. Rejects with OutcomeUnknown when no answer came. */
  decide(message: CommandMessage): Promise<HomeAnswer> | undefined
  contended(stream: string, revision: bigint): void
  /** False when nothing can be sent now. What is sent may be lost with the connection. */
  tell(message: string): boolean
  close(): void
}

export type HomeLimits = {
  /** How long an answer is waited for; after that the process that was asked decides by itself. */
  readonly answerMs: number
  /** How long nothing is handed to a process that did not answer in time, or could not be reached, at first. */
  readonly pauseMs: number
}

export const HOME_LIMITS: HomeLimits = { answerMs: 2_000, pauseMs: 500 }

const CONNECT_LIMIT_MS = 5_000
/** A home that stays silent is left alone for twice as long each time, up to this. */
const PAUSE_MAX_MS = 10_000
/** Streams that are told once there is a connection; more are found out by a lost race of their own. */
const UNTOLD_STREAMS_MAX = 100

type Waiting = { resolve(answer: HomeAnswer): void; reject(error: unknown): void; timer: NodeJS.Timeout }

/** `address` is host:port of the process of that id. */
export const createHomeClient = (
  { id, address }: { id: string; address: string },
  proof: PeerProof,
  { answerMs, pauseMs }: HomeLimits = HOME_LIMITS,
): HomeClient => {
  const waiting = new Map<number, Waiting>()
  const untold = new Map<string, bigint>()
  let numbers = 0
  let socket: TLSSocket | undefined
  let isReady = false
  let isClosed = false
  let silentUntil = 0
  let pausedMs = 0
  const pause = () => {
    // Many calls are late together, and that is one silence.
    if (performance.now() < silentUntil) return
    pausedMs = Math.min(pausedMs === 0 ? pauseMs : 2 * pausedMs, Math.max(pauseMs, PAUSE_MAX_MS))
    silentUntil = performance.now() + pausedMs
  }
  const settle = (number: number, act: (call: Waiting) => void) => {
    const call = waiting.get(number)
    if (!call) return
    waiting.delete(number)
    clearTimeout(call.timer)
    act(call)
  }
  const requests = createBatch<HomeRequest>((batch) => {
    const frame = isReady ? frameOf(batch) : undefined
    if (frame) return void socket?.write(frame)
    for (const request of batch) {
      const alone = isReady && batch.length > 1 ? frameOf([request]) : undefined
      if (alone) socket?.write(alone)
      else if (request[0] === 'decide') settle(request[1], ({ resolve }) => resolve(DECLINED))
    }
  })
  const lose = (lost: TLSSocket) => {
    if (socket !== lost) return
    socket = undefined
    isReady = false
    pause()
    for (const request of requests.takeBack())
      if (request[0] === 'decide') settle(request[1], ({ resolve }) => resolve(DECLINED))
    for (const number of [...waiting.keys()])
      settle(number, ({ reject }) => reject(new OutcomeUnknown('the connection to the home was lost')))
  }
  const open = () => {
    const opened = connectTo(address, proof, proof.identityFor(id), (replies) => {
      pausedMs = 0
      for (const [number, answer] of replies)
        settle(number, ({ resolve, reject }) =>
          answer ? resolve(answer) : reject(new OutcomeUnknown('the home cannot say what became of the command')),
        )
    })
    socket = opened
    opened.once('secureConnect', () => {
      isReady = socket === opened
      for (const [stream, revision] of untold) requests.add(['contended', stream, revision])
      untold.clear()
    })
    opened.once('close', () => lose(opened))
  }
  const mayAsk = () => {
    if (isClosed || performance.now() < silentUntil) return false
    if (!socket) open()
    return isReady && waiting.size < COMMANDS_AT_ONCE_MAX && (socket?.writableLength ?? 0) < FRAME_BYTES_MAX
  }

  return {
    decide(message) {
      if (!mayAsk()) return undefined
      const number = ++numbers
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          pause()
          settle(number, (call) => call.reject(new OutcomeUnknown('the home did not answer in time')))
        }, answerMs)
        waiting.set(number, { resolve, reject, timer })
        requests.add(['decide', number, message])
      })
    },
    contended(stream, revision) {
      if (mayAsk()) requests.add(['contended', stream, revision])
      else if (untold.size < UNTOLD_STREAMS_MAX) untold.set(stream, revision)
    },
    tell(message) {
      if (!mayAsk()) return false
      requests.add(['told', message])
      return true
    },
    close() {
      isClosed = true
      socket?.destroy()
    },
  }
}

const connectTo = (
  address: string,
  { key: psk }: PeerProof,
  identity: string,
  heard: (replies: readonly HomeReply[]) => void,
): TLSSocket => {
  const { hostname, port } = new URL(`tcp://${address}`)
  const frames = createFrameReader()
  const socket = connect({
    ...SHARED_KEY_TLS,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port),
    pskCallback: () => ({ psk, identity }),
    // Both have the key, which is more than a name on a certificate says.
    checkServerIdentity: () => undefined,
  })
  const late = setTimeout(() => socket.destroy(), CONNECT_LIMIT_MS)
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  socket.once('secureConnect', () => clearTimeout(late))
  socket.once('close', () => clearTimeout(late))
  socket.on('error', () => socket.destroy())
  socket.on('data', (piece) => {
    try {
      heard(frames.read(piece) as readonly HomeReply[])
    } catch {
      socket.destroy()
    }
  })
  // A connection that waits for nothing keeps no process alive.
  socket.unref()
  return socket
}
