/** A facilitator as the makers of `@x402` set one up; arguments: the chain's URL and the key that pays the gas. */
import type { AddressInfo } from 'node:net'
import { x402Facilitator } from '@x402/core/facilitator'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import express from 'express'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { nonceManager, privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'

/** Milliseconds between questions to the chain; the default is four seconds, which would be two blocks. */
const POLLING_MS = 250

const [chainUrl, key = ''] = process.argv.slice(2)
// Without the nonce manager, payments that come at the same time take the same nonce, and most are lost.
const account = privateKeyToAccount(key as Hex, { nonceManager })
const client = createWalletClient({
  account,
  chain: baseSepolia,
  transport: http(chainUrl),
  pollingInterval: POLLING_MS,
}).extend(publicActions)
const signer = toFacilitatorEvmSigner({
  address: account.address,
  getCode: (asked) => client.getCode(asked),
  readContract: (asked) => client.readContract({ ...asked, args: asked.args ?? [] }),
  verifyTypedData: (asked) => client.verifyTypedData(asked as Parameters<typeof client.verifyTypedData>[0]),
  writeContract: (asked) => client.writeContract(asked as Parameters<typeof client.writeContract>[0]),
  sendTransaction: (asked) => client.sendTransaction(asked),
  waitForTransactionReceipt: (asked) => client.waitForTransactionReceipt(asked),
})
const facilitator = new x402Facilitator()
registerExactEvmScheme(facilitator, { signer, networks: 'eip155:84532' })

const app = express()
app.use(express.json())
app.post('/verify', async ({ body }, response) => {
  response.json(await facilitator.verify(body.paymentPayload, body.paymentRequirements))
})
app.post('/settle', async ({ body }, response) => {
  response.json(await facilitator.settle(body.paymentPayload, body.paymentRequirements))
})
app.get('/supported', (_, response) => {
  response.json(facilitator.getSupported())
})
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
