/** `@x402/express` answering 402 for a priced route, as its README sets it up; nothing is stored. */
import type { AddressInfo } from 'node:net'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware, x402ResourceServer } from '@x402/express'
import express from 'express'

const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const NETWORK = 'eip155:84532'

const app = express()
app.get('/facilitator/supported', (_, response) => {
  response.json({ kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }], extensions: [], signers: {} })
})
const server = app.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: `${url}/facilitator` }))
  resources.register(NETWORK, new ExactEvmScheme())
  const accepts = { scheme: 'exact', price: '$0.10', network: NETWORK, payTo: PAY_TO } as const
  app.use(paymentMiddleware({ 'GET /paid': { accepts, description: 'A priced resource' } }, resources))
  app.get('/paid', (_, response) => {
    response.json({ paid: true })
  })
  process.stdout.write(`${JSON.stringify({ url: `${url}/paid` })}\n`)
})
