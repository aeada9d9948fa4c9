import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A merchant's webhook endpoint on this machine, keeping every POST as it came. */
export const startHook = async () => {
  const posts: { headers: Record<string, string>; body: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      posts.push({ headers, body: Buffer.concat(chunks).toString('utf8') })
      response.end('thanks')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const hostPort = `127.0.0.1:${port}`
  return { hostPort, url: `http://${hostPort}/hook`, posts, stop: () => server.close() }
}
