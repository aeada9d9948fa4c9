import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { CHECKOUT_BOUNDS, type ProductVariant } from '../../../../domain/selling/checkout.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { type Once, onceOf } from '../../../../domain/use-cases/once.ts'
import { changeStock, wasCounted } from '../../../../domain/use-cases/selling/stock/change-stock.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { CheckoutRow } from '../../../../projections/selling/checkouts.ts'
import { CsvFault, readCsv } from '../../../input/csv.ts'
import { ownImageOf } from '../../../storefront/own-images.ts'
import type { CellRemark, ImportedProduct, ImportedVariant, ImportFile } from '../../../storefront/shopify-products.ts'
import type { Actor } from '../../core/endpoint.ts'
import { storeOf } from '../../core/stores.ts'
import { fiatUnits } from '../common/amounts.ts'
import type { NewCheckout } from '../common/checkout-shape.ts'
import { CHECKOUTS_MAX, changeCheckout, createCheckout } from './own-checkouts.ts'

/** Products that a seller brings in a file: what would become of each, and the making and changing of them. */

/** The bounds of the table: lines, cells of a line, characters of a cell. */
const BOUNDS = { rows: 20_000, columns: 200, cell: 65_536 }
/** Products that are written at once. */
const AT_ONCE = 8

export type ImportContext = { readonly actor: Actor; readonly flow: UseCaseContext; readonly queries: Queries }

export type ImportWish = {
  readonly storeId: number | undefined
  /** The currency of the prices, which the file does not say; the seller's own when undefined. */
  readonly currency: string | undefined
  /** Nothing is written. */
  readonly isDry: boolean
  /** Nothing is written where anything is wrong. */
  readonly needsAll: boolean
}

type ImportOutcome = 'made' | 'changed' | 'left'

export type ImportResult = {
  readonly currency: string
  /** Whether what is told was written, too. */
  readonly applied: boolean
  readonly products: readonly {
    readonly handle: string
    readonly title: string
    readonly row: number
    readonly outcome: ImportOutcome
    readonly variants: Readonly<Record<ImportOutcome, number>>
  }[]
  readonly faulty: readonly string[]
  readonly faults: readonly CellRemark[]
  readonly notes: readonly CellRemark[]
}

/** Refuses `invalid-request` for a file that cannot be taken at all, and as the making of a checkout does. */
export const importProducts = async (
  { actor, flow, queries }: ImportContext,
  file: Buffer,
  wish: ImportWish,
): Promise<ImportResult> => {
  const read = await fileOf(file)
  const currency = wish.currency ?? (await flow.ledger.settings.read(actor.accountId)).currency
  await flow.rates.usdPer(currency)
  const storeId = await storeOf(flow, actor, wish.storeId)
  const notes = [...read.notes]
  const plans = await plansOf({ actor, flow, queries }, read, { currency, storeId, notes })
  const { fitting, beyond } = await fittingOf({ actor, queries }, plans, read)
  const faults = [...read.faults, ...beyond]
  const applied = !wish.isDry && !(wish.needsAll && faults.length > 0)
  if (applied) await written({ actor, flow, queries }, fitting)
  const faulty = [
    ...read.faulty,
    ...plans.filter((plan) => !fitting.includes(plan)).map(({ product }) => product.handle),
  ]
  return { currency, applied, products: fitting.map(outcomeOf), faulty, faults, notes }
}

const fileOf = async (file: Buffer): Promise<ImportFile> => {
  // What reads the HTML of descriptions is loaded by the first import.
  const { shopifyProducts } = await import('../../../storefront/shopify-products.ts')
  try {
    return await shopifyProducts(readCsv(file, BOUNDS))
  } catch (error) {
    if (error instanceof CsvFault) return refuse('invalid-request', `file: ${error.message}`)
    throw error
  }
}

type Wished = z.output<typeof NewCheckout> & { readonly variant: ProductVariant; readonly store_id: number }

/** What becomes of a variant: it is made where there is none, changed by what differs, or left. */
type VariantPlan = {
  readonly wished: Wished
  readonly present: CheckoutRow | undefined
  readonly differs: boolean
  /** Its pieces were never counted, and the file counts them. */
  readonly startsCounting: boolean
}
type ProductPlan = { readonly product: ImportedProduct; readonly variants: readonly VariantPlan[] }

