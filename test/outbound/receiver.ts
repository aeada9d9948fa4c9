import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificate, privateKey } from './self-signed.ts'

export type Received = { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: Buffer }

export type Receiver = {
  readonly port: number
  /** TCP connections taken, with or without a request. */
  connections(): number
  readonly received: Received[]
  stop(): void
}

type Answer = (request: Received, response: ServerResponse) => void

/** A merchant's server: keeps what it received and answers as told. */
export const startReceiver = async (
  answer: Answer,
  where: { host?: string; port?: number; secure?: boolean } = {},
): Promise<Receiver> => {
  const received: Received[] = []
  let connections = 0
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const seen = { url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) }
    received.push(seen)
    answer(seen, response)
  }
  const server = where.secure
    ? createTlsServer({ cert: certificate, key: privateKey }, listener)
    : createServer(listener)
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(where.port ?? 0, where.host ?? '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    received,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
