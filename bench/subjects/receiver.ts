/** A merchant's server: reads each POST whole and says 200. `GET /taken` tells what came since it was last asked. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Taken } from '../posts.ts'

let taken: Taken = { posts: 0, signed: 0, bytes: 0 }

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(taken))
    taken = { posts: 0, signed: 0, bytes: 0 }
    return
  }
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  request.on('end', () => {
    const signed = /^t=\d{10},v1=[0-9a-f]{64}$/.test(String(request.headers['x-webhook-signature']))
    taken = { posts: taken.posts + 1, signed: taken.signed + (signed ? 1 : 0), bytes: taken.bytes + bytes }
    response.end('thanks')
  })
})
server.listen(0, '127.0.0.1', () => {
  const hostPort = `127.0.0.1:${(server.address() as AddressInfo).port}`
  process.stdout.write(`${JSON.stringify({ hostPort, url: `http://${hostPort}` })}\n`)
})
