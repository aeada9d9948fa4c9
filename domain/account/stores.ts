import { decider, type Of } from '../kernel/decider.ts'
import { DEFAULT_STORE } from '../kernel/in-store.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'
import type { KeptKey } from './keys/api-key.ts'
import type { SealedName } from './named.ts'

/**
 * The stores of a seller, each with credentials of its own (1:112, 1:286). Every account has the first one, which comes
 * with it; whatever names no store belongs to that one (Q-48, N-45).
 */

/** Stores that one account may have at once. */
const STORES_MAX = 100

type CloudToken = { token: SealedText; tokenHash: string }
type Secret = { secret: SealedText; last4: string }
export type StoreStatus = 'active' | 'inactive'

export type StoresEvents = {
  StoreCreated: { storeId: number; label: SealedName | null; webhookUrl: string | null; createdAt: string }
  /**
   * The label is the seller's own text. `webhookUrl` is null where payments to the store are told at the account's URL.
   */
  StoreChanged: { storeId: number; label: SealedName | null; webhookUrl: string | null }
  /** An inactive store's key is refused and its token names nobody. */
  StoreStatusSet: { storeId: number; keyId: string | null; tokenHash: string; status: StoreStatus }
  /** A key for the shop's own server; only its hash is kept, and the one before stopped at once (S-STO-03). */
  StoreKeyIssued: KeptKey & { storeId: number; replacedKeyId: string | null; status: StoreStatus }
  /** The publishable token; the one before names nobody any more. */
  StoreCloudTokenIssued: CloudToken & { storeId: number; replacedHash: string | null; status: StoreStatus }
  /** The secret that signs the deliveries to the store's own URL. */
  StoreWebhookSecretMinted: Secret & { storeId: number }
  /** Its credentials stopped for good; what was paid there keeps its number. */
  StoreDeleted: { storeId: number; keyId: string | null; tokenHash: string }
}

export type StoresCommands = {
  /** The store that comes with the account, under the token that the account was given. */
  openDefault: CloudToken
  create: { label: SealedName | null; webhookUrl: string | null; key: KeptKey; cloudToken: CloudToken; secret: Secret }
  /** What is not given stays; `secret` is taken when a URL is set and the store has none yet. */
  change: {
    storeId: number
    label?: SealedName | null | undefined
    webhookUrl?: string | null | undefined
    status?: StoreStatus | undefined
    secret: Secret
  }
  rotateKey: { storeId: number; key: KeptKey }
  rotateCloudToken: CloudToken & { storeId: number }
  rotateSecret: Secret & { storeId: number }
  delete: { storeId: number }
}

export type Store = {
  readonly label: SealedName | null
  readonly webhookUrl: string | null
  readonly status: StoreStatus
  readonly keyId: string | null
  readonly keyHint: string
  readonly createdAt: string
  readonly tokenHash: string
  readonly cloudToken: SealedText | undefined
  readonly secret: Secret | undefined
}
type State = { last: number; stores: { readonly [storeId: number]: Store } }