type PlanParts = { readonly currency: string; readonly storeId: number; readonly notes: CellRemark[] }

const plansOf = async (
  { actor, flow, queries }: ImportContext,
  { products, columns }: ImportFile,
  { currency, storeId, notes }: PlanParts,
): Promise<readonly ProductPlan[]> => {
  const { images } = await flow.ledger.site.read(actor.accountId)
  const own = ownImageOf(images)
  const handles = products.map(({ handle }) => handle)
  const rows = await queries.variantsOf(actor.accountId, { storeId, test: actor.testOnly }, handles)
  const present = Map.groupBy(rows, ({ variant }) => variant?.product ?? '')
  const planOf = async (product: ImportedProduct): Promise<ProductPlan> => {
    const pictures = product.pictures.flatMap(({ row, url }) => {
      const path = own(url)
      if (path === undefined)
        notes.push({ row, column: columns.titleOf('picture'), code: 'picture_elsewhere', message: ELSEWHERE })
      return path ?? []
    })
    const known = present.get(product.handle) ?? []
    const planned = async (variant: ImportedVariant, n: number): Promise<VariantPlan> => {
      const picture = own(variant.picture)
      const all = [...new Set([...(picture === undefined ? [] : [picture]), ...pictures])].slice(
        0,
        CHECKOUT_BOUNDS.pictures,
      )
      const found = known.find((row) => sameOptions(row.variant?.options ?? [], variant.options))
      const wished = wishedOf(product, variant, { position: n + 1, pictures: all, currency, storeId })
      if (found === undefined) return { wished, present: found, differs: false, startsCounting: false }
      const startsCounting = variant.stock !== null && found.stock === null && !(await wasCounted(flow, found.number))
      if (variant.stock !== null && variant.stock !== found.stock && !startsCounting)
        notes.push({
          row: variant.row,
          column: columns.titleOf('stock'),
          code: 'stock_kept',
          message: keptWords(found.stock),
        })
      return { wished, present: found, differs: startsCounting || differsFrom(found, wished), startsCounting }
    }
    const variants: VariantPlan[] = []
    for (const [n, variant] of product.variants.entries()) variants.push(await planned(variant, n))
    return { product, variants }
  }
  const plans: ProductPlan[] = []
  for (const product of products) plans.push(await planOf(product))
  return plans
}

const ELSEWHERE =
  'is a picture elsewhere, which is not fetched. Add the picture on the page of the product, or upload it first.'

const keptWords = (stock: number | null): string =>
  `is not taken, because pieces may have been sold since the file was made: ${
    stock === null ? 'nobody counts them' : `there are ${stock}`
  } here. Change the number on the page of the product, or with action=stock.`

type WishParts = {
  readonly position: number
  readonly pictures: string[]
  readonly currency: string
  readonly storeId: number
}

const wishedOf = (
  { handle, description, vendor, tags, listed }: ImportedProduct,
  { title, options, price, sku, stock }: ImportedVariant,
  { position, pictures, currency, storeId }: WishParts,
): Wished => ({
  title,
  price,
  currency,
  description,
  store_id: storeId,
  listed,
  vendor,
  tags: [...tags],
  sku,
  variant: { product: handle, position, options: options.map(({ name, value }) => ({ name, value })) },
  ...(stock !== null && { stock }),
  // Pictures that were added by hand stay where the file brings none.
  ...(pictures.length > 0 && { pictures }),
})

const sameOptions = (a: ProductVariant['options'], b: ProductVariant['options']): boolean =>
  a.length === b.length && a.every(({ value }, n) => value.toLowerCase() === b[n]?.value.toLowerCase())

const differsFrom = (row: CheckoutRow, wished: Wished): boolean =>
  row.title !== wished.title ||
  row.price !== String(fiatUnits(wished.price)) ||
  row.currency !== wished.currency ||
  row.description !== wished.description ||
  (row.listed ?? true) !== wished.listed ||
  (row.vendor ?? '') !== wished.vendor ||
  (row.sku ?? '') !== wished.sku ||
  !isSame(row.tags ?? [], wished.tags) ||
  (wished.pictures !== undefined && !isSame(row.pictures ?? [], wished.pictures)) ||
  row.variant?.position !== wished.variant.position ||
  !isSame(pairsOf(row.variant?.options ?? []), pairsOf(wished.variant.options))

