import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What a method throws to be answered with an error. */
export class RpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** JSON-RPC over HTTP, one call a request. A bigint is written as a number with all its digits. */
export const serveJsonRpc = async (answer: (method: string, params: readonly unknown[]) => unknown) => {
  const server = createServer(async (request, response) => {
    const { id, method, params = [] } = JSON.parse(await text(request))
    const said = await Promise.resolve()
      .then(() => answer(method, params))
      .then(
        (result) => ({ result: result ?? null }),
        (error) => ({ error: { code: error.code ?? -32603, message: String(error.message) } }),
      )
    response.writeHead(200, { 'content-type': 'application/json' }).end(written({ jsonrpc: '2.0', ...said, id }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Milliseconds that a call of a test to a node may take. */
const CALL_LIMIT_MS = 60_000

/** One call of a node; throws the `RpcError` that it answers with. */
export const askJsonRpc = async <T>(url: string, method: string, params: readonly unknown[]): Promise<T> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(CALL_LIMIT_MS) })
  const { result, error } = (await answer.json()) as { result: T; error?: { code: number; message: string } }
  if (error) throw new RpcError(error.code, error.message)
  return result
}

/** Not yet among TypeScript's types. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

export const written = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? rawJSON(String(part)) : part))
