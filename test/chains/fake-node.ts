import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** What a node does with a call: a result or an error to send, `pass` to hand it to the node behind, or a fault. */
export type Behaviour = { result: unknown } | { error: { code: number; message: string } } | Fault
type Fault = 'pass' | 'hang' | 'hang-in-body' | 'garbage' | { status: number; error?: object }

/** A node that misbehaves as told, in front of a real one; `calls` counts what it was asked, `logins` holds as whom. */
export const fakeNode = async (behind: string, behave: (call: Call) => Behaviour) => {
  const calls: string[] = []
  const logins = new Set<string | undefined>()
  const server = createServer(async (request, response) => {
    const call = JSON.parse(await text(request)) as Call
    calls.push(call.method)
    logins.add(request.headers.authorization)
    await answer(behind, call, behave(call), response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/key-4711`,
    calls,
    logins,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const answer = async (behind: string, call: Call, behaviour: Behaviour, response: ServerResponse) => {
  if (behaviour === 'hang') return
  if (behaviour === 'hang-in-body') {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":')
    return
  }
  if (behaviour === 'garbage') return response.end('<html>')
  if (behaviour === 'pass') {
    const passed = await fetch(behind, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call),
    })
    return response.writeHead(200, { 'content-type': 'application/json' }).end(await passed.text())
  }
  if ('status' in behaviour) {
    const { status, error } = behaviour
    return response.writeHead(status).end(error ? JSON.stringify({ result: null, error, id: call.id }) : 'no')
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...behaviour }))
}
