import { z } from 'zod'
import { isRefusal, refuse } from '../../../../domain/kernel/refusal.ts'
import { CHECKOUT_BOUNDS } from '../../../../domain/selling/checkout.ts'
import { CheckoutName } from '../../agent/common/checkout-shape.ts'
import { changeCheckout, deleteCheckout, oneCheckout } from '../../agent/selling/own-checkouts.ts'
import { keepPicture, UPLOAD_LIMIT_MS, UPLOAD_MAX_BYTES } from '../../agent/storefront/site.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { localeFor } from '../../pages/dashboard/messages/locale.ts'
import { type LinkDone, linkPage } from '../../pages/dashboard/products/detail.ts'
import type { LinkForm } from '../../pages/dashboard/products/forms.ts'
import { KINDS, linkAt } from '../../pages/dashboard/products/paths.ts'
import type { PiecesView } from '../../pages/dashboard/products/pieces.ts'
import { productParts } from '../../pages/dashboard/products/product-parts.ts'
import { seeOther } from '../../pages/people-page.ts'
import { faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { openTestSale } from '../test-sale.ts'
import { acted, contextOf } from './acts.ts'
import { listing } from './narrowing.ts'
import { countPieces, pieceFields, piecesView } from './pieces.ts'
import {
  formFields,
  PRODUCT_FIELDS,
  productEdit,
  productForm,
  productValues,
  type TypedProduct,
} from './product-form.ts'
import { productLine } from './product-list.ts'

/** One product: how it is passed on, its pictures and forms, a test of it, and what may be changed. */

const common = {
  ...ofMembers,
  path: `${KINDS.products.path}/:checkout_id`,
  reach: 'store',
  params: z.object({ checkout_id: CheckoutName }),
  refusals: ['checkout-not-found', 'form-stale', 'rate-limited', 'busy'],
} as const
const changes = { ...common, method: 'post', callers: { capability: 'checkouts.edit' } } as const
const picture = z.string().max(300)

const look = endpoint({
  ...common,
  method: 'get',
  callers: { capability: 'checkouts.view' },
  summary: 'One product: its link, its pictures and forms, and what a member may do with it',
  query: z.object({ done: listing.done }),
  answer: ({ params, query, ...request }) => show(request, params.checkout_id, { done: query.done }),
})

const change = endpoint({
  ...changes,
  when: { act: 'change' },
  summary: 'Changes a product; a version that is not the newest is refused',
  body: z.object({
    csrf,
    version: z
      .string()
      .regex(/^[1-9]\d{0,8}$/)
      .transform(Number),
    ...formFields,
  }),
  answer: ({ params: { checkout_id: named }, body: { csrf: _, version, ...typed }, ...request }) =>
    changed(request, named, version, typed),
})

const stock = endpoint({
  ...changes,
  when: { act: 'stock' },
  summary: 'Says how many pieces of a product there are, or how many came or are gone',
  body: z.object(pieceFields),
  answer: ({ params: { checkout_id: id }, body: { csrf: _, ...typed }, ...request }) =>
    countPieces(request, { kind: 'products', id }, typed, (pieces) => show(request, id, { pieces })),
})

const test = endpoint({
  ...common,
  method: 'post',
  when: { act: 'test' },
  callers: { capability: 'resources.edit' },
  summary: 'Opens a test sale at the price of a product; leads to its page',
  body: z.object({ csrf }),
  answer: ({ params: { checkout_id: named }, once, ...request }) =>
    acted(
      async () => {
        const { title, price: amount, currency, asset } = await oneCheckout(contextOf(request), named)
        return await openTestSale({ ...request, once }, { title, amount, currency, asset })
      },
      (fault) => show(request, named, { fault }),
    ),
})

const end = endpoint({
  ...changes,
  when: { act: 'end' },
  summary: 'Deletes a product; what it sold stays',
  body: z.object({ csrf }),
  answer: ({ params: { checkout_id: named }, ...request }) =>
    acted(
      async () => {
        await deleteCheckout(contextOf(request), named)
        return seeOther(`${KINDS.products.path}?done=ended`)
      },
      (fault) => show(request, named, { fault }),
    ),
})

const addPicture = endpoint({
  ...changes,
  when: { act: 'picture' },
  summary: 'Adds a picture to a product: a PNG, JPEG or WebP file',
  query: z.object({ act: z.literal('picture') }),
  takes: { upload: { maxBytes: UPLOAD_MAX_BYTES, limitMs: UPLOAD_LIMIT_MS } },
  body: z.object({ csrf }),
  refusals: [...common.refusals, 'body-too-large', 'body-too-slow'],
  answer: ({ params: { checkout_id: named }, upload, pictures, ...request }) =>
    pictured(request, named, async (present) => {
      if (!request.actor.actor.can('design.edit'))
        refuse(
          'forbidden',
          'Your role may not upload pictures. Ask the owner of the account for one that may change the design.',
        )
      if (present.length >= CHECKOUT_BOUNDS.pictures)
        refuse('invalid-request', `A product has at most ${CHECKOUT_BOUNDS.pictures} pictures: take one away first.`)
      const path = await keepPicture({ ...request, pictures }, request.actor.accountId, await upload())
      return present.includes(path) ? present : [...present, path]
    }),
})

const removePicture = endpoint({
  ...changes,
  when: { act: 'picture-remove' },
  summary: 'Takes a picture away from a product',
  body: z.object({ csrf, picture }),
  answer: ({ params: { checkout_id: named }, body, ...request }) =>
    pictured(request, named, async (present) => present.filter((each) => each !== body.picture)),
})

const firstPicture = endpoint({
  ...changes,
  when: { act: 'picture-first' },
  summary: 'Puts a picture of a product before the others',
  body: z.object({ csrf, picture }),
  answer: ({ params: { checkout_id: named }, body, ...request }) =>
    pictured(request, named, async (present) =>
      present.toSorted((a, b) => Number(b === body.picture) - Number(a === body.picture)),
    ),
})

export const productEndpoints = [look, change, stock, test, end, addPicture, removePicture, firstPicture]

const changed = async (request: MemberRequest, named: string, version: number, typed: TypedProduct): Promise<Reply> => {
  try {
    const { slug } = await changeCheckout(contextOf(request), named, productEdit(typed), version)
    return seeOther(`${linkAt('products', slug)}?done=changed`)
  } catch (error) {
    if (isRefusal(error, 'checkout-not-found')) throw error
    if (isRefusal(error, 'version-conflict'))
      return await show(request, named, { fault: localeFor(request.actor).words.links.stale })
    const faults = faultsOf(error, PRODUCT_FIELDS, 'title')
    return await show(request, named, { form: await productForm(request, { values: typed, faults, version }) })
  }
}

const pictured = (
  request: MemberRequest,
  named: string,
  arranged: (present: readonly string[]) => Promise<readonly string[]>,
): Promise<Reply> =>
  acted(
    async () => {
      const present = await oneCheckout(contextOf(request), named)
      const pictures = [...(await arranged(present.pictures))]
      await changeCheckout(contextOf(request), named, { pictures }, present.version)
      return seeOther(`${linkAt('products', present.slug)}?done=pictured`)
    },
    (fault) => show(request, named, { fault }),
  )

type Said = {
  readonly done?: LinkDone | undefined
  readonly fault?: string
  readonly form?: LinkForm
  readonly pieces?: Pick<PiecesView, 'values' | 'faults'>
}

const show = async (request: MemberRequest, named: string, { form, pieces, ...said }: Said): Promise<Reply> => {
  const record = await oneCheckout(contextOf(request), named)
  const { slug, version, url, pictures, variant, store_id: storeId } = record
  const { actor, queries } = request
  const isTest = record.test === true
  const variants = variant
    ? await queries.variantsOf(actor.accountId, { storeId, test: isTest }, [variant.product])
    : []
  const counted = await piecesView(request, String(record.id), pieces)
  const parts = { member: actor, slug, pictures, variants, isTest, mayUpload: actor.actor.can('design.edit') }
  return linkPage({
    ...said,
    member: actor,
    kind: 'products',
    line: productLine(record),
    isTest,
    url,
    form: form ?? (await productForm(request, { values: productValues(record), version })),
    mayEnd: true,
    pieces: counted,
    more: productParts(localeFor(actor), parts),
  })
}
