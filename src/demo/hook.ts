import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook POST as it came; `at` is when, in milliseconds. */
export type Post = { headers: Readonly<Record<string, string>>; body: string; at: number }

/**
 * A merchant's webhook endpoint on this machine, keeping every POST. `answer` is what it says, and when; it may be
 * changed while it runs.
 */
export const startHook = async (
  answer: { status?: number; body?: string; after?: Promise<unknown> | undefined } = {},
) => {
  const posts: Post[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      posts.push({ headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() })
      await answer.after
      response.writeHead(answer.status ?? 200).end(answer.body ?? 'thanks')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const hostPort = `127.0.0.1:${port}`
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { hostPort, url: `http://${hostPort}/hook`, posts, answer, stop }
}
