import { z } from 'zod'
import { unknownAssetText } from '../../../../domain/kernel/assets.ts'
import { inStore } from '../../../../domain/kernel/in-store.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { SpendCap } from '../../../../domain/selling/resource.ts'
import { ownAssets, walletOf } from '../../../../domain/use-cases/account/own-assets.ts'
import { cloudTokensOf } from '../../../../domain/use-cases/account/stores.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { ResourceRow } from '../../../../projections/selling/resources.ts'
import { mayUse } from '../../core/actor.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { StoreId, storeOf } from '../../core/stores.ts'
import { marked } from '../common/accepts.ts'
import { CurrencyCode, FiatAmount, fiatNumber, fiatUnits } from '../common/amounts.ts'
import { allowSignedUrl, WebhookUrl } from '../common/webhooks.ts'

const RESOURCES_SHOWN_MAX = 1_000
const WINDOW_HOURS_MAX = 24 * 366
const TEST_CONFIRMATIONS_MAX = 200
const ASSETS_MAX = 100

const Cap = z
  .object({ amount: FiatAmount, window_hours: z.int().min(1).max(WINDOW_HOURS_MAX) })
  .meta({ id: 'SpendCap' })

const Created = z
  .object({
    res_id: z.string(),
    amount: z.number(),
    currency: z.string(),
    accepted_assets: z.array(z.string()),
    max_per_caller: Cap.nullable(),
    checkout_url: z.url(),
    test: z.literal(true).optional(),
  })
  .meta({ id: 'Resource', description: 'Something priced once and sold many times.' })

const Listed = Created.extend({ settled: z.boolean() }).meta({ id: 'ListedResource' })

const createResource = endpoint({
  method: 'post',
  path: '/v1/resources',
  summary: 'Price a resource',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.edit', sandbox: 'secret' },
  waits: 'after',
  idempotent: true,
  body: z.object({
    amount: FiatAmount,
    currency: CurrencyCode.default('USD'),
    accepted_assets: z.array(z.string().max(32)).min(1).max(ASSETS_MAX).optional(),
    webhook_url: WebhookUrl.optional(),
    max_per_caller: Cap.nullable().default(null),
    store_id: StoreId.optional(),
    test: z.boolean().default(false),
    test_confirmations: z.int().min(1).max(TEST_CONFIRMATIONS_MAX).default(1),
  }),
  returns: Created,
  refusals: ['unknown-asset', 'webhook-url-refused', 'wallet-missing', 'store-not-found'],
  async answer({ body, actor, flow, once }) {
    const { accountId } = actor
    const test = body.test || actor.testOnly
    const resId = once.id('res')
    const terms = {
      amount: String(fiatUnits(body.amount)),
      currency: body.currency,
      maxPerCaller: capOf(body.max_per_caller),
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
    return shown(flow, { ...made, resId, ...terms }, await cloudTokensOf(flow, accountId, [made.storeId]))
  },
})

const listResources = endpoint({
  method: 'get',
  path: '/v1/resources',
  summary: 'List active resources, newest first',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.view', sandbox: 'publishable' },
  returns: z.object({ resources: z.array(Listed) }),
  async answer({ actor, flow, queries }) {
    const rows = await queries.resources(actor.accountId, RESOURCES_SHOWN_MAX, {
      testOnly: actor.testOnly,
      stores: actor.storeScope,
    })
    const stores = rows.map(({ storeId }) => storeId)
    const tokenOf = await cloudTokensOf(flow, actor.accountId, stores)
    return { resources: rows.map((row) => ({ ...shown(flow, row, tokenOf), settled: row.settled })) }
  },
})

const readResource = endpoint({
  method: 'get',
  path: '/v1/resources',
  when: { res_id: true },
  summary: 'Read one resource',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.view', sandbox: 'publishable' },
  query: z.object({ res_id: z.string() }),
  returns: Listed,
  refusals: ['resource-not-found'],
  async answer({ query, actor, flow, queries }) {
    const row = await queries.resource(query.res_id)
    if (!row || !mayUse(actor, row)) return refuse('resource-not-found', 'No such resource.')
    const tokenOf = await cloudTokensOf(flow, actor.accountId, [row.storeId])
    return { ...shown(flow, row, tokenOf), settled: row.settled }
  },
})

const capResource = endpoint({
  method: 'put',
  path: '/v1/resources',
  summary: 'Set or clear what one payer may spend on a resource',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.edit', sandbox: 'secret' },
  query: z.object({ res_id: z.string() }),
  body: z.object({ max_per_caller: Cap.nullable() }),
  returns: z.object({ res_id: z.string(), max_per_caller: Cap.nullable(), test: z.literal(true).optional() }),
  refusals: ['resource-not-found'],
  async answer({ query: { res_id }, body, actor, flow }) {
    const maxPerCaller = capOf(body.max_per_caller)
    const { state } = await flow.ledger.resource.capSpend(streamId(res_id), { ...whose(actor), maxPerCaller })
    return { res_id, max_per_caller: body.max_per_caller, ...marked(isTest(state)) }
  },
})

const disableResource = endpoint({
  method: 'delete',
  path: '/v1/resources',
  summary: 'Disable a resource; what it sold stays',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'resources.edit', sandbox: 'secret' },
  query: z.object({ res_id: z.string() }),
  returns: z.object({ disabled: z.literal(true), res_id: z.string(), test: z.literal(true).optional() }),
  refusals: ['resource-not-found'],
  async answer({ query: { res_id }, actor, flow }) {
    const { state } = await flow.ledger.resource.disable(streamId(res_id), whose(actor))
    return { disabled: true as const, res_id, ...marked(isTest(state)) }
  },
})

