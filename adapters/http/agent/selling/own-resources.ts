import type { z } from 'zod'
import { DEFAULT_STORE, inStore } from '../../../../domain/kernel/in-store.ts'
import { deletedOr, refuse } from '../../../../domain/kernel/refusal.ts'
import type { SpendCap } from '../../../../domain/selling/resource.ts'
import { ownAssetNamed, ownAssets, walletOf } from '../../../../domain/use-cases/account/own-assets.ts'
import { mustBePayable, payableCoins } from '../../../../domain/use-cases/account/payable-coins.ts'
import { cloudTokensOf } from '../../../../domain/use-cases/account/stores.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Once } from '../../../../domain/use-cases/once.ts'
import {
  changeStock,
  mustBePossible,
  type StockChange,
} from '../../../../domain/use-cases/selling/stock/change-stock.ts'
import type { Queries } from '../../../../projections/index.ts'
import type { ResourceRow } from '../../../../projections/selling/resources.ts'
import { listsTests, mayUse } from '../../core/actor.ts'
import type { Actor } from '../../core/endpoint.ts'
import { storeOf } from '../../core/stores.ts'
import { marked } from '../common/accepts.ts'
import { fiatNumber, fiatUnits } from '../common/amounts.ts'
import { longPage, wordsIn } from '../common/paging.ts'
import type { Created, Listed, NewResource, ResourceChange } from '../common/resource-shape.ts'
import { firstStock, type StockShown, stockOfRow, stockShown } from '../common/stock-shape.ts'
import { allowSignedUrl } from '../common/webhooks.ts'

/** What a seller does with its priced resources, whichever surface it comes by. */

type MakeResource = {
  readonly body: z.output<typeof NewResource>
  readonly actor: Actor
  readonly flow: UseCaseContext
  readonly once: Once
}

/** Prices a resource with the rules of `POST /v1/resources`. */
export async function makeResource({ body, actor, flow, once }: MakeResource): Promise<z.input<typeof Created>> {
  const { accountId } = actor
  const test = body.test || actor.testOnly
  const resId = once.id('res')
  const terms = {
    amount: String(fiatUnits(body.amount)),
    currency: body.currency,
    maxPerCaller: capOf(body.max_per_caller),
    ...(body.title !== '' && { title: body.title }),
    ...(body.listed && { listed: true }),
    test,
  }
  const create = async () => {
    const storeId = await storeOf(flow, actor, body.store_id)
    await flow.rates.usdPer(body.currency)
    const acceptedAssets = await accepted(flow, accountId, body.accepted_assets, test)
    if (body.webhook_url !== undefined) await allowSignedUrl(flow, accountId, body.webhook_url)
    const made = { ...inStore(storeId), acceptedAssets, checkoutId: once.id('co') }
    const rest = { webhookUrl: body.webhook_url ?? null, testConfirmations: body.test_confirmations }
    await flow.ledger.resource.create(resId, { accountId, ...terms, ...made, ...rest, ...once.mark })
    return made
  }
  const made = await once.make<ResourceChoices>(() => flow.ledger.resource.read(resId), create)
  // A repeated call is told what the first one made, whatever cap was set since.
  if (body.stock !== undefined) await changeStock(flow, resId, setTo(actor, body.stock), once)
  const tokenOf = await cloudTokensOf(flow, accountId, [made.storeId])
  return shown(flow, { ...made, resId, ...terms }, { stock: firstStock(body.stock), tokenOf })
}

type ResourceContext = { readonly actor: Actor; readonly flow: UseCaseContext; readonly queries: Queries }
type ResourceRecord = z.input<typeof Listed>

type ResourceList = Parameters<typeof longPage.of>[0] & {
  readonly is_test?: '0' | '1' | undefined
  readonly search?: string | undefined
  readonly store_id?: readonly number[] | undefined
  readonly listed?: boolean | undefined
  readonly before?: string | undefined
}

/** The resources that the caller may see, newest first. */
export const listResources = async (
  { actor, flow, queries }: ResourceContext,
  { is_test, search, ...asked }: ResourceList,
): Promise<ResourceRecord[]> => {
  const { limit, offset } = longPage.of(asked)
  const stores = asked.store_id ?? actor.storeScope
  const which = { test: listsTests(actor, is_test), stores, ...wordsIn(search), listed: asked.listed }
  const rows = await queries.resources(actor.accountId, { ...which, before: asked.before }, limit, offset)
  const tokenOf = await cloudTokensOf(
    flow,
    actor.accountId,
    rows.map(({ storeId }) => storeId),
  )
  return Promise.all(rows.map((row) => listed(flow, row, tokenOf)))
}

/** Refuses `resource-not-found`. */
export const oneResource = async (
  { actor, flow, queries }: ResourceContext,
  resId: string,
): Promise<ResourceRecord> => {
  const row = await queries.resource(resId)
  if (!row || !mayUse(actor, row)) return refuse('resource-not-found', NOT_THERE)
  const tokenOf = await cloudTokensOf(flow, actor.accountId, [row.storeId])
  return listed(flow, row, tokenOf)
}

