import { z } from 'zod'
import { nameOf } from '../../../../domain/account/named.ts'
import { capabilitiesOf, STORE_KEY_ROLE } from '../../../../domain/account/roles.ts'
import type { Store } from '../../../../domain/account/stores.ts'
import { DEFAULT_STORE } from '../../../../domain/kernel/in-store.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { shopHandle, shopPage } from '../../../../domain/storefront/shop.ts'
import {
  changeStore,
  createStore,
  rotateStoreCredential,
  STORE_CREDENTIALS,
} from '../../../../domain/use-cases/account/stores.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { type TestDelivery, testStoreWebhook } from '../../../../domain/use-cases/selling/webhooks/deliver-now.ts'
import { inScope } from '../../core/actor.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { limit } from '../../core/limits.ts'
import { mayName, StoreNumber } from '../../core/stores.ts'
import { allowUrl, WebhookUrlOrNone } from '../common/webhooks.ts'

/** The stores of a seller and their credentials (S-STO-01 to S-STO-06). */

const LABEL_MAX = 100

const Status = z.enum(['active', 'inactive'])

const Shown = z
  .object({
    id: z.int(),
    label: z.string(),
    status: Status,
    webhook_url: z.string(),
    api_key_hint: z.string(),
    has_secret: z.boolean(),
    secret_last4: z.string(),
    default: z.boolean(),
    page_url: z.url().meta({ description: 'The public page of the store, while it is active.' }),
    created_at: z.string(),
  })
  .meta({ id: 'Store', description: 'A store; its credentials are never among this.' })

const named = z.object({ store_id: StoreNumber })

const listStores = endpoint({
  method: 'get',
  path: '/v1/stores',
  summary: 'List the stores that the key may see',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'stores.view', sandbox: 'secret' },
  returns: z.object({ stores: z.array(Shown) }),
  async answer({ actor, flow }) {
    const { stores } = await flow.ledger.stores.read(actor.accountId)
    const seen = Object.entries(stores).filter(([id]) => inScope(actor, Number(id)))
    const all = await Promise.all(seen.map(([id, store]) => shown(flow, actor.accountId, Number(id), store)))
    return { stores: actor.testOnly ? all.map(withoutWebhook) : all }
  },
})

/** A store as a sandbox key sees it: where live payments are told is for live keys alone. */
const withoutWebhook = (store: z.input<typeof Shown>) => ({
  ...store,
  webhook_url: '',
  has_secret: false,
  secret_last4: '',
})

const create = endpoint({
  method: 'post',
  path: '/v1/stores',
  summary: 'Make a store; its three credentials are shown once',
  auth: 'key',
  reach: 'account',
  callers: { capability: 'stores.edit' },
  // A call that names a store but forgets to say what is to be done with it must not make another one.
  query: z.strictObject({}),
  body: z.object({
    label: z.string().max(LABEL_MAX).default(''),
    webhook_url: WebhookUrlOrNone.default(''),
  }),
  returns: z.object({ store: Shown, api_key: z.string(), cloud_token: z.string(), webhook_secret: z.string() }),
  refusals: ['webhook-url-refused', 'too-many-stores'],
  async answer({ body: { label, webhook_url }, actor, flow }) {
    mayIssueKey(actor)
    if (webhook_url !== '') allowUrl(flow, webhook_url)
    const made = await createStore(flow, actor.accountId, { label, webhookUrl: webhook_url })
    return { store: await shown(flow, actor.accountId, made.storeId, made.store), ...made.credentials }
  },
})

const rotate = endpoint({
  method: 'post',
  path: '/v1/stores',
  when: { rotate: true },
  summary: 'Give a store a new credential, shown once; the old one stops',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'stores.edit' },
  query: named.extend({ rotate: z.enum(STORE_CREDENTIALS) }),
  returns: z
    .object({ id: z.int(), api_key: z.string(), webhook_secret: z.string(), cloud_token: z.string() })
    .partial({ api_key: true, webhook_secret: true, cloud_token: true }),
  refusals: ['store-not-found'],
  async answer({ query: { store_id, rotate: which }, actor, flow }) {
    mayName(actor, store_id)
    if (which === 'api_key') mayIssueKey(actor)
    return { id: store_id, [which]: await rotateStoreCredential(flow, actor.accountId, store_id, which) }
  },
})