export const stores = decider<StoresEvents, StoresCommands, State>({
  category: 'stores',
  stateVersion: 1,
  initial: { last: DEFAULT_STORE, stores: {} },
  decide: {
    openDefault: ({ stores }, { token, tokenHash }, now) =>
      stores[DEFAULT_STORE]
        ? []
        : [
            { type: 'StoreCreated', data: { storeId: DEFAULT_STORE, label: null, webhookUrl: null, createdAt: now } },
            {
              type: 'StoreCloudTokenIssued',
              data: { storeId: DEFAULT_STORE, token, tokenHash, replacedHash: null, status: 'active' },
            },
          ],
    create: ({ last, stores }, { label, webhookUrl, key, cloudToken, secret }, now) => {
      const known = Object.values(stores)
      if (known.some(({ keyId }) => keyId === key.keyId)) return []
      if (known.length >= STORES_MAX)
        return refuse('too-many-stores', `An account has at most ${STORES_MAX} stores. Delete one first.`)
      const storeId = last + 1
      return [
        { type: 'StoreCreated', data: { storeId, label, webhookUrl, createdAt: now } },
        { type: 'StoreKeyIssued', data: { storeId, ...key, replacedKeyId: null, status: 'active' } },
        { type: 'StoreCloudTokenIssued', data: { storeId, ...cloudToken, replacedHash: null, status: 'active' } },
        { type: 'StoreWebhookSecretMinted', data: { storeId, ...secret } },
      ]
    },
    change: (state, { storeId, secret, status, ...given }) => {
      const store = storeOf(state, storeId)
      const { keyId, tokenHash } = store
      const label = given.label === undefined ? store.label : given.label
      const webhookUrl = given.webhookUrl === undefined ? store.webhookUrl : given.webhookUrl
      const same = label?.print === store.label?.print && webhookUrl === store.webhookUrl
      if (storeId === DEFAULT_STORE && status === 'inactive')
        return refuse('state-forbids', 'The default store is always active, so leave its status out.')
      const events: Of<StoresEvents>[] = []
      if (!same) events.push({ type: 'StoreChanged', data: { storeId, label, webhookUrl } })
      if (status !== undefined && status !== store.status)
        events.push({ type: 'StoreStatusSet', data: { storeId, keyId, tokenHash, status } })
      if (webhookUrl !== null && !store.secret)
        events.push({ type: 'StoreWebhookSecretMinted', data: { storeId, ...secret } })
      return events
    },
    rotateKey: (state, { storeId, key }) => {
      const { keyId: replacedKeyId, status } = storeOf(state, storeId)
      if (replacedKeyId === key.keyId) return []
      return [{ type: 'StoreKeyIssued', data: { storeId, ...key, replacedKeyId, status } }]
    },
    rotateCloudToken: (state, { storeId, token, tokenHash }) => {
      const { tokenHash: replacedHash, status } = storeOf(state, storeId)
      if (replacedHash === tokenHash) return []
      return [{ type: 'StoreCloudTokenIssued', data: { storeId, token, tokenHash, replacedHash, status } }]
    },
    rotateSecret: (state, { storeId, secret, last4 }) =>
      storeOf(state, storeId).secret?.secret === secret
        ? []
        : [{ type: 'StoreWebhookSecretMinted', data: { storeId, secret, last4 } }],
    delete: (state, { storeId }) => {
      if (storeId === DEFAULT_STORE)
        return refuse('state-forbids', 'The default store cannot be deleted. Choose another one.')
      const { keyId, tokenHash } = storeOf(state, storeId)
      return [{ type: 'StoreDeleted', data: { storeId, keyId, tokenHash } }]
    },
  },
  evolve: {
    StoreCreated: ({ last, stores }, { storeId, label, webhookUrl, createdAt }) => ({
      last: Math.max(last, storeId),
      stores: { ...stores, [storeId]: { ...NEW, label, webhookUrl, createdAt } },
    }),
    StoreChanged: (state, { storeId, label, webhookUrl }) => changed(state, storeId, { label, webhookUrl }),
    StoreStatusSet: (state, { storeId, status }) => changed(state, storeId, { status }),
    StoreKeyIssued: (state, { storeId, keyId, hint }) => changed(state, storeId, { keyId, keyHint: hint }),
    StoreCloudTokenIssued: (state, { storeId, token, tokenHash }) =>
      changed(state, storeId, { cloudToken: token, tokenHash }),
    StoreWebhookSecretMinted: (state, { storeId, secret, last4 }) =>
      changed(state, storeId, { secret: { secret, last4 } }),
    StoreDeleted: ({ last, stores }, { storeId }) => {
      const { [storeId]: _, ...rest } = stores
      return { last, stores: rest }
    },
  },
})

const NEW: Store = {
  label: null,
  webhookUrl: null,
  status: 'active',
  keyId: null,
  keyHint: '',
  createdAt: '',
  tokenHash: '',
  cloudToken: undefined,
  secret: undefined,
}

/** A store of the account that was not deleted. Refuses `store-not-found`. */
export const storeOf = ({ stores }: Pick<State, 'stores'>, storeId: number): Store =>
  stores[storeId] ?? refuse('store-not-found')

const changed = ({ last, stores }: State, storeId: number, part: Partial<Store>): State => {
  const store = stores[storeId]
  return store ? { last, stores: { ...stores, [storeId]: { ...store, ...part } } } : { last, stores }
}
