import type { Sql } from 'postgres'
import type { Capability } from '../../domain/account/capabilities.ts'
import type { KeptKey } from '../../domain/account/keys/api-key.ts'
import { type KeyLimits, keyLimits } from '../../domain/account/keys/key-limits.ts'
import type { Role } from '../../domain/account/roles.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, plus, put, type Table, upsert } from '../engine/projection.ts'
import { earnedChanges, earnings, refundedChanges, refundedInCoin, unearnedChanges } from '../selling/earnings.ts'

/** Everything the account snapshot shows, and the credentials that lead to an account. */

const accounts = {
  name: 'accounts',
  columns: {
    account_id: 'text',
    email: 'text',
    activated: 'boolean',
    primary_wallet: 'text',
    created_at: 'text',
    suspended: 'text',
    closed: 'boolean',
  },
  key: ['account_id'],
} as const satisfies Table

const apiKeys = {
  name: 'api_keys',
  columns: {
    key_id: 'text',
    account_id: 'text',
    kind: 'text',
    key_hash: 'text',
    hint: 'text',
    created_at: 'text',
    revoked: 'boolean',
    suspended: 'boolean',
    ends_at: 'text',
    role: 'text',
    permissions: 'json',
    store_scope: 'json',
    networks: 'text',
  },
  key: ['key_id'],
  indexes: ['account_id'],
} as const satisfies Table

const webhooks = {
  name: 'webhooks',
  columns: { account_id: 'text', agent_url: 'text' },
  key: ['account_id'],
} as const satisfies Table

/** Publishable tokens of stores by their hash; a replaced one stays known, but names no store. */
const cloudTokens = {
  name: 'cloud_tokens',
  columns: { token_hash: 'text', account_id: 'text', store_id: 'integer', active: 'boolean' },
  key: ['token_hash'],
} as const satisfies Table

const credits = {
  name: 'credits',
  columns: {
    account_id: 'text',
    balance: 'numeric',
    owed: 'numeric',
    lander_slots: 'bigint',
    points: 'bigint',
  },
  key: ['account_id'],
} as const satisfies Table

