/** Koa alone, to see the least that an HTTP answer costs. */
import type { AddressInfo } from 'node:net'
import Koa from 'koa'

const koa = new Koa()
koa.use((ctx) => {
  ctx.body = 'Hello World'
})
const server = koa.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/` })}\n`)
})
