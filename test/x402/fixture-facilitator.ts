/** The smallest facilitator: it checks signatures as the real one does, and says that everything was settled. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { readPayment, type SignedPayment } from '../../adapters/x402/header.ts'
import { differenceFrom, isSignedByPayer } from '../../adapters/x402/judge.ts'
import type { PaymentRefusal } from '../../adapters/x402/reasons.ts'
import { readRequirements } from '../../adapters/x402/requirements.ts'
import { settleBody, supportedBody, verifyBody } from '../../adapters/x402/responses.ts'
import { tokenDomainOf } from '../../adapters/x402/tokens.ts'
import { FIXTURE_HASH } from './fixture-door.ts'
import { SELLER } from './payments.ts'

export const startFacilitator = async () => {
  const calls: string[] = []
  const server = createServer(async (request, response) => {
    calls.push(request.url ?? '')
    const body = request.method === 'GET' ? supported : answer(request.url ?? '', JSON.parse(await text(request)))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    stop: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const supported = supportedBody(['eip155:84532'], { extensions: [], signers: [SELLER] })

const answer = (path: string, { paymentPayload, paymentRequirements }: Record<string, unknown>): object => {
  const read = readPayment(paymentPayload)
  if (read.kind !== 'payment') return { isValid: false, success: false, error: read.kind }
  const { payment } = read
  const payer = payment.authorization.from
  const refusal = refusalOf(payment, readRequirements(payment.version, paymentRequirements))
  if (path === '/verify') return verifyBody(payment.version, { payer, ...(refusal && { refusal }) })
  if (refusal) return settleBody(payment, { success: false, reason: refusal })
  return settleBody(payment, { success: true, transaction: FIXTURE_HASH, payer })
}

const refusalOf = (payment: SignedPayment, asked: ReturnType<typeof readRequirements>): PaymentRefusal | undefined => {
  const domain = asked?.caip2 === undefined ? undefined : tokenDomainOf(asked.caip2, asked.asset)
  if (!asked || !domain) return 'requirements'
  return differenceFrom(asked, payment) ?? (isSignedByPayer(payment, domain) ? undefined : 'signature')
}
