import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands before a chain node and counts what is asked of it, so that a test can say that nothing was. */
export const startCountingProxy = async (target: () => string) => {
  let calls = 0
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    calls++
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    for (const call of [JSON.parse(Buffer.concat(chunks).toString())].flat()) asked.push(JSON.stringify(call))
    try {
      const answer = await fetch(target(), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(chunks),
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    } catch {
      response.writeHead(502).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls: () => calls,
    /** The calls since the last look, each as its JSON. */
    asked: () => asked.splice(0),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