const testWebhook = endpoint({
  method: 'post',
  path: '/v1/stores',
  when: { action: 'test-webhook' },
  summary:
    'Send a signed test delivery to the URL of a store, then one with a wrong signature; answers what the receiver said',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'stores.edit' },
  query: named.extend({ action: z.literal('test-webhook') }),
  returns: z.object({
    test: z.object({
      http_status: z.int().nullable(),
      reason: z.string().nullable(),
      response_body: z.string(),
      signature_verified: z.boolean(),
      wrong_signature_refused: z.boolean().nullable(),
    }),
  }),
  refusals: ['store-not-found', 'no-webhook-url', 'rate-limited'],
  async answer({ query: { store_id }, actor, flow, signIn }) {
    mayName(actor, store_id)
    await limit({ flow, signIn }, 'webhook-test', actor.accountId)
    return { test: tested(await testStoreWebhook(flow, actor.accountId, store_id)) }
  },
})

const change = endpoint({
  method: 'put',
  path: '/v1/stores',
  summary:
    'Change a store: its label, its webhook URL, whether it is active; a webhook secret that this made is shown once',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'stores.edit' },
  query: named,
  body: z
    .object({
      label: z.string().max(LABEL_MAX).optional(),
      webhook_url: WebhookUrlOrNone.optional(),
      status: Status.optional(),
    })
    .refine(
      (body) => Object.values(body).some((value) => value !== undefined),
      'label, webhook_url or status is needed',
    ),
  returns: z.object({ store: Shown, webhook_secret: z.string().optional() }),
  refusals: ['store-not-found', 'webhook-url-refused', 'state-forbids'],
  async answer({ query: { store_id }, body: { label, webhook_url, status }, actor, flow }) {
    mayName(actor, store_id)
    if (webhook_url) allowUrl(flow, webhook_url)
    const wish = { label, webhookUrl: webhook_url, status }
    const { store, webhookSecret } = await changeStore(flow, actor.accountId, store_id, wish)
    return {
      store: await shown(flow, actor.accountId, store_id, store),
      ...(webhookSecret !== undefined && { webhook_secret: webhookSecret }),
    }
  },
})

const remove = endpoint({
  method: 'delete',
  path: '/v1/stores',
  summary: 'Delete a store; its credentials stop, and what was paid there stays',
  auth: 'key',
  reach: 'account',
  callers: { ownerOnly: true },
  query: named,
  returns: z.object({ deleted: z.literal(true), id: z.int() }),
  refusals: ['store-not-found', 'state-forbids'],
  async answer({ query: { store_id }, actor, flow }) {
    await flow.ledger.stores.delete(actor.accountId, { storeId: store_id })
    return { deleted: true as const, id: store_id }
  },
})

/** Nobody hands out a key that may do more than they may. */
const mayIssueKey = (actor: Actor): void => {
  if (!capabilitiesOf(STORE_KEY_ROLE, []).every((capability) => actor.can(capability)))
    refuse('forbidden', 'The API key of a store may do more than this key. Use the key of the owner.')
}

const shown = async (
  { vault, origins }: UseCaseContext,
  accountId: string,
  id: number,
  store: Store,
): Promise<z.input<typeof Shown>> => ({
  id,
  label: await nameOf(vault, store.label),
  status: store.status,
  webhook_url: store.webhookUrl ?? '',
  api_key_hint: store.keyHint,
  has_secret: store.secret !== undefined,
  secret_last4: store.secret?.last4 ?? '',
  default: id === DEFAULT_STORE,
  page_url: shopPage(origins.pay, shopHandle(accountId, id)),
  created_at: store.createdAt,
})

/** The outcome of a test delivery. An attempt whose end is not known in time has no status. */
const tested = ({ outcome, signatureVerified, wrongSignatureRefused }: TestDelivery) => ({
  http_status: outcome?.status ?? null,
  reason: outcome ? outcome.reason : 'not-known-yet',
  response_body: outcome?.bodyHead ?? '',
  signature_verified: signatureVerified,
  wrong_signature_refused: wrongSignatureRefused ?? null,
})

export const storeEndpoints = [listStores, create, rotate, testWebhook, change, remove]
