import { z } from 'zod'
import type { Flow } from '../../../domain/flows/flow.ts'
import { verifyPayment } from '../../../domain/flows/verify-payment.ts'
import { refuse } from '../../../domain/refusal.ts'
import { challengeParts } from '../../../domain/sell/challenge-terms.ts'
import { DEFAULT_STORE } from '../../../domain/sell/in-store.ts'
import { inScope } from '../actor.ts'
import { type Actor, endpoint } from '../endpoint.ts'
import { marked } from './accepts.ts'

const verify = endpoint({
  method: 'post',
  path: '/v1/verify',
  summary: 'Post the transaction hash of a payment',
  auth: 'offered',
  perAddress: true,
  pays: true,
  body: z.object({ challengeId: z.string().min(1).max(100), hash: z.string().min(1).max(200) }),
  returns: z.union([
    z.object({ settled: z.literal(true), test: z.literal(true).optional() }),
    z.object({ status: z.literal('pending'), confirmations: z.int(), required: z.int() }),
    z.object({ status: z.literal('underpaid'), test: z.literal(true).optional() }),
  ]),
  refusals: ['challenge-not-found', 'challenge-expired', 'challenge-is-test', 'payment-not-matching', 'transfer-taken'],
  async answer({ body, actor, flow }) {
    const bySeller = actor !== undefined && (await isSeller(flow, actor, body.challengeId))
    const verdict = await verifyPayment(flow, body.challengeId, body.hash.trim(), bySeller)
    if (verdict.outcome === 'pending') {
      const { confirmations, required } = verdict
      return { status: 'pending' as const, confirmations, required }
    }
    return verdict.outcome === 'settled'
      ? { settled: true as const, ...marked(verdict) }
      : { status: 'underpaid' as const, ...marked(verdict) }
  },
})

/** Whether the key is that of whoever is paid, and may say what a payment of an odd amount is for (J-AUTH-07). */
const isSeller = async ({ ledger }: Flow, actor: Actor, challengeId: string): Promise<boolean> => {
  if (!actor.can('transactions.edit')) return false
  const set = await ledger.challenge.read(challengeParts(challengeId)?.setId ?? refuse('challenge-not-found'))
  if (set.status !== 'open' || set.accountId !== actor.accountId) return false
  return inScope(actor, set.storeId ?? DEFAULT_STORE)
}

export const verifyEndpoints = [verify]