export const accountsProjection: Projection = {
  name: 'accounts',
  version: 10,
  tables: [accounts, apiKeys, cloudTokens, webhooks, credits, earnings],
  on: {
    AccountSignedUp: ({ stream, at, data }) =>
      put(accounts, {
        account_id: idOf(stream),
        email: data.email,
        activated: false,
        primary_wallet: data.primaryWallet,
        created_at: at,
        suspended: null,
        closed: false,
      }),
    ApiKeyIssued: ({ stream, at, data }) => key(stream, at, data, data.kind),
    OwnerKeyRotated: ({ stream, at, data: { replacedKeyId, replacedUntil, endedKeyId, rotatedAt, ...kept } }) => [
      ...(endedKeyId === undefined ? [] : [revoked(endedKeyId)]),
      replacedUntil > rotatedAt
        ? patch(apiKeys, [replacedKeyId], () => ({ ends_at: replacedUntil }))
        : revoked(replacedKeyId),
      key(stream, at, kept, 'owner'),
    ],
    AccountSuspended: ({ stream, data: { reason } }) => patch(accounts, [idOf(stream)], () => ({ suspended: reason })),
    AccountReinstated: ({ stream }) => patch(accounts, [idOf(stream)], () => ({ suspended: null })),
    AccountClosed: ({ stream }) => patch(accounts, [idOf(stream)], () => ({ closed: true })),
    SandboxKeyIssued: ({ stream, at, data }) => key(stream, at, data, 'sandbox', keyLimits(data)),
    SandboxKeyRotated: ({ stream, at, data }) => [
      revoked(data.replacedKeyId),
      key(stream, at, data, 'sandbox', keyLimits(data)),
    ],
    SandboxKeyLimitsSet: ({ data }) => patch(apiKeys, [data.keyId], () => limited(data)),
    SandboxKeyRevoked: ({ data }) => revoked(data.keyId),
    SubagentCreated: ({ stream, at, data }) => key(stream, at, data, 'sub-key', data),
    SubagentKeyRotated: ({ stream, at, data }) => [revoked(data.replacedKeyId), key(stream, at, data, 'sub-key', data)],
    SubagentChanged: ({ data }) => patch(apiKeys, [data.keyId], () => ({ ...granted(data), ...limited(data) })),
    SubagentSuspended: ({ data }) => patch(apiKeys, [data.keyId], () => ({ suspended: true })),
    SubagentActivated: ({ data }) => patch(apiKeys, [data.keyId], () => ({ suspended: false })),
    SubagentDeleted: ({ data }) => revoked(data.keyId),
    StoreKeyIssued: ({ stream, at, data: { storeId, status, replacedKeyId, ...kept } }) => [
      ...(replacedKeyId === null ? [] : [revoked(replacedKeyId)]),
      key(stream, at, kept, 'store', { storeScope: [storeId], suspended: status === 'inactive' }),
    ],
    StoreCloudTokenIssued: ({ stream, data: { storeId, status, tokenHash, replacedHash } }) => [
      ...(replacedHash === null ? [] : [patch(cloudTokens, [replacedHash], () => ({ active: false }))]),
      put(cloudTokens, {
        token_hash: tokenHash,
        account_id: idOf(stream),
        store_id: storeId,
        active: status === 'active',
      }),
    ],
    StoreStatusSet: ({ data: { keyId, tokenHash, status } }) => [
      ...(keyId === null ? [] : [patch(apiKeys, [keyId], () => ({ suspended: status === 'inactive' }))]),
      patch(cloudTokens, [tokenHash], () => ({ active: status === 'active' })),
    ],
    StoreDeleted: ({ data: { keyId, tokenHash } }) => [
      ...(keyId === null ? [] : [revoked(keyId)]),
      patch(cloudTokens, [tokenHash], () => ({ active: false })),
    ],
    EmailChanged: ({ stream, data }) => patch(accounts, [idOf(stream)], () => ({ email: data.email })),
    AccountActivated: ({ stream }) => patch(accounts, [idOf(stream)], () => ({ activated: true })),
    WebhookUrlSet: ({ stream, data }) => (data.slot === 'agent' ? agentUrl(stream, data.url) : []),
    WebhookUrlCleared: ({ stream, data }) => (data.slot === 'agent' ? agentUrl(stream, null) : []),
    CreditGranted: ({ stream, data: { amount, points = 0 } }) =>
      credit(stream, { balance: BigInt(amount), points: -points }),
    CreditDebited: ({ stream, data: { amount, owed, points } }) =>
      credit(stream, { balance: -BigInt(amount), owed: BigInt(owed), points }),
    OwedCreditCollected: ({ stream, data: { amount } }) =>
      credit(stream, { balance: -BigInt(amount), owed: -BigInt(amount) }),
    SeatPaid: ({ stream, data }) => credit(stream, { balance: -BigInt(data.amount) }),
    LanderPackBought: ({ stream, data: { amount, slots } }) => credit(stream, { balance: -BigInt(amount), slots }),
    PointsRedeemed: ({ stream, data: { amount, points } }) =>
      credit(stream, { balance: BigInt(amount), points: -points }),
    ChallengeSettled: ({ data }) => earnedChanges(data),
    CardPaymentSettled: ({ data }) => earnedChanges(data),
    PaymentReversed: ({ data }) => (data.unsettled ? unearnedChanges(data) : []),
    RefundRecorded: ({ data }) => refundedInCoin(data),
    PartRefundRecorded: ({ data }) => refundedInCoin(data),
    RefundVoided: ({ data }) => refundedInCoin(data, -1n),
    CardRefunded: ({ data: { accountId, usd = '0', test } }) => refundedChanges({ accountId, usd, test }),
    CardRefundFailed: ({ data: { accountId, usd = '0', test } }) => refundedChanges({ accountId, usd, test }, -1n),
  },
}

type RoleGrant = { role: string; permissions: readonly string[]; storeScope: readonly number[] }

/** One row for each secret there ever was: a rotated or revoked one is known, and refused as such. */
const key = (
  stream: string,
  at: string,
  { keyId, keyHash, hint }: KeptKey,
  kind: ApiKeyRow['kind'],
  { suspended = false, ...grants }: Partial<RoleGrant> & KeyLimits & { suspended?: boolean } = {},
) =>
  put(apiKeys, {
    key_id: keyId,
    account_id: idOf(stream),
    kind,
    key_hash: keyHash,
    hint,
    created_at: at,
    revoked: false,
    suspended,
    ...limited(grants),
    ...granted(grants),
  })

const granted = ({ role, permissions = [], storeScope = [] }: Partial<RoleGrant>) => ({
  role: role ?? null,
  permissions,
  store_scope: storeScope,
})

const limited = ({ endsAt = null, networks = null }: KeyLimits) => ({
  ends_at: endsAt,
  networks: networks?.text ?? null,
})

const revoked = (keyId: string) => patch(apiKeys, [keyId], () => ({ revoked: true }))

const agentUrl = (stream: string, url: string | null) => put(webhooks, { account_id: idOf(stream), agent_url: url })

