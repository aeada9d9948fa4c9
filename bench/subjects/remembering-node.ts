/**
 * A node that answers from memory what the node behind it answered once, so that the caller is measured and not the
 * node.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const [behind = ''] = process.argv.slice(2)
/** The result of each method with its parameters, as it was written. */
const known = new Map<string, string>()

const server = createServer(async (request, response) => {
  const { id, method, params } = JSON.parse(await text(request))
  const key = JSON.stringify([method, params])
  const result = known.get(key) ?? (await ask(method, params))
  known.set(key, result)
  response.writeHead(200, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
})

const ask = async (method: string, params: unknown): Promise<string> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(behind, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return JSON.stringify(((await answer.json()) as { result: unknown }).result)
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/` })}\n`)
})
