import { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { takeNotice } from '../../../../domain/use-cases/card/notice.ts'
import { processorOf } from '../../../../domain/use-cases/card/processor.ts'
import { endpoint } from '../../core/endpoint.ts'

/**
 * Where a card processor reports what became of a payment. Whoever is not believed is told nothing: not even whether
 * there is such a seller.
 */

const hook = endpoint({
  method: 'post',
  path: '/hooks/card/:id',
  summary: 'A card processor reports what became of a payment; only what it has signed is believed',
  auth: 'none',
  perTarget: true,
  pays: true,
  showsLater: true,
  raw: true,
  params: z.object({ id: z.string().max(64) }),
  headers: z.object({ 'stripe-signature': z.string().max(4_096).optional() }),
  body: z.object({ raw: z.string() }),
  returns: z.object({ received: z.literal(true) }),
  refusals: ['invalid-request', 'unavailable'],
  async answer({ params, headers, body, flow, queries }) {
    const accountId = await queries.cardHookOwner(params.id)
    const processor = accountId === undefined ? undefined : await processorOf(flow, accountId)
    const signature = headers['stripe-signature'] ?? ''
    const secret = processor?.webhookSecret ?? NOBODYS
    const notice = flow.cards.notice(secret, body.raw, signature, flow.world.now())
    if (!notice || !processor || accountId === undefined)
      return refuse('invalid-request', 'This is not signed as it should be.')
    await takeNotice(flow, accountId, notice, queries.cardPaymentOf)
    return { received: true as const }
  },
})

/**
 * Checked for an address that nobody has, so that the answer is the same. It comes sooner: of a known one the keys are
 * read and opened first, and whoever times that learns of an address, which they had to know, that it is somebody's.
 */
const NOBODYS = 'whsec_nobody'

export const cardHookEndpoints = [hook]
