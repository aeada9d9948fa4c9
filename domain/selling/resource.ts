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
    /** Keyed digest of the request, when it came with an Idempotency-Key. */
    request?: string
  }
  SpendCapSet: { accountId: string; maxPerCaller: SpendCap }
  SpendCapCleared: { accountId: string }
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
  disable: ResourceOwner
}

type ResourceRecord = ResourceEvents['ResourceCreated'] & { status: 'active' | 'disabled' }
type State = { status: 'none' } | ResourceRecord

export const resource = decider<ResourceEvents, ResourceCommands, State>({
  category: 'resource',
  stateVersion: 1,
  initial: { status: 'none' },
  begins: ['create'],
  decide: {
    create: (state, data) => {
      if (state.status !== 'none') return refuse('id-taken')
      return BigInt(data.amount) > 0n ? [{ type: 'ResourceCreated', data }] : refuse('amount-not-positive')
    },
    capSpend: (state, { maxPerCaller, ...whose }) => {
      const { accountId, maxPerCaller: present } = owned(state, whose)
      if (maxPerCaller === null) return present ? [{ type: 'SpendCapCleared', data: { accountId } }] : []
      const same = present?.amount === maxPerCaller.amount && present.windowHours === maxPerCaller.windowHours
      return same ? [] : [{ type: 'SpendCapSet', data: { accountId, maxPerCaller } }]
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
    ResourceDisabled: whenExists((state) => ({ ...state, status: 'disabled' })),
  },
})

/** Another tenant's resource, and one that is disabled, are not found (X-TEN-01, J-RES-12). */
const owned = (state: State, whose: ResourceOwner): ResourceRecord =>
  state.status === 'active' && isTheirs(state, whose) ? state : refuse('resource-not-found')

const isTheirs = (resource: ResourceRecord, { accountId, testOnly, stores }: ResourceOwner): boolean =>
  resource.accountId === accountId &&
  (resource.test || !testOnly) &&
  (stores?.includes(resource.storeId ?? DEFAULT_STORE) ?? true)
