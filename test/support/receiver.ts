import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A merchant's webhook endpoint: real HTTP on loopback, keeping every request as it came. */

export type Received = { headers: Readonly<Record<string, string>>; body: string; at: number }

export const startReceiver = async (answer: { status?: number; body?: string } = {}) => {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, String(v)]))
      received.push({ headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() })
      response.writeHead(answer.status ?? 200).end(answer.body ?? 'thanks')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    hostPort: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    /** Changes what is answered from now on. */
    answer,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>
