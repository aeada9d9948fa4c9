/** The smallest door: it offers what it is told to, and takes down what it is sent. It settles nothing. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { envelopeOf, type PaymentWay } from '../../adapters/x402/envelope.ts'
import { decodePayment, type ReadPayment } from '../../adapters/x402/header.ts'
import { settlementHeader } from '../../adapters/x402/responses.ts'

export const FIXTURE_HASH = `0x${'ab'.repeat(32)}`

export const startDoor = async () => {
  let offered: readonly PaymentWay[] = []
  const read: ReadPayment[] = []
  const server = createServer((request, response) => {
    const url = `http://${request.headers.host}${request.url}`
    const header = paymentHeader(request)
    const { body, headers } =
      header === undefined ? envelopeOf(offered, { url, description: 'A' }, 'pay') : paid(header)
    response.writeHead(header === undefined ? 402 : 200, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  })

  const paid = (header: string): { body: object; headers: object } => {
    const payment = decodePayment(header)
    read.push(payment)
    if (payment.kind !== 'payment') return { body: payment, headers: {} }
    const { from } = payment.payment.authorization
    const settlement = { success: true, transaction: FIXTURE_HASH, payer: from } as const
    return { body: { paid: true }, headers: settlementHeader(payment.payment, settlement) }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/r/res_1`,
    offer(ways: readonly PaymentWay[]): void {
      offered = ways
    },
    /** What was sent since it was last asked. */
    sent: (): ReadPayment[] => read.splice(0),
    stop: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const paymentHeader = ({ headers }: IncomingMessage): string | undefined => {
  const header = headers['x-payment'] ?? headers['payment-signature']
  return Array.isArray(header) ? header[0] : header
}
