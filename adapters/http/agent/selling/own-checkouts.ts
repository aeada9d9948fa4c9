import type { z } from 'zod'
import { deletedOr, refuse } from '../../../../domain/kernel/refusal.ts'
import { type CheckoutFacts, isNamed, numberNamed } from '../../../../domain/selling/checkout.ts'
import { mustBePayable } from '../../../../domain/use-cases/account/payable-coins.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Once } from '../../../../domain/use-cases/once.ts'
import { saveCheckout } from '../../../../domain/use-cases/selling/challenges/save-checkout.ts'
import {
  changeStock,
  mustBePossible,
  type StockChange,
  stockOf,
} from '../../../../domain/use-cases/selling/stock/change-stock.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { CheckoutRow } from '../../../../projections/selling/checkouts.ts'
import { ownImageOf } from '../../../storefront/own-images.ts'
import { listsTests, maySee, mayUse } from '../../core/actor.ts'
import type { Actor } from '../../core/endpoint.ts'
import { storeOf } from '../../core/stores.ts'
import { marked } from '../common/accepts.ts'
import { fiatUnits } from '../common/amounts.ts'
import { type CheckoutEdit, type CheckoutRecord, checkoutRecord, type NewCheckout } from '../common/checkout-shape.ts'
import { longPage, wordsIn } from '../common/paging.ts'
import { firstStock, stockOfRow, stockShown } from '../common/stock-shape.ts'

/**
 * What a seller does with its saved payment links, whichever surface it comes by (S-CHK-01 to S-CHK-06, M-CHK-01 to
 * M-CHK-03).
 */

/** Checkouts that one account may have at once; a page of the list shows them all. */
export const CHECKOUTS_MAX = 1_000

type CheckoutContext = { readonly actor: Actor; readonly flow: UseCaseContext; readonly queries: Queries }
type CheckoutBody = z.input<typeof CheckoutRecord>

export const createCheckout = async (
  { actor, flow, queries, once }: CheckoutContext & { readonly once: Once },
  wished: z.output<typeof NewCheckout>,
): Promise<CheckoutBody> => {
  const { accountId } = actor
  const made = await saveCheckout(flow, once, async () => {
    const currency = wished.currency ?? (await flow.ledger.settings.read(accountId)).currency
    const { title, price, asset = null, description = '', listed = true, pictures, variant, vendor, tags, sku } = wished
    const storeId = await storeOf(flow, actor, wished.store_id)
    await check(flow, actor, { currency, asset, ...(pictures && { pictures }) })
    if ((await queries.checkoutCount(accountId, actor.testOnly)) >= CHECKOUTS_MAX)
      refuse('too-many-checkouts', `An account has at most ${CHECKOUTS_MAX} checkouts: delete one first.`)
    return {
      accountId,
      title,
      price: String(fiatUnits(price)),
      currency,
      asset,
      description,
      storeId,
      listed,
      ...(pictures && { pictures }),
      ...(variant && { variant }),
      ...(vendor && { vendor }),
      ...(tags && { tags }),
      ...(sku && { sku }),
      ...marked({ test: actor.testOnly }),
    }
  })
  if (wished.stock !== undefined) await changeStock(flow, made.number, setTo(actor, wished.stock), once)
  return checkoutRecord(flow.origins.pay, made, firstStock(wished.stock))
}

/** The stock as it is said with the product itself. */
const setTo = ({ accountId, keyId }: Actor, count: number | null): StockChange => ({
  accountId,
  by: keyId,
  reason: 'set',
  count,
})

/** Without a version, the newest one is changed. Refuses `checkout-not-found` and `version-conflict`. */
export const changeCheckout = async (
  { actor, flow }: CheckoutContext,
  named: string,
  edit: z.output<typeof CheckoutEdit>,
  version: number | undefined,
): Promise<CheckoutBody> => {
  const number = await numberOf(flow, actor, named)
  const facts = given(edit)
  await check(flow, actor, facts)
  if (facts.storeId !== undefined) await storeOf(flow, actor, facts.storeId)
  const stock = edit.stock === undefined ? undefined : setTo(actor, edit.stock)
  // Nothing is changed where a part of it is refused.
  if (stock) await mustBePossible(flow, number, stock)
  const change = { ...whose(actor), facts, ...(version !== undefined && { version }) }
  const { state } = await flow.ledger.checkout.change(number, change)
  const level = stock ? await changeStock(flow, number, stock) : await stockOf(flow, number)
  return state.status === 'none'
    ? notFound()
    : checkoutRecord(flow.origins.pay, { ...state, number }, stockShown(level))
}