/** The stream of a resource. Refuses `resource-not-found` for an id that cannot be one of ours. */
const streamId = (resId: string): string =>
  /^res_[a-z2-7]{26}$/.test(resId) ? resId : refuse('resource-not-found', 'No such resource.')

const whose = ({ accountId, testOnly, storeScope: stores }: Actor) => ({ accountId, testOnly, stores })

const isTest = (state: { status: 'none' } | { status: 'active' | 'disabled'; test: boolean }) => ({
  test: state.status !== 'none' && state.test,
})

/** The assets asked for, or all configured ones as they are today (N-22); a test needs none. */
const accepted = async (
  flow: UseCaseContext,
  accountId: string,
  asked: readonly string[] | undefined,
  test: boolean,
) => {
  const wallets = await flow.ledger.wallet.recent(accountId)
  const own = await ownAssets(flow.ledger, accountId, asked ?? Object.keys(wallets), 'read')
  const unknown = asked?.find((code) => own(code) === undefined)
  if (unknown !== undefined) return refuse('unknown-asset', unknownAssetText(unknown))
  const walletFor = (code: string) => {
    const asset = own(code)
    return asset && walletOf(asset, wallets[code])
  }
  const missing = asked?.find((code) => walletFor(code) === undefined)
  if (missing !== undefined && !test) return refuse('wallet-missing', `set a wallet for ${missing} first`)
  const active = Object.keys(wallets).filter((code) => walletFor(code)?.active)
  const chosen = [...new Set(asked ?? active.sort())]
  if (chosen.length === 0 && !test) return refuse('wallet-missing', 'set a wallet first: POST /v1/wallets')
  return chosen
}

/** The facts of a resource that are chosen here, beside the terms that the caller gave. */
type ResourceChoices = {
  readonly storeId?: number
  readonly acceptedAssets: readonly string[]
  readonly checkoutId: string
}

type ResourceFacts = Pick<ResourceRow, 'resId' | 'amount' | 'currency' | 'maxPerCaller' | 'test'> & ResourceChoices

const shown = (flow: UseCaseContext, r: ResourceFacts, tokenOf: (storeId: number | undefined) => string) => ({
  res_id: r.resId,
  amount: fiatNumber(r.amount),
  currency: r.currency,
  accepted_assets: [...r.acceptedAssets],
  max_per_caller: r.maxPerCaller && {
    amount: fiatNumber(r.maxPerCaller.amount),
    window_hours: r.maxPerCaller.windowHours,
  },
  checkout_url: `${flow.origins.pay}/checkout/${r.checkoutId}?cloud=${tokenOf(r.storeId)}`,
  ...marked(r),
})

const capOf = (cap: { amount: number; window_hours: number } | null): SpendCap | null =>
  cap && { amount: String(fiatUnits(cap.amount)), windowHours: cap.window_hours }

export const resourceEndpoints = [createResource, readResource, listResources, capResource, disableResource]
