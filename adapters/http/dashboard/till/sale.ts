import { z } from 'zod'
import { DEFAULT_STORE } from '../../../../domain/kernel/in-store.ts'
import { Refusal, refuse } from '../../../../domain/kernel/refusal.ts'
import { sentenceOf } from '../../../../domain/kernel/refusals/refusal-words.ts'
import type { OpenRequest } from '../../../../domain/selling/payment-request.ts'
import { cancelRequest } from '../../../../domain/use-cases/selling/challenges/cancel-request.ts'
import { cancelParts } from '../../agent/selling/payment-requests.ts'
import { mayUse } from '../../core/actor.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { saleAt, TILL } from '../../pages/dashboard/till/paths.ts'
import { salePage } from '../../pages/dashboard/till/sale.ts'
import { seeOther } from '../../pages/people-page.ts'
import { csrf, type MemberRequest } from '../of-dashboard.ts'
import { askAtTill, FormName, ofTill } from './keypad.ts'
import { askGoodsAtTill } from './products.ts'
import { saleProgress } from './sale-progress.ts'

/** One sale at the counter: its code, what became of it, and what the seller does with it. */

const common = {
  ...ofTill,
  path: `${TILL}/sales/:request_id`,
  params: z.object({ request_id: z.string().max(64) }),
  refusals: [...ofTill.refusals, 'request-not-found'],
} as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'A sale at the counter: the code that the buyer scans, and what has become of it',
  answer: async ({ params, ...request }) => show(request, await ownSale(request, params.request_id)),
})

const cancel = endpoint({
  ...common,
  method: 'post',
  when: { act: 'cancel' },
  summary: 'Cancels a sale at the counter that nobody has paid',
  body: z.object({ csrf }),
  async answer({ params, ...request }) {
    const { flow, queries } = request
    const sale = await ownSale(request, params.request_id)
    try {
      await cancelRequest(flow, sale.requestId, cancelParts(flow, queries))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // It has ended meanwhile, which its page says.
      if (error.code === 'request-not-found') return seeOther(saleAt(sale.requestId))
      return await show(request, await ownSale(request, params.request_id), sentenceOf(error))
    }
    return seeOther(saleAt(sale.requestId))
  },
})

const again = endpoint({
  ...common,
  method: 'post',
  when: { act: 'again' },
  summary: 'Asks again for what nobody has paid in time; leads to the new sale',
  body: z.object({ csrf, form: FormName }),
  async answer({ params, body: { form }, ...request }) {
    const sale = await ownSale(request, params.request_id)
    const { storeId = DEFAULT_STORE, amount, note } = sale
    try {
      const items = sale.goods?.map(({ productId: id, quantity }) => ({ id, quantity }))
      const { requestId } = items
        ? await askGoodsAtTill(request, form, { storeId, items })
        : await askAtTill(request, form, { storeId, amount: BigInt(amount ?? 0), note })
      return seeOther(saleAt(requestId))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return await show(request, sale, sentenceOf(error))
    }
  },
})

export const saleEndpoints = [look, cancel, again]

type OwnSale = OpenRequest & { readonly requestId: string }

/** A sale at a till of the member's. Refuses `request-not-found`, also for a request that no till has made. */
const ownSale = async ({ flow, actor }: MemberRequest, requestId: string): Promise<OwnSale> => {
  const found = /^pr_[a-z2-7]{26}$/.test(requestId) ? await flow.ledger.paymentRequest.read(requestId) : undefined
  if (!found || found.status === 'none' || !found.till) return refuse('request-not-found')
  const { accountId, storeId = DEFAULT_STORE, test } = found
  return mayUse(actor.actor, { accountId, storeId, test }) ? { ...found, requestId } : refuse('request-not-found')
}

const show = async (request: MemberRequest, sale: OwnSale, fault?: string): Promise<Reply> => {
  const { flow, actor } = request
  const { requestId, transactionId, amount, currency, note, expiresAt, storeId = DEFAULT_STORE } = sale
  const { state, hasParts, paidBy } = await saleProgress(request, requestId, sale)
  const payAt = `${flow.origins.pay}/id/${requestId}`
  return salePage({
    member: actor,
    storeId,
    requestId,
    transactionId,
    price: { units: BigInt(amount ?? 0), currency },
    note,
    expiresAt,
    hasParts,
    state,
    payAt,
    receiptAt: paidBy === undefined ? undefined : `${payAt}?challenge=${encodeURIComponent(paidBy)}`,
    form: flow.world.id('tf'),
    fault,
  })
}