type CreditMovement = { balance?: bigint; owed?: bigint; slots?: number; points?: number | undefined }

const credit = (stream: string, { balance = 0n, owed = 0n, slots = 0, points = 0 }: CreditMovement) =>
  upsert(credits, { account_id: idOf(stream), balance: '0', owed: '0', lander_slots: '0', points: '0' }, (row) => ({
    balance: plus(row.balance, balance),
    owed: plus(row.owed, owed),
    lander_slots: plus(row.lander_slots, BigInt(slots)),
    points: plus(row.points, BigInt(points)),
  }))

export type AccountRow = {
  /** The email address, sealed. */
  email: string
  activated: boolean
  primaryWallet: string | null
  agentUrl: string | null
  /** Millionths of a US dollar. */
  credit: string
  settlementsCount: number
  /** Tests that have settled; they are in no other number. */
  testCount: number
  totalUsd: string
}

export type BillingRow = {
  /** Millionths of a US dollar. */
  credit: string
  points: number
  /** Slots that were bought, taken or not. */
  landerSlots: number
  /** Landers that take a slot. */
  landers: number
}

export type ApiKeyRow = {
  accountId: string
  kind: 'owner' | 'sandbox' | 'sub-key' | 'store'
  keyHash: string
  hint: string
  revoked: boolean
  /** Whether it is suspended; it may be used again later. */
  suspended: boolean
  /** Until when a replaced owner key is good, or a key that its owner gave an end; null for every other key. */
  endsAt: string | null
  /** The networks that the key may come from, sealed; null for all. */
  networks: string | null
  /** The role of a sub-key, and its permissions. */
  role: Role | null
  permissions: readonly Capability[]
  /** The stores that the key is limited to; empty for all. */
  storeScope: readonly number[]
}

export type OwnerKeyRow = { keyId: string; hint: string; createdAt: string; endsAt: string | null }
/** Keys that ended by themselves stay listed as such for a while. */
const OWNER_KEYS_MAX = 10

export type ListedAccountRow = {
  accountId: string
  /** The email address, sealed. */
  email: string
  activated: boolean
  suspended: string | null
  createdAt: string
}

export const accountQueries = (sql: Sql) => ({
  async account(accountId: string): Promise<AccountRow | undefined> {
    const [row] = await sql<AccountRow[]>`
      select a.email, a.activated, a.primary_wallet as "primaryWallet", w.agent_url as "agentUrl", coalesce(c.balance, 0)::text as credit, coalesce(e.settlements_count, 0) as "settlementsCount", coalesce(e.test_count, 0) as "testCount",
        coalesce(e.total_usd, 0)::text as "totalUsd"
      from accounts a left join webhooks w using (account_id) left join credits c using (account_id)
        left join earnings e using (account_id)
      where a.account_id = ${accountId}`
    return row
  },
  /** What an account has bought and earned; zero of each when it has no row. */
  async billing(accountId: string): Promise<BillingRow> {
    const [row] = await sql<BillingRow[]>`
      select coalesce(max(balance), 0)::text as credit, coalesce(max(points), 0)::float8 as points,
        coalesce(max(lander_slots), 0)::float8 as "landerSlots",
        (select count(*)::int from landers where account_id = ${accountId} and not deleted) as "landers"
      from credits where account_id = ${accountId}`
    return row ?? { credit: '0', points: 0, landerSlots: 0, landers: 0 }
  },
  async apiKey(keyId: string): Promise<ApiKeyRow | undefined> {
    const [row] = await sql<ApiKeyRow[]>`
      select account_id as "accountId", kind, key_hash as "keyHash", hint, revoked, suspended, ends_at as "endsAt",
        role, permissions, store_scope as "storeScope", networks
      from api_keys where key_id = ${keyId}`
    return row
  },
  /** The owner keys of an account that were not ended, the newest first: at most two may still be good. */
  async ownerKeys(accountId: string): Promise<readonly OwnerKeyRow[]> {
    return sql<OwnerKeyRow[]>`
      select key_id as "keyId", hint, created_at as "createdAt", ends_at as "endsAt" from api_keys
      where account_id = ${accountId} and kind = 'owner' and not revoked
      order by created_at desc, ends_at desc nulls first limit ${OWNER_KEYS_MAX}`
  },
  /** The accounts, the newest first; all are sellers. */
  async accounts(limit: number): Promise<readonly ListedAccountRow[]> {
    return sql<ListedAccountRow[]>`
      select account_id as "accountId", email, activated, suspended, created_at as "createdAt" from accounts
      order by created_at desc, account_id limit ${limit}`
  },
})
