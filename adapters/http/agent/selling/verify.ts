import { z } from 'zod'
import { toDecimal } from '../../../../domain/kernel/money.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { challengeParts } from '../../../../domain/selling/challenge-terms.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { verifyPayment } from '../../../../domain/use-cases/selling/settling/verify-payment.ts'
import { NamedId } from '../../core/bounds/named-id.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { marked } from '../common/accepts.ts'

const verify = endpoint({
  method: 'post',
  path: '/v1/verify',
  summary: 'Post the transaction hash of a payment',
  auth: 'offered',
  reach: 'store',
  callers: { sandbox: 'publishable', crossOrigin: true },
  limits: { keyless: true, pays: true },
  body: z.object({ challengeId: NamedId, hash: z.string().min(1).max(200) }),
  returns: z.union([
    z.object({ settled: z.literal(true), test: z.literal(true).optional() }),
    z.object({ status: z.literal('pending'), confirmations: z.int(), required: z.int() }),
    z
      .object({
        status: z.literal('underpaid'),
        paid: z.string(),
        asked: z.string(),
        missing: z.string(),
        test: z.literal(true).optional(),
      })
      .meta({ description: 'In coins. Paying exactly `missing` to the same address in time pays the rest.' }),
  ]),
  refusals: [
    'challenge-not-found',
    'challenge-expired',
    'challenge-is-test',
    'payment-not-matching',
    'transfer-taken',
    'already-paid',
    'out-of-stock',
  ],
  async answer({ body, actor, flow }) {
    if (actor?.testOnly) await mustBeTest(flow, body.challengeId)
    const matchedBy = actor && (await isSeller(flow, actor, body.challengeId)) ? actor.keyId : undefined
    const verdict = await verifyPayment(flow, body.challengeId, body.hash.trim(), matchedBy)
    if (verdict.outcome === 'pending') {
      const { confirmations, required } = verdict
      return { status: 'pending' as const, confirmations, required }
    }
    if (verdict.outcome === 'settled') return { settled: true as const, ...marked(verdict) }
    const coin = (units: bigint) => toDecimal(units, verdict.decimals)
    const sums = { paid: coin(verdict.paid), asked: coin(verdict.asked), missing: coin(verdict.missing) }
    return { status: 'underpaid' as const, ...sums, ...marked(verdict) }
  },
})

/**
 * Whether the key belongs to the seller who is paid, and may say what a payment of an odd amount is for (J-AUTH-07).
 */
const isSeller = async ({ ledger }: UseCaseContext, actor: Actor, challengeId: string): Promise<boolean> => {
  // Addresses belong to the account: a key of one store may not say which store a payment there is for.
  if (!actor.can('transactions.edit') || actor.storeScope !== undefined) return false
  const set = await ledger.challenge.read(challengeParts(challengeId)?.setId ?? refuse('challenge-not-found'))
  return set.status === 'open' && set.accountId === actor.accountId
}

/** To a sandbox key, a live challenge does not exist (X-SBX-01). */
const mustBeTest = async ({ ledger }: UseCaseContext, challengeId: string): Promise<void> => {
  const set = await ledger.challenge.read(challengeParts(challengeId)?.setId ?? refuse('challenge-not-found'))
  if (set.status === 'none' || !set.test) refuse('challenge-not-found')
}

export const verifyEndpoints = [verify]