const pairsOf = (options: ProductVariant['options']) => options.map(({ name, value }) => [name, value])

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The products for which the account has room, whole ones alone. */
const fittingOf = async (
  { actor, queries }: Pick<ImportContext, 'actor' | 'queries'>,
  plans: readonly ProductPlan[],
  { columns }: ImportFile,
): Promise<{ readonly fitting: readonly ProductPlan[]; readonly beyond: readonly CellRemark[] }> => {
  let room = CHECKOUTS_MAX - (await queries.checkoutCount(actor.accountId, actor.testOnly))
  const beyond: CellRemark[] = []
  const fitting = plans.filter(({ product, variants }) => {
    const needed = variants.filter(({ present }) => present === undefined).length
    if (needed <= room) {
      room -= needed
      return true
    }
    const message = `is beyond the ${CHECKOUTS_MAX} products and variants that an account may have. Delete some first.`
    beyond.push({ row: product.row, column: columns.titleOf('handle'), code: 'too_many', message })
    return false
  })
  return { fitting, beyond }
}

const outcomeOf = ({ product: { handle, title, row }, variants }: ProductPlan): ImportResult['products'][number] => {
  const made = variants.filter(({ present }) => present === undefined).length
  const changed = variants.filter(({ differs }) => differs).length
  const left = variants.length - made - changed
  const outcome = made === variants.length ? 'made' : made + changed > 0 ? 'changed' : 'left'
  return { handle, title, row, outcome, variants: { made, changed, left } }
}

const written = async (context: ImportContext, plans: readonly ProductPlan[]): Promise<void> => {
  for (let from = 0; from < plans.length; from += AT_ONCE)
    await Promise.all(plans.slice(from, from + AT_ONCE).map((plan) => writtenProduct(context, plan)))
}

/**
 * The variant that stands for a product in lists is written last, so that a new product is there whole or not at all
 * (N-105). What broke off is completed by the same file.
 */
const writtenProduct = async (context: ImportContext, { variants }: ProductPlan): Promise<void> => {
  for (const { wished, present, differs, startsCounting } of variants.toReversed()) {
    if (present === undefined) await createCheckout({ ...context, once: await onceFor(context, wished) }, wished)
    else if (differs) await changeVariant(context, present, { wished, startsCounting })
  }
}

/** The pieces are counted from the file once: later, those that were sold since would come back (N-106). */
const changeVariant = async (
  context: ImportContext,
  { number }: CheckoutRow,
  { wished, startsCounting }: Pick<VariantPlan, 'wished' | 'startsCounting'>,
): Promise<void> => {
  const { store_id: _, stock = null, ...edit } = wished
  const { actor, flow } = context
  const change = { accountId: actor.accountId, by: actor.keyId, reason: 'set', count: stock } as const
  if (startsCounting) await changeStock(flow, number, change, await onceFor(context, wished))
  await changeCheckout(context, number, edit, undefined)
}

/** Numbers of one variant that were deleted before it was imported once more. */
const DELETED_MAX = 100

/**
 * Makes the number of a variant of its handle and options, so that two imports at once make it once. Who has deleted it
 * gets another one.
 */
const onceFor = async ({ actor, flow }: ImportContext, { variant, store_id }: Wished): Promise<Once> => {
  const { accountId, testOnly } = actor
  const what = [store_id, testOnly, variant.product, variant.options.map(({ value }) => value.toLowerCase())]
  for (let round = 0; round < DELETED_MAX; round++) {
    const key = createHash('sha256')
      .update(JSON.stringify([...what, round]))
      .digest('hex')
    const once = onceOf(flow, { accountId, operation: 'product-import', key, body: {} })
    const number = flow.world.numberFrom('checkout', once.id('co'), '0')
    if ((await flow.ledger.checkout.read(String(number))).status !== 'deleted') return once
  }
  return onceOf(flow, undefined)
}
