/** The public port: who may come, how long a connection is kept, and how it ends. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { SAFE } from '../../adapters/http/serving/safe-headers.ts'
import type { Config } from '../settings/config.ts'
import type { ServiceRole } from '../settings/service-role.ts'

/** How long requests under way may take once a stop has begun. */
const DRAIN_MS = 10_000
/** How often connections are looked for meanwhile whose request has been answered. */
const IDLE_CHECK_MS = 100
/**
 * How long a connection is kept that nobody uses (N-171). Load balancers use theirs again for 60 seconds as a rule. A
 * busy process comes late to both the clock and what has arrived: were the time short, it would reset connections whose
 * request has arrived already, and nobody could say what became of that.
 */
const KEEP_ALIVE_MS = 75_000
const REQUEST_TIMEOUT_MS = 30_000
/** Connections at a time (N-172). One that nobody uses takes 15 kB. */
const CONNECTIONS_MAX = 10_000
/** How often requests that are over that time are looked for. */
const TIMEOUT_CHECK_MS = 1_000

const TIMES = {
  keepAliveTimeout: KEEP_ALIVE_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
}

/** The public port. It is taken first, so that a port in use is known at once, and opened last. */
export const openFront = async (
  { port: wanted }: Pick<Config, 'port'>,
  { sharesPort }: ServiceRole,
  connectionsMax = CONNECTIONS_MAX,
) => {
  let handler = starting
  const server = createServer(TIMES, (request, response) => handler(request, response))
  boundConnections(server, connectionsMax)
  server.on('clientError', sayBroken)
  const port = await listening(server, wanted, sharesPort)
  return {
    port,
    open: (listener: RequestListener) => {
      handler = listener
    },
    announceStop: () => {
      handler = stoppingSoon(handler)
    },
    drain: (limitMs = DRAIN_MS) => {
      handler = lastOnConnection(handler)
      return drained(server, limitMs)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Whoever takes the last place has those closed that nobody uses, so that who only keeps connections keeps nobody out.
 * Where all are in use, one more is closed at once.
 */
const boundConnections = (server: Server, max: number): void => {
  server.maxConnections = max
  let open = 0
  server.on('connection', (socket) => {
    open++
    socket.once('close', () => open--)
    if (open >= max) server.closeIdleConnections()
  })
}

/**
 * Answers a connection whose bytes are no HTTP, or come too slowly; there is no request yet that anything else could
 * answer.
 */
const sayBroken = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = BROKEN[error.code ?? ''] ?? '400 Bad Request'
  const headers = Object.entries({ ...SAFE, Connection: 'close', 'Content-Length': '0' })
  socket.end([`HTTP/1.1 ${status}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n'))
}

const BROKEN: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

const unavailable =
  (message: string): RequestListener =>
  (_, response) => {
    response.writeHead(503, { ...SAFE, 'Content-Type': 'application/json', 'Retry-After': '1' })
    response.end(JSON.stringify({ success: false, error: 'svc_unavailable', error_code: 'svc_unavailable', message }))
  }

/** The answer to requests before everything has started. */
const starting = unavailable('Starting.')
/** What whoever shares out calls is told, so that this process gets no more of them. */
const leaving = unavailable('Stopping.')

const stoppingSoon =
  (listener: RequestListener): RequestListener =>
  (request, response) =>
    (request.url?.split('?', 1)[0] === '/readyz' ? leaving : listener)(request, response)

/** The system spreads new connections over all processes that share a port. */
const listening = (server: Server, port: number, sharesPort: boolean): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, reusePort: sharesPort }, () => resolve((server.address() as AddressInfo).port))
  })

/** Tells whoever keeps the connection that nobody will listen to it. */
const lastOnConnection =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    response.shouldKeepAlive = false
    listener(request, response)
  }

/** Stops taking connections, lets requests under way end, and cuts what is left when the time is up. */
const drained = (server: Server, limitMs: number): Promise<void> =>
  new Promise((resolve) => {
    const look = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
    const cut = setTimeout(() => server.closeAllConnections(), limitMs)
    server.close(() => {
      clearInterval(look)
      clearTimeout(cut)
      resolve()
    })
  })
