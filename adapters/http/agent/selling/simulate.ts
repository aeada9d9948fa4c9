import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import {
  simulateLatePayment,
  simulatePayment,
} from '../../../../domain/use-cases/selling/challenges/simulate-payment.ts'
import { NamedId } from '../../core/bounds/named-id.ts'
import { endpoint } from '../../core/endpoint.ts'

/** Confirmations that a simulated payment may have: more than any resource asks for. */
const CONFIRMATIONS_MAX = 1_000
/** Characters of the name of a payment. */
const PAYMENT_NAME_MAX = 64

const simulate = endpoint({
  method: 'post',
  path: '/v1/simulate-payment',
  summary: 'Play that a test challenge was paid',
  auth: 'offered',
  reach: 'store',
  callers: { sandbox: 'secret', crossOrigin: true },
  limits: { keyless: true },
  waits: 'when-behind',
  body: z.object({
    challengeId: NamedId,
    confirmations: z.int().min(1).max(CONFIRMATIONS_MAX).default(1),
    amount: z
      .string()
      .regex(/^\d{1,30}(\.\d{1,18})?$/, 'has to be a decimal of the coin')
      .optional(),
    payment: z
      .string()
      .max(PAYMENT_NAME_MAX)
      .optional()
      .meta({ description: 'A name for the payment: calls with one amount and two names play two payments.' }),
    late: z
      .boolean()
      .default(false)
      .meta({ description: 'The time to pay ends, and then the payment comes, which settles nothing.' }),
  }),
  returns: z
    .object({
      settled: z.boolean(),
      test: z.literal(true),
      status: z.enum(['underpaid', 'late']).optional(),
      confirmations: z.int(),
      minimum_confirmations: z.int(),
      hash: z.string(),
    })
    .meta({ id: 'SimulatedPayment', description: 'Settled once it has the confirmations that the resource asks for.' }),
  refusals: ['challenge-not-found', 'challenge-is-live', 'challenge-closed', 'challenge-expired', 'out-of-stock'],
  async answer({ body, flow }) {
    if (body.late) {
      if (body.amount !== undefined || body.payment !== undefined)
        refuse('invalid-request', 'late: the whole amount comes too late, so leave amount and payment out')
      const { hash, required } = await simulateLatePayment(flow, body.challengeId)
      const depth = { confirmations: required, minimum_confirmations: required }
      return { settled: false, test: true as const, status: 'late' as const, ...depth, hash }
    }
    const { outcome, confirmations, required, hash } = await simulatePayment(flow, body.challengeId, body)
    return {
      settled: outcome === 'settled',
      test: true as const,
      ...(outcome === 'underpaid' && { status: outcome }),
      confirmations,
      minimum_confirmations: required,
      hash,
    }
  },
})

export const simulateEndpoints = [simulate]
