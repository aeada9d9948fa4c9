import { newApiKey } from '../../account/keys/api-key.ts'
import { sealedName } from '../../account/named.ts'
import { type Store, type StoreStatus, storeOf } from '../../account/stores.ts'
import { DEFAULT_STORE } from '../../kernel/in-store.ts'
import { openedText } from '../../kernel/opened-text.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'

/**
 * The stores of a seller: making them, changing them, and their three credentials, each shown once (S-STO-02, S-STO-03,
 * X-ONCE-01).
 */

export const STORE_CREDENTIALS = ['api_key', 'webhook_secret', 'cloud_token'] as const
type StoreCredential = (typeof STORE_CREDENTIALS)[number]

type NumberedStore = { readonly storeId: number; readonly store: Store }

/** A store that was just made. */
type FreshStore = NumberedStore & { readonly credentials: Readonly<Record<StoreCredential, string>> }

/**
 * Makes a store with all its credentials. The caller has checked that the webhook URL may be called. Refuses
 * `too-many-stores`.
 */
export const createStore = async (
  flow: UseCaseContext,
  accountId: string,
  { label, webhookUrl }: { label: string; webhookUrl: string },
): Promise<FreshStore> => {
  const { apiKey, kept: key } = newApiKey(flow.world, 'st')
  const [cloud, signing] = [await newCloudToken(flow, accountId), await newWebhookSecret(flow, accountId)]
  const { state } = await flow.ledger.stores.create(accountId, {
    label: await sealedName(flow.vault, accountId, label),
    webhookUrl: webhookUrl || null,
    key,
    cloudToken: cloud.kept,
    secret: signing.kept,
  })
  const [id, store] =
    Object.entries(state.stores).find(([, { keyId }]) => keyId === key.keyId) ?? refuse('store-not-found')
  const credentials = { api_key: apiKey, cloud_token: cloud.token, webhook_secret: signing.secret }
  return { storeId: Number(id), store, credentials }
}

type StoreChange = {
  readonly label?: string | undefined
  /** The store's webhook URL, one that may be called; an empty one removes it. */
  readonly webhookUrl?: string | undefined
  readonly status?: StoreStatus | undefined
}

/**
 * Changes what is given. Answers the webhook secret when this made the store's first one. Refuses `store-not-found`,
 * `state-forbids`.
 */
export const changeStore = async (
  flow: UseCaseContext,
  accountId: string,
  storeId: number,
  { label, webhookUrl, status }: StoreChange,
): Promise<NumberedStore & { readonly webhookSecret: string | undefined }> => {
  const { secret, kept } = await newWebhookSecret(flow, accountId)
  const { state, events } = await flow.ledger.stores.change(accountId, {
    storeId,
    status,
    secret: kept,
    label: label === undefined ? undefined : await sealedName(flow.vault, accountId, label),
    webhookUrl: webhookUrl === undefined ? undefined : webhookUrl || null,
  })
  const minted = events.some(({ type }) => type === 'StoreWebhookSecretMinted')
  return { storeId, store: storeOf(state, storeId), webhookSecret: minted ? secret : undefined }
}

/** Gives a store a new credential, which is answered this once; the old one stops. Refuses `store-not-found`. */
export const rotateStoreCredential = async (
  flow: UseCaseContext,
  accountId: string,
  storeId: number,
  which: StoreCredential,
): Promise<string> => {
  const { stores } = flow.ledger
  if (which === 'api_key') {
    const { apiKey, kept: key } = newApiKey(flow.world, 'st')
    await stores.rotateKey(accountId, { storeId, key })
    return apiKey
  }
  if (which === 'cloud_token') {
    const { token, kept } = await newCloudToken(flow, accountId)
    await stores.rotateCloudToken(accountId, { storeId, ...kept })
    return token
  }
  const { secret, kept } = await newWebhookSecret(flow, accountId)
  await stores.rotateSecret(accountId, { storeId, ...kept })
  return secret
}

/**
 * The publishable tokens of an account's stores, unsealed; a store that is gone gets the default store's token.
 */
export const cloudTokensOf = async (
  { ledger, vault }: UseCaseContext,
  accountId: string,
  storeIds: readonly (number | undefined)[],
): Promise<(storeId: number | undefined) => string> => {
  const { stores } = await ledger.stores.recent(accountId)
  const idOf = (storeId = DEFAULT_STORE) => (stores[storeId] ? storeId : DEFAULT_STORE)
  const opened = new Map<number, string>()
  for (const id of new Set(storeIds.map(idOf))) {
    const sealed = stores[id]?.cloudToken
    opened.set(id, sealed ? await openedText(vault, sealed) : '(erased)')
  }
  return (storeId) => opened.get(idOf(storeId)) ?? '(erased)'
}

/** A fresh publishable token, and what is kept of it: sealed, because it may be shown again. */
export const newCloudToken = async ({ world, vault }: Pick<UseCaseContext, 'world' | 'vault'>, accountId: string) => {
  const token = world.id('ct')
  return { token, kept: { token: await vault.seal(accountId, token), tokenHash: world.digest(token) } }
}

/** A fresh secret that signs deliveries, to be shown once, and what is kept of it. */
export const newWebhookSecret = async (
  { world, vault }: Pick<UseCaseContext, 'world' | 'vault'>,
  accountId: string,
) => {
  const secret = `whsec_${world.secret(32)}`
  return { secret, kept: { secret: await vault.seal(accountId, secret), last4: secret.slice(-4) } }
}
