import type { Sql } from 'postgres'
import type { KeptKey } from '../domain/account/api-key.ts'
import { idOf } from '../domain/policy.ts'
import { type Projection, patch, plus, put, type Table, upsert } from './projection.ts'

/** Everything the account snapshot shows, and the credentials that lead to an account. */

const accounts = {
  name: 'accounts',
  columns: {
    account_id: 'text',
    email: 'text',
    activated: 'boolean',
    primary_wallet: 'text',
    cloud_token: 'text',
    created_at: 'text',
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
  },
  key: ['key_id'],
  indexes: ['account_id'],
} as const satisfies Table

const webhooks = {
  name: 'webhooks',
  columns: { account_id: 'text', agent_url: 'text' },
  key: ['account_id'],
} as const satisfies Table

const credits = {
  name: 'credits',
  columns: { account_id: 'text', balance: 'numeric', owed: 'numeric' },
  key: ['account_id'],
} as const satisfies Table

const earnings = {
  name: 'earnings',
  columns: { account_id: 'text', settlements_count: 'integer', total_usd: 'numeric' },
  key: ['account_id'],
} as const satisfies Table

export const accountsProjection: Projection = {
  name: 'accounts',
  version: 3,
  tables: [accounts, apiKeys, webhooks, credits, earnings],
  on: {
    AccountSignedUp: ({ stream, at, data }) =>
      put(accounts, {
        account_id: idOf(stream),
        email: data.email,
        activated: false,
        primary_wallet: data.primaryWallet,
        cloud_token: null,
        created_at: at,
      }),
    ApiKeyIssued: ({ stream, at, data }) => key(stream, at, data, data.kind),
    SandboxKeyIssued: ({ stream, at, data }) => key(stream, at, data, 'sandbox'),
    SandboxKeyRotated: ({ stream, at, data }) => [
      patch(apiKeys, [data.replacedKeyId], () => ({ revoked: true })),
      key(stream, at, data, 'sandbox'),
    ],
    SandboxKeyRevoked: ({ data }) => patch(apiKeys, [data.keyId], () => ({ revoked: true })),
    CloudTokenIssued: ({ stream, data }) => patch(accounts, [idOf(stream)], () => ({ cloud_token: data.token })),
    EmailChanged: ({ stream, data }) => patch(accounts, [idOf(stream)], () => ({ email: data.email })),
    AccountActivated: ({ stream }) => patch(accounts, [idOf(stream)], () => ({ activated: true })),
    WebhookUrlSet: ({ stream, data }) => (data.slot === 'agent' ? agentUrl(stream, data.url) : []),
    WebhookUrlCleared: ({ stream, data }) => (data.slot === 'agent' ? agentUrl(stream, null) : []),
    CreditGranted: ({ stream, data }) => credit(stream, BigInt(data.amount), 0n),
    CreditDebited: ({ stream, data }) => credit(stream, -BigInt(data.amount), BigInt(data.owed)),
    OwedCreditCollected: ({ stream, data }) => credit(stream, -BigInt(data.amount), -BigInt(data.amount)),
    // Test sales are no earnings (I-EARN-01).
    ChallengeSettled: ({ data }) =>
      data.test
        ? []
        : upsert(earnings, { account_id: data.accountId, settlements_count: 0, total_usd: '0' }, (row) => ({
            settlements_count: Number(row.settlements_count) + 1,
            total_usd: plus(row.total_usd, data.usd),
          })),
  },
}

/** One row for each secret there ever was: a rotated or revoked one is known, and refused as such. */
const key = (stream: string, at: string, { keyId, keyHash, hint }: KeptKey, kind: 'owner' | 'sandbox') =>
  put(apiKeys, {
    key_id: keyId,
    account_id: idOf(stream),
    kind,
    key_hash: keyHash,
    hint,
    created_at: at,
    revoked: false,
  })

const agentUrl = (stream: string, url: string | null) => put(webhooks, { account_id: idOf(stream), agent_url: url })

const credit = (stream: string, balance: bigint, owed: bigint) =>
  upsert(credits, { account_id: idOf(stream), balance: '0', owed: '0' }, (row) => ({
    balance: plus(row.balance, balance),
    owed: plus(row.owed, owed),
  }))

export type AccountRow = {
  /** Sealed. */
  email: string
  activated: boolean
  primaryWallet: string | null
  /** Sealed. */
  cloudToken: string
  agentUrl: string | null
  /** Millionths of a US dollar. */
  credit: string
  settlementsCount: number
  totalUsd: string
}

export type ApiKeyRow = { accountId: string; kind: string; keyHash: string; revoked: boolean }

export const accountQueries = (sql: Sql) => ({
  async account(accountId: string): Promise<AccountRow | undefined> {
    const [row] = await sql<AccountRow[]>`
      select a.email, a.activated, a.primary_wallet as "primaryWallet", a.cloud_token as "cloudToken",
        w.agent_url as "agentUrl", coalesce(c.balance, 0)::text as credit, coalesce(e.settlements_count, 0) as "settlementsCount",
        coalesce(e.total_usd, 0)::text as "totalUsd"
      from accounts a left join webhooks w using (account_id) left join credits c using (account_id)
        left join earnings e using (account_id)
      where a.account_id = ${accountId}`
    return row
  },
  async apiKey(keyId: string): Promise<ApiKeyRow | undefined> {
    const [row] = await sql<ApiKeyRow[]>`
      select account_id as "accountId", kind, key_hash as "keyHash", revoked from api_keys where key_id = ${keyId}`
    return row
  },
})