/** What is not given stays as it is. Refuses `resource-not-found`. */
export const changeResource = async (
  { actor, flow }: Pick<ResourceContext, 'actor' | 'flow'>,
  res_id: string,
  { max_per_caller, stock, ...described }: z.output<typeof ResourceChange>,
) => {
  const { resource } = flow.ledger
  const id = streamId(res_id)
  const wished = stock === undefined ? undefined : setTo(actor, stock)
  // Nothing is changed where a part of it is refused.
  if (wished) await mustBePossible(flow, id, wished)
  // It is looked for even where nothing of it changes.
  let { state } = await resource.describe(id, { ...whose(actor), ...described })
  if (max_per_caller !== undefined)
    state = (await resource.capSpend(id, { ...whose(actor), maxPerCaller: capOf(max_per_caller) })).state
  const cap = state.status === 'none' ? null : state.maxPerCaller
  const level = wished && (await changeStock(flow, id, wished))
  const changed = { max_per_caller: capShown(cap), ...described, ...(level && stockShown(level)) }
  return { res_id, ...changed, ...marked(marksTest(state)) }
}

/** What it sold stays. Refuses `resource-not-found`. */
export const disableResource = async ({ actor, flow }: Pick<ResourceContext, 'actor' | 'flow'>, res_id: string) => {
  const { state } = deletedOr(
    await flow.ledger.resource.disable(streamId(res_id), whose(actor)),
    'resource-not-found',
    NOT_THERE,
  )
  return { disabled: true as const, res_id, ...marked(marksTest(state)) }
}

/** Whoever asks has a key, so that the answer says where to look. */
const NOT_THERE = 'There is no such resource in this account: look for its res_id in GET /v1/resources.'

/** The stock as it is said with the resource itself. */
const setTo = ({ accountId, keyId }: Actor, count: number | null): StockChange => ({
  accountId,
  by: keyId,
  reason: 'set',
  count,
})

/** The stream of a resource. Refuses `resource-not-found` for an id that cannot be one of ours. */
const streamId = (resId: string): string =>
  /^res_[a-z2-7]{26}$/.test(resId) ? resId : refuse('resource-not-found', NOT_THERE)

/** The id of the caller's resource, which is sold. Refuses `resource-not-found`. */
export const ownResourceId = async ({ ledger }: UseCaseContext, actor: Actor, resId: string): Promise<string> => {
  const found = await ledger.resource.read(streamId(resId))
  const isTheirs = found.status === 'active' && mayUse(actor, { ...found, storeId: found.storeId ?? DEFAULT_STORE })
  return isTheirs ? resId : refuse('resource-not-found', NOT_THERE)
}

const whose = ({ accountId, testOnly, storeScope: stores }: Actor) => ({ accountId, testOnly, stores })

const marksTest = (state: { status: 'none' } | { status: 'active' | 'disabled'; test: boolean }) => ({
  test: state.status !== 'none' && state.test,
})

/**
 * The assets asked for, or all that the seller can be paid in as they are today (N-22); a test needs no wallet. Refuses
 * what nobody could pay.
 */
const accepted = async (
  flow: UseCaseContext,
  accountId: string,
  asked: readonly string[] | undefined,
  test: boolean,
): Promise<readonly string[]> => {
  if (asked === undefined) return test ? ownActive(flow, accountId) : payableCoins(flow, accountId)
  if (!test) await mustBePayable(flow, accountId, asked)
  for (const code of asked) await ownAssetNamed(flow.ledger, accountId, code)
  return [...new Set(asked)]
}

/** The coins whose wallets are not paused. */
const ownActive = async ({ ledger }: UseCaseContext, accountId: string): Promise<readonly string[]> => {
  const wallets = await ledger.wallet.read(accountId)
  const own = await ownAssets(ledger, accountId, Object.keys(wallets), 'read')
  return Object.keys(wallets)
    .filter((code) => {
      const coin = own(code)
      return coin && walletOf(coin, wallets[code])?.active
    })
    .sort()
}

/** The facts of a resource that are chosen here, beside the terms that the caller gave. */
type ResourceChoices = {
  readonly storeId?: number
  readonly acceptedAssets: readonly string[]
  readonly checkoutId: string
}

type ResourceFacts = Pick<ResourceRow, 'resId' | 'amount' | 'currency' | 'maxPerCaller' | 'test'> &
  Partial<Pick<ResourceRow, 'title' | 'listed'>> &
  ResourceChoices

type Beside = { readonly stock: StockShown; readonly tokenOf: TokenOf }

const shown = (flow: UseCaseContext, r: ResourceFacts, { stock, tokenOf }: Beside) => ({
  res_id: r.resId,
  amount: fiatNumber(r.amount),
  currency: r.currency,
  accepted_assets: [...r.acceptedAssets],
  max_per_caller: capShown(r.maxPerCaller),
  checkout_url: `${flow.origins.pay}/checkout/${r.checkoutId}?cloud=${tokenOf(r.storeId)}`,
  ...(r.title && { title: r.title }),
  ...(r.listed && { listed: r.listed as true }),
  ...stock,
  ...marked(r),
})

const listed = async (flow: UseCaseContext, row: ResourceRow, tokenOf: TokenOf) => ({
  ...shown(flow, row, { stock: await stockOfRow(flow, row, row.resId), tokenOf }),
  title: row.title,
  listed: row.listed,
  settled: row.settled,
})

type TokenOf = (storeId: number | undefined) => string

const capShown = (cap: SpendCap | null) => cap && { amount: fiatNumber(cap.amount), window_hours: cap.windowHours }

const capOf = (cap: { amount: number; window_hours: number } | null): SpendCap | null =>
  cap && { amount: String(fiatUnits(cap.amount)), windowHours: cap.window_hours }
