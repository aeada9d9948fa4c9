import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { statusAt } from '../../../../domain/selling/payment-request.ts'
import {
  CHALLENGE_MINUTES,
  type ChallengeOffer,
} from '../../../../domain/use-cases/selling/challenges/open-challenge.ts'
import { openForRequest } from '../../../../domain/use-cases/selling/challenges/open-request.ts'
import { endpoint } from '../../core/endpoint.ts'
import { networkMark } from '../../core/network-of.ts'
import { isUnpaid, waysOf } from '../common/accepts.ts'
import { FiatAmount, fiatNumber, fiatUnits } from '../common/amounts.ts'
import { createOpenSets } from '../common/open-sets.ts'
import { termsOf } from './door.ts'
import { AcceptsWish, manifest, PaymentRequired } from './manifest.ts'

/**
 * The link of a payment request, as a machine is told it (J-PRQ-02, J-PRQ-03). Whoever holds the link shares its open
 * challenges.
 */

const Settled = z.object({ settled: z.literal(true), amount: z.number().nullable(), currency: z.string() })

export const requestDoorEndpoints = () => {
  const openSets = createOpenSets<ChallengeOffer>((CHALLENGE_MINUTES * 60_000) / 2)

  const door = endpoint({
    method: 'get',
    path: '/id/:id',
    summary:
      'The payment door of a payment request: 402 with ways to pay, 200 once it is paid, 410 when its time is up',
    auth: 'none',
    ignores: 'query',
    callers: { crossOrigin: true },
    waits: 'before',
    params: z.object({ id: z.string().regex(/^pr_[a-z2-7]{26}$/) }),
    query: z.object({
      agent: z.string().max(8).optional(),
      accepts: AcceptsWish,
      asset: z.string().max(32).optional(),
      amount: z.coerce.number().pipe(FiatAmount).optional(),
    }),
    returns: Settled,
    otherwise: { 402: { description: 'Payment required', schema: PaymentRequired } },
    refusals: [
      'request-not-found',
      'challenge-expired',
      'unknown-asset',
      'busy',
      'rate-limited',
      'no-free-amount',
      'out-of-stock',
    ],
    async answer({ params, query, ip, flow }) {
      const request = await flow.ledger.paymentRequest.recent(params.id)
      if (request.status === 'none')
        return refuse('request-not-found', 'There is no such payment request: look at the link again.')
      const { amount, currency } = request
      if (request.status === 'paid')
        return { settled: true as const, amount: amount === null ? null : fiatNumber(amount), currency }
      // A request that was withdrawn is not paid by a challenge that was open before.
      if (statusAt(request, flow.world.now().toISOString()) === 'expired')
        return refuse('challenge-expired', 'This payment request has expired: ask the seller for another one.')
      const choice = { asset: query.asset, amount: query.amount === undefined ? undefined : fiatUnits(query.amount) }
      const terms = await termsOf(flow, request.accountId)
      const caller = JSON.stringify([query.asset, query.amount])
      const asked = { resource: params.id, ip, caller, terms, now: flow.world.now().getTime() }
      const open = () => openForRequest(flow, params.id, choice, { network: networkMark(flow, ip) })
      const opened = await openSets.of(asked, open, isUnpaid(flow))
      const facts = { transaction_id: request.transactionId, test: request.test }
      const price = { amount: fiatNumber(opened.amount), currency: opened.currency }
      const sold = { url: `${flow.origins.pay}/id/${params.id}`, description: request.title }
      return manifest({ ...facts, ...price }, await waysOf(flow, opened), sold, { plain: query.accepts !== undefined })
    },
  })

  return [door]
}
