/**
 * `@x402/express` selling a route as its README sets it up; arguments: the facilitator's URL, who is paid, how many
 * dollars.
 */
import type { AddressInfo } from 'node:net'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import express from 'express'

const NETWORK = 'eip155:84532'

const [facilitator = '', payTo = '', dollars = ''] = process.argv.slice(2)
const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator }))
resources.register(NETWORK, new ExactEvmScheme())
const accepts = { scheme: 'exact', price: `$${dollars}`, network: NETWORK, payTo } as const

const app = express()
app.use(paymentMiddleware({ 'GET /paid': { accepts, description: 'A priced resource' } }, resources))
app.get('/paid', (_, response) => {
  response.json({ paid: true })
})
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/paid` })}\n`)
})
