import { z } from 'zod'
import { Refusal, refuse } from '../../../../domain/kernel/refusal.ts'
import { sentenceOf } from '../../../../domain/kernel/refusals/refusal-words.ts'
import { askForGoods, type GoodsWish } from '../../../../domain/use-cases/commerce/ask-for-goods.ts'
import { onceOf } from '../../../../domain/use-cases/once.ts'
import { stockOf } from '../../../../domain/use-cases/selling/stock/change-stock.ts'
import { wordsIn } from '../../agent/common/paging.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { recordOf } from '../../core/record-of.ts'
import { StoreNumber, storeOf } from '../../core/stores.ts'
import { localeFor } from '../../pages/dashboard/messages/locale.ts'
import { saleAt, TILL_PRODUCTS } from '../../pages/dashboard/till/paths.ts'
import { PIECES_MAX, productsPage, type TillProduct } from '../../pages/dashboard/till/products.ts'
import { seeOther } from '../../pages/people-page.ts'
import type { MemberRequest } from '../of-dashboard.ts'
import { FormName, ofTill, SALE_EXPIRY } from './keypad.ts'

/** The products of the till, which are those of the store's public lists: a sale is a request of goods. */

/** Products on one page; more are found by their words. */
const PRODUCTS_MAX = 60
/** Fields of the form beside the products. */
const FIELDS_MAX = PRODUCTS_MAX + 10
const SEARCH_MAX = 200
const TYPED_MAX = 100
const PIECE = /^piece-(\d{1,20})$/
const common = { ...ofTill, path: TILL_PRODUCTS } as const
const refusals = [...common.refusals, 'store-not-found'] as const

const look = endpoint({
  ...common,
  method: 'get',
  summary: 'The products of a store, for a sale at its counter',
  query: z.object({ store: StoreNumber.optional(), search: z.string().max(SEARCH_MAX).default('') }),
  refusals,
  answer: async ({ query: { store, search }, ...request }) =>
    show(request, await storeOf(request.flow, request.actor.actor, store), { search }),
})

const charge = endpoint({
  ...common,
  method: 'post',
  when: { act: 'charge' },
  summary: 'Asks a buyer at the counter for some products; leads to the sale and its code',
  body: recordOf(
    z.string().regex(/^(csrf|act|form|store|piece-\d{1,20})$/, 'has to be a field of this form'),
    z.string().max(TYPED_MAX),
    FIELDS_MAX,
  ),
  refusals,
  async answer({ body, ...request }) {
    const { flow, actor } = request
    const form = FormName.safeParse(body.form)
    const store = StoreNumber.safeParse(body.store)
    if (!form.success || !store.success) return refuse('invalid-request', 'form: open the page of the till anew')
    const storeId = await storeOf(flow, actor.actor, store.data)
    const pieces = piecesIn(body)
    try {
      const items = itemsOf(request, pieces)
      const { requestId } = await askGoodsAtTill(request, form.data, { storeId, items })
      return seeOther(saleAt(requestId))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const said = error.code === 'idempotency-conflict' ? localeFor(actor).words.till.sentBefore : sentenceOf(error)
      return await show(request, storeId, { pieces, fault: said })
    }
  },
})

export const tillProductEndpoints = [look, charge]

type Items = GoodsWish['items']

/** Asks for the products once, however often the form is sent. */
export const askGoodsAtTill = (
  { flow, actor }: Pick<MemberRequest, 'flow' | 'actor'>,
  form: string,
  { storeId, items }: { readonly storeId: number; readonly items: Items },
): Promise<{ readonly requestId: string }> => {
  const { accountId } = actor
  const once = onceOf(flow, { accountId, operation: 'till', key: form, body: { storeId, items } })
  const shop = { accountId, storeId }
  const wish = { shop, items, expiry: SALE_EXPIRY, redirect: '', externalReference: '', test: false } as const
  return askForGoods(flow, once, { ...wish, till: true })
}

const piecesIn = (body: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      const number = PIECE.exec(name)?.[1]
      return number === undefined || value.trim() === '' || value.trim() === '0' ? [] : [[number, value.trim()]]
    }),
  )

const itemsOf = ({ actor }: MemberRequest, pieces: Readonly<Record<string, string>>): Items => {
  const words = localeFor(actor).words.till
  const items = Object.entries(pieces).map(([id, typed]) => {
    const quantity = /^\d{1,3}$/.test(typed) ? Number(typed) : 0
    return quantity >= 1 && quantity <= PIECES_MAX
      ? { id, quantity }
      : refuse('invalid-request', words.wrongPieces(PIECES_MAX))
  })
  return items.length > 0 ? items : refuse('invalid-request', words.noPieces)
}

const show = async (
  { flow, queries, actor }: MemberRequest,
  storeId: number,
  said: { readonly search?: string; readonly pieces?: Readonly<Record<string, string>>; readonly fault?: string },
): Promise<Reply> => {
  const { search = '' } = said
  const scope = { stores: [storeId], test: false, listed: true, ...wordsIn(search || undefined) }
  const rows = await queries.checkouts(actor.accountId, scope, PRODUCTS_MAX)
  const products = await Promise.all(
    rows.map(
      async ({ number, title, price, currency, variant }): Promise<TillProduct> => ({
        number,
        title,
        options: (variant?.options ?? []).map(({ value }) => value).join(', '),
        price: BigInt(price),
        currency,
        available: (await stockOf(flow, number)).available,
      }),
    ),
  )
  return productsPage({ ...said, search, member: actor, storeId, products, form: flow.world.id('tf') })
}