export const deleteCheckout = async (
  { actor, flow }: CheckoutContext,
  named: string,
): Promise<{ deleted: true; id: number }> => {
  const number = await numberOf(flow, actor, named)
  deletedOr(await flow.ledger.checkout.delete(number, whose(actor)), 'checkout-not-found')
  return { deleted: true, id: Number(number) }
}

/** The saved payment links that the caller may see, newest first: live ones, or with `is_test` those of tests. */
export const listCheckouts = async (
  { actor, flow, queries }: CheckoutContext,
  asked: Parameters<typeof longPage.of>[0] & {
    readonly is_test?: '0' | '1' | undefined
    readonly search?: string | undefined
    readonly store_id?: readonly number[] | undefined
    readonly listed?: boolean | undefined
    readonly before?: string | undefined
  },
): Promise<CheckoutBody[]> => {
  const { listed, before } = asked
  const stores = asked.store_id ?? actor.storeScope
  const which = { stores, test: listsTests(actor, asked.is_test), ...wordsIn(asked.search), listed, before }
  const { limit, offset } = longPage.of(asked)
  const rows = await queries.checkouts(actor.accountId, which, limit, offset)
  return Promise.all(rows.map((row) => shown(flow, row)))
}

export const oneCheckout = async ({ actor, flow, queries }: CheckoutContext, named: string): Promise<CheckoutBody> => {
  const row = await rowNamed(queries, actor, named)
  return shown(flow, row ?? notFound())
}

const shown = async (flow: UseCaseContext, row: CheckoutRow): Promise<CheckoutBody> =>
  checkoutRecord(flow.origins.pay, row, await stockOfRow(flow, row, row.number))

const rowNamed = async (queries: Queries, actor: Actor, named: string): Promise<CheckoutRow | undefined> => {
  const number = numberNamed(named)
  const row = number && (await queries.checkout(actor.accountId, { stores: actor.storeScope }, number))
  return row && isNamed(row, named) && maySee(actor, row) ? row : undefined
}

/**
 * The number of the caller's payment link that a slug or a number names, also of a deleted one; a slug has to be whole.
 */
const numberOf = async ({ ledger }: UseCaseContext, actor: Actor, named: string): Promise<string> => {
  const number = numberNamed(named) ?? notFound()
  const state = await ledger.checkout.read(number)
  if (state.status === 'none' || !isNamed(state, named)) return notFound()
  return mayUse(actor, { ...state, test: state.test === true }) ? number : notFound()
}

/** The number of the caller's payment link, which is not deleted. Refuses `checkout-not-found`. */
export const checkoutNumber = async (flow: UseCaseContext, actor: Actor, named: string): Promise<string> => {
  const number = await numberOf(flow, actor, named)
  return (await flow.ledger.checkout.read(number)).status === 'saved' ? number : notFound()
}

/** The fields that a request has, as the ledger keeps them. */
const given = (edit: z.output<typeof CheckoutEdit>): Partial<CheckoutFacts> => ({
  ...(edit.title !== undefined && { title: edit.title }),
  ...(edit.price !== undefined && { price: String(fiatUnits(edit.price)) }),
  ...(edit.currency !== undefined && { currency: edit.currency }),
  ...(edit.asset !== undefined && { asset: edit.asset }),
  ...(edit.description !== undefined && { description: edit.description }),
  ...(edit.store_id !== undefined && { storeId: edit.store_id }),
  ...(edit.listed !== undefined && { listed: edit.listed }),
  ...(edit.pictures !== undefined && { pictures: edit.pictures }),
  ...(edit.variant !== undefined && { variant: edit.variant }),
  ...(edit.vendor !== undefined && { vendor: edit.vendor }),
  ...(edit.tags !== undefined && { tags: edit.tags }),
  ...(edit.sku !== undefined && { sku: edit.sku }),
})

/**
 * Refuses a currency that does not exist, a coin that nobody could pay the seller in, and a picture that is not the
 * seller's own.
 */
const check = async (
  flow: UseCaseContext,
  { accountId }: Actor,
  { currency, asset, pictures = [] }: Pick<Partial<CheckoutFacts>, 'currency' | 'asset' | 'pictures'>,
): Promise<void> => {
  if (pictures.length > 0) {
    const own = ownImageOf((await flow.ledger.site.read(accountId)).images)
    const other = pictures.findIndex((picture) => own(picture) === undefined)
    if (other >= 0)
      refuse('invalid-request', `pictures.${other}: has to be a picture that this account uploaded and has still`)
  }
  if (currency !== undefined) await flow.rates.usdPer(currency)
  if (typeof asset === 'string') await mustBePayable(flow, accountId, [asset])
}

const whose = ({ accountId, storeScope, testOnly }: Actor) => ({
  accountId,
  testOnly,
  ...(storeScope && { stores: storeScope }),
})

const notFound = (): never => refuse('checkout-not-found')
