/** Sends a request exactly as it is written down, and waits no longer than a caller would. */
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Answer } from '../../src/demo/client.ts'
import type { Wire } from './requests.ts'

export type Heard = Answer & { readonly ms: number }

/**
 * Longer than this is a hang: the service itself gives up at 25 s, and a machine that does other work besides is slow,
 * too.
 */
export const HANG_MS = 20_000

const SOCKETS_MAX = 32

export const createSender = (origin: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX })
  const { hostname, port } = new URL(origin)
  return {
    send: ({ method, path, headers, body }: Wire): Promise<Heard> =>
      new Promise((resolve, reject) => {
        const start = performance.now()
        // Node says by itself how long a body is only where it expects one.
        const long = body === undefined ? {} : { 'content-length': String(body.length) }
        const options = { agent, hostname, port, method, path, headers: { ...long, ...headers }, timeout: HANG_MS }
        const sent = request(options, (answer) => {
          read(answer).then((text) => resolve(heard(answer, text, performance.now() - start)), reject)
        })
        sent.on('timeout', () => sent.destroy(new Error(`no answer within ${HANG_MS} ms`)))
        sent.on('error', reject)
        sent.end(body)
      }),
    stop: () => agent.destroy(),
  }
}

/** An answer that goes on for ever is heard until its first words. */
const read = async (answer: IncomingMessage): Promise<string> => {
  const goesOn = /^text\/event-stream/.test(answer.headers['content-type'] ?? '')
  const pieces: Buffer[] = []
  for await (const piece of answer) {
    pieces.push(piece)
    if (goesOn) break
  }
  return Buffer.concat(pieces).toString('utf8')
}

const heard = ({ statusCode: status = 0, headers: raw }: IncomingMessage, text: string, ms: number): Heard => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw)) for (const each of [value].flat()) headers.append(name, each ?? '')
  return { status, headers, text, json: jsonOf(text), ms }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
