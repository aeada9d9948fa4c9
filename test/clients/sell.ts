/**
 * A process that sells with a library of x402's own, and lets somebody else check and settle the payments. Arguments: the library, the
 * facilitator's URL, whom to pay, the price, and a key for the facilitator if it wants one. It prints `{ url }` of what it sells.
 */
import type { AddressInfo } from 'node:net'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { paymentMiddleware as sellWithV2, x402ResourceServer } from '@x402/express'
import express from 'express'
import { paymentMiddleware as sellWithV1 } from 'x402-express'

const [, , library = '', facilitator = '', payTo = '', price = '$0.05', key = ''] = process.argv
const url = facilitator as `${string}://${string}`
const seller = payTo as `0x${string}`

const headers: Record<string, string> = key === '' ? {} : { 'X-Api-Key': key }
const createAuthHeaders = async () => ({ verify: headers, settle: headers, supported: headers })

const libraries: Readonly<Record<string, () => express.RequestHandler>> = {
  'x402-express': () =>
    sellWithV1(seller, { 'GET /paid': { price, network: 'base-sepolia' } }, { url, createAuthHeaders }),
  '@x402/express': () => {
    const network = 'eip155:84532'
    const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url, createAuthHeaders })).register(
      network,
      new ExactEvmScheme(),
    )
    const accepts = { scheme: 'exact', price, network, payTo: seller } as const
    return sellWithV2(
      { 'GET /paid': { accepts, description: 'A priced resource' } },
      resources,
    ) as express.RequestHandler
  },
}

const middleware = libraries[library]
if (!middleware) throw new Error(`no such library: ${library}`)
const app = express()
app.use(middleware())
app.get('/paid', (_, response) => {
  response.json({ paid: true })
})
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/paid` })}\n`)
})
