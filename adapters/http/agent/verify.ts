import { z } from 'zod'
import { verifyPayment } from '../../../domain/flows/verify-payment.ts'
import { endpoint } from '../endpoint.ts'

const verify = endpoint({
  method: 'post',
  path: '/v1/verify',
  summary: 'Post the transaction hash of a payment',
  auth: 'none',
  body: z.object({ challengeId: z.string().min(1).max(100), hash: z.string().min(1).max(200) }),
  returns: z.union([
    z.object({ settled: z.literal(true) }),
    z.object({ status: z.literal('pending'), confirmations: z.int(), required: z.int() }),
    z.object({ status: z.literal('underpaid') }),
  ]),
  refusals: ['challenge-not-found', 'challenge-expired', 'challenge-is-test', 'payment-not-matching', 'transfer-taken'],
  async answer({ body, flow }) {
    const verdict = await verifyPayment(flow, body.challengeId, body.hash.trim(), false)
    if (verdict.outcome === 'settled') return { settled: true as const }
    if (verdict.outcome === 'underpaid') return { status: 'underpaid' as const }
    const { confirmations, required } = verdict
    return { status: 'pending' as const, confirmations, required }
  },
})

export const verifyEndpoints = [verify]
