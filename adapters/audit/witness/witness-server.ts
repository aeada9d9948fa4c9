import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Witness, WitnessAnswer } from './witness.ts'

/** A witness over HTTP: `POST <any prefix>/add-checkpoint`. TLS is for whatever stands before it. */
export type ServedWitness = { readonly url: string; stop(): Promise<void> }

/** A checkpoint with 64 signatures and a proof of 63 lines is far smaller. */
const BODY_BYTES_MAX = 65_536
const REQUEST_TIMEOUT_MS = 10_000
/** Interval at which requests over that limit are looked for. */
const TIMEOUT_CHECK_MS = 1_000
const CONNECTIONS_MAX = 256

/** @param failed told of what could not be answered; the caller gets a 500 without words */
export const serveWitness = async (
  witness: Witness,
  { host, port }: { host: string; port: number },
  failed: (error: unknown) => void,
): Promise<ServedWitness> => {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: TIMEOUT_CHECK_MS },
    (request, response) => {
      answerTo(witness, request)
        .catch((error: unknown) => {
          if (!request.destroyed) failed(error)
          return { status: 500, type: 'text/plain', body: '' }
        })
        .then((answer) => send(response, answer))
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

const answerTo = async (witness: Witness, request: IncomingMessage): Promise<WitnessAnswer> => {
  const said = (status: number, body: string) => ({ status, type: 'text/plain; charset=utf-8', body: `${body}\n` })
  if (!request.url?.split('?', 1)[0]?.endsWith('/add-checkpoint')) return said(404, 'there is only /add-checkpoint')
  if (request.method !== 'POST') return said(405, 'checkpoints are posted')
  const body = await bodyOf(request)
  return body === undefined
    ? said(413, `the body is larger than ${BODY_BYTES_MAX} bytes, or is not UTF-8`)
    : witness.addCheckpoint(body)
}

/** Undefined when there is too much of it, or when it is not UTF-8. */
const bodyOf = (request: IncomingMessage): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytes = 0
    request.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes <= BODY_BYTES_MAX) return void pieces.push(piece)
      request.pause()
      resolve(undefined)
    })
    request.on('end', () => resolve(decoded(Buffer.concat(pieces))))
    request.on('error', reject)
  })

const decoded = (bytes: Buffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const send = (response: ServerResponse, { status, type, body }: WitnessAnswer) => {
  // A body that was not read to its end must not be taken for the next request.
  const close = response.req.complete ? {} : { Connection: 'close' }
  response.writeHead(status, { 'Content-Type': type, ...close }).end(body)
}
