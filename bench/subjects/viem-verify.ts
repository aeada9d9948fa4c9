/**
 * A facilitator's check of a signature with viem alone: Koa and its body parser as the service has them, and one route.
 */
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { koaBody } from 'koa-body'
import { type Hex, verifyTypedData } from 'viem'
import type { signedPayment } from '../signed-payments.ts'

const koa = new Koa()
koa.use(koaBody())
koa.use(async (ctx) => {
  const { paymentPayload } = (ctx.request as unknown as { body: { paymentPayload: ReturnType<typeof signedPayment> } })
    .body
  const { accepted, payload } = paymentPayload
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization
  const isValid = await verifyTypedData({
    address: from as Hex,
    domain: {
      ...accepted.extra,
      chainId: Number(accepted.network.split(':')[1]),
      verifyingContract: accepted.asset as Hex,
    },
    types: { TransferWithAuthorization: TRANSFER_TYPE },
    primaryType: 'TransferWithAuthorization',
    message: {
      from: from as Hex,
      to: to as Hex,
      value: BigInt(value),
      nonce: nonce as Hex,
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
    signature: payload.signature as Hex,
  })
  ctx.status = isValid ? 200 : 402
  ctx.body = { isValid, payer: from }
})

const TRANSFER_TYPE = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

const server = koa.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/` })}\n`)
})
