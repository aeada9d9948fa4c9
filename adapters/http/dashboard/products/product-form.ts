import { z } from 'zod'
import { productTitle } from '../../../../domain/selling/checkout.ts'
import { CheckoutEdit, type CheckoutRecord, NewCheckout } from '../../agent/common/checkout-shape.ts'
import { oneCheckout } from '../../agent/selling/own-checkouts.ts'
import { validInput } from '../../core/valid.ts'
import { localeFor } from '../../pages/dashboard/messages/locale.ts'
import type { LinkField, LinkForm, LinkValues } from '../../pages/dashboard/products/forms.ts'
import { numberIn } from '../first-steps.ts'
import type { FormFaults } from '../form-faults.ts'
import type { MemberRequest } from '../of-dashboard.ts'
import { storesOf } from '../payments/list.ts'
import { coinChoices } from '../wallets.ts'

/** The form of a product: what it says at first, and what the API is asked for when it is sent. */

export const PRODUCT_FIELDS = [
  'title',
  'price',
  'currency',
  'description',
  'asset',
  'listed',
  'store_id',
  'vendor',
  'tags',
  'sku',
  'product',
  'position',
  'options',
] as const satisfies readonly LinkField[]

/** A change does not say how many pieces there are, which would undo the sales that were made meanwhile. */
export const NEW_PRODUCT_FIELDS: readonly LinkField[] = PRODUCT_FIELDS.flatMap((name) =>
  name === 'currency' ? [name, 'stock'] : [name],
)

/** Characters of a field; what the API takes of each is less. */
const typed = z.string().max(2_100).default('')
export const formFields = Object.fromEntries(PRODUCT_FIELDS.map((name) => [name, typed])) as Record<
  (typeof PRODUCT_FIELDS)[number],
  typeof typed
>

export type TypedProduct = Readonly<Record<(typeof PRODUCT_FIELDS)[number], string>>

export const newFormFields = { ...formFields, stock: typed }

/** What a new product is asked for. Refuses `invalid-request` as `POST /v1/checkouts` does. */
export const newProduct = ({ stock, ...form }: TypedProduct & { readonly stock: string }) =>
  validInput(NewCheckout, { ...wishOf(form), ...piecesIn(stock) })

/** The pieces that a form for something new says; where it says none, nobody counts them. */
export const piecesIn = (typed: string) => (typed.trim() === '' ? {} : { stock: numberIn(typed) })

/** What a change is asked for: all that the form has. */
export const productEdit = ({ currency, ...form }: TypedProduct) => {
  const wish = wishOf({ currency: '', ...form })
  return validInput(CheckoutEdit, { ...wish, ...(currency !== '' && { currency: currency.trim().toUpperCase() }) })
}

const wishOf = (form: TypedProduct) => {
  const { title, description, vendor, sku, asset } = form
  return {
    title,
    description: description.replaceAll('\r\n', '\n'),
    vendor,
    sku,
    price: numberIn(form.price),
    ...(form.currency.trim() !== '' && { currency: form.currency.trim().toUpperCase() }),
    asset: asset === '' ? null : asset,
    listed: form.listed === '1',
    ...(form.store_id !== '' && { store_id: numberIn(form.store_id) }),
    tags: form.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    variant: form.product.trim() === '' ? null : variantIn(form),
  }
}

/** Options are written one to a line, the name before a colon. */
const variantIn = ({ product, position, options }: TypedProduct) => ({
  product: product.trim(),
  position: position.trim() === '' ? 1 : numberIn(position),
  options: options
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', ...value] = line.split(':')
      return { name: name.trim(), value: value.join(':').trim() }
    }),
})

type Start = {
  readonly values?: LinkValues
  readonly faults?: FormFaults
  /** The slug of the product of which a further variant is made. */
  readonly like?: string | undefined
  /** The version that the values are of, for a change. */
  readonly version?: number
}

/** The form with what stands in it. Refuses `checkout-not-found` for a product to be like that is not there. */
export const productForm = async (
  request: MemberRequest,
  { values, faults, like, version }: Start,
): Promise<LinkForm> => {
  const { flow, actor } = request
  const stores = await storesOf(request)
  const { currency } = await flow.ledger.settings.read(actor.accountId)
  const start = like === undefined ? undefined : await oneCheckout({ ...request, actor: actor.actor }, like)
  return {
    fields: version === undefined ? NEW_PRODUCT_FIELDS : PRODUCT_FIELDS,
    values: values ?? (start ? furtherVariant(start) : { currency, listed: '1' }),
    faults,
    choices: {
      asset: await coinOptions(request, start?.asset ?? values?.asset),
      store_id: stores.length > 1 ? stores : [],
    },
    ...(version !== undefined && { hidden: { version: String(version) } }),
  }
}

/** Every coin that a link may be limited to, with all of them first; also the present one, whatever became of it. */
export const coinOptions = async (
  request: MemberRequest,
  present?: string | null,
): Promise<readonly (readonly [value: string, label: string])[]> => {
  const coins = (await coinChoices(request)).map(({ code, name, network }) => [code, `${name} (${network})`] as const)
  const isOther = present && !coins.some(([code]) => code === present)
  return [['', localeFor(request.actor).words.links.all], ...coins, ...(isOther ? [[present, present] as const] : [])]
}

/** What a further variant has in common with the product that it is one of. */
const furtherVariant = (record: z.input<typeof CheckoutRecord>): LinkValues => ({
  ...productValues(record),
  title: productTitle({ title: record.title, variant: record.variant }),
  price: '',
  sku: '',
  product: record.variant?.product ?? record.slug,
  position: String((record.variant?.position ?? 1) + 1),
  options: (record.variant?.options ?? []).map(({ name }) => `${name}: `).join('\n'),
})

/** What a product says at present, as its form has it. */
export const productValues = (record: z.input<typeof CheckoutRecord>): LinkValues => ({
  title: record.title,
  price: String(record.price),
  currency: record.currency,
  description: record.description,
  asset: record.asset ?? '',
  listed: record.listed ? '1' : '',
  store_id: String(record.store_id),
  vendor: record.vendor,
  tags: record.tags.join(', '),
  sku: record.sku,
  product: record.variant?.product ?? '',
  position: record.variant ? String(record.variant.position) : '',
  options: (record.variant?.options ?? []).map(({ name, value }) => `${name}: ${value}`).join('\n'),
})
