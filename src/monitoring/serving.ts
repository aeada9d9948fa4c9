import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Registry } from 'prom-client'
import type { Config } from '../settings/config.ts'

/** Serves `/metrics` at an address and a port of its own. */
export type MetricsServer = {
  serve(
    where: Pick<Config, 'metricsPort' | 'metricsHost' | 'metricsToken'>,
  ): Promise<{ readonly url: string; stop(): Promise<void> }>
}

const REQUEST_TIMEOUT_MS = 10_000

export const metricsServer = (registry: Registry): MetricsServer => ({
  async serve({ metricsPort, metricsHost, metricsToken }) {
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, async (request, response) => {
      if (request.url !== '/metrics') return void response.writeHead(404).end()
      if (metricsToken !== undefined && !bears(request, metricsToken))
        return void response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end()
      try {
        const text = await registry.metrics()
        response.writeHead(200, { 'Content-Type': registry.contentType }).end(text)
      } catch {
        response.writeHead(500).end()
      }
    })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(metricsPort, metricsHost, resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : metricsPort
    const host = isIPv6(metricsHost) ? `[${metricsHost}]` : metricsHost
    return {
      url: `http://${host}:${port}/metrics`,
      stop() {
        server.closeIdleConnections()
        return new Promise<void>((resolve) => server.close(() => resolve()))
      },
    }
  },
})

/** Whether a request brings the token. Digests are compared, so that the time tells neither its text nor its length. */
const bears = ({ headers }: IncomingMessage, token: string): boolean => {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  return timingSafeEqual(digest(given), digest(token))
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
