import { decider, whenExists } from '../kernel/decider.ts'
import { DEFAULT_STORE } from '../kernel/in-store.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * Something a seller prices once and sells many times. Its price and what it may be paid in do not change afterwards
 * (N-22).
 */

/**
 * A payer whose settled spend in the window reaches the amount gets no new authorization; fiat millionths of the
 * resource's currency.
 */
export type SpendCap = { amount: Units; windowHours: number }

export type ResourceEvents = {
  ResourceCreated: {
    accountId: string
    /** absent: 1, the default store */
    storeId?: number
    /** Fiat price in millionths. */
    amount: Units
    currency: string
    acceptedAssets: readonly string[]
    /** The webhook that is called instead of the account's webhooks (Q-01, level 0). */
    webhookUrl: string | null
    maxPerCaller: SpendCap | null
    test: boolean
    testConfirmations: number
    /** The unguessable part of `checkout_url`. */
    checkoutId: string
    /** What people read of it; absent when it has no title. */
    title?: string
    /** Whether it is in the public lists; absent: it is not, and whoever has its address buys it. */
    listed?: boolean
    /** Keyed digest of the request, when it came with an Idempotency-Key. */
    request?: string
  }
  SpendCapSet: { accountId: string; maxPerCaller: SpendCap }
  SpendCapCleared: { accountId: string }
  /** What people read of it from now on, and whether it is in the public lists. */
  ResourceDescribed: { accountId: string; title: string; listed: boolean }
  /** The resource is gone from the list and its payment door; what it sold stays (X-SOFT-01). */
  ResourceDisabled: { accountId: string }
}

/**
 * `testOnly`: a sandbox key, which finds no live resources (X-SBX-01). `stores`: the stores of a limited key, which
 * finds no resources of others (J-AUTH-04).
 */
type ResourceOwner = { accountId: string; testOnly?: boolean; stores?: readonly number[] | undefined }

export type ResourceCommands = {
  create: ResourceEvents['ResourceCreated']
  capSpend: ResourceOwner & { maxPerCaller: SpendCap | null }
  /** What is not given stays as it is. */
  describe: ResourceOwner & ResourceDescription
  disable: ResourceOwner
}

type ResourceDescription = { title?: string | undefined; listed?: boolean | undefined }

type ResourceRecord = ResourceEvents['ResourceCreated'] & { status: 'active' | 'disabled' }
type State = { status: 'none' } | ResourceRecord

export const resource = decider<ResourceEvents, ResourceCommands, State>({
  category: 'resource',
  stateVersion: 1,
  initial: { status: 'none' },
  begins: ['create'],
  decide: {
    create: (state, data) => {
      if (state.status !== 'none')
        return refuse(
          'id-taken',
          'There is a resource of this id already. Send the same request again to be told of it.',
        )
      if (BigInt(data.amount) <= 0n)
        return refuse('amount-not-positive', 'The amount of a resource has to be above zero.')
      return [{ type: 'ResourceCreated', data }]
    },
    capSpend: (state, { maxPerCaller, ...whose }) => {
      const { accountId, maxPerCaller: present } = owned(state, whose)
      if (maxPerCaller === null) return present ? [{ type: 'SpendCapCleared', data: { accountId } }] : []
      const same = present?.amount === maxPerCaller.amount && present.windowHours === maxPerCaller.windowHours
      return same ? [] : [{ type: 'SpendCapSet', data: { accountId, maxPerCaller } }]
    },
    describe: (state, { title, listed, ...whose }) => {
      const { accountId, ...present } = owned(state, whose)
      const before = { title: present.title ?? '', listed: present.listed ?? false }
      const after = { title: title ?? before.title, listed: listed ?? before.listed }
      const same = after.title === before.title && after.listed === before.listed
      return same ? [] : [{ type: 'ResourceDescribed', data: { accountId, ...after } }]
    },
    disable: (state, whose) => {
      if (state.status === 'disabled' && isTheirs(state, whose)) return []
      const { accountId } = owned(state, whose)
      return [{ type: 'ResourceDisabled', data: { accountId } }]
    },
  },
  evolve: {
    ResourceCreated: (_, data) => ({ ...data, status: 'active' }),
    SpendCapSet: whenExists((state, { maxPerCaller }) => ({ ...state, maxPerCaller })),
    SpendCapCleared: whenExists((state) => ({ ...state, maxPerCaller: null })),
    ResourceDescribed: whenExists((state, { title, listed }) => ({ ...state, title, listed })),
    ResourceDisabled: whenExists((state) => ({ ...state, status: 'disabled' })),
  },
})

/** Whether the id of a product is that of a resource. */
export const isResourceId = (productId: string): boolean => productId.startsWith('res_')

/** Another tenant's resource, and one that is disabled, are not found (X-TEN-01, J-RES-12). */
const owned = (state: State, whose: ResourceOwner): ResourceRecord =>
  state.status === 'active' && isTheirs(state, whose)
    ? state
    : refuse(
        'resource-not-found',
        'There is no such resource in this account: look for its res_id in GET /v1/resources.',
      )

const isTheirs = (resource: ResourceRecord, { accountId, testOnly, stores }: ResourceOwner): boolean =>
  resource.accountId === accountId &&
  (resource.test || !testOnly) &&
  (stores?.includes(resource.storeId ?? DEFAULT_STORE) ?? true)
