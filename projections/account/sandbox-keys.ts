import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** The sandbox keys of each account as it sees them, never the keys themselves. */

const keys = {
  name: 'sandbox_keys',
  columns: {
    account_id: 'text',
    number: 'integer',
    kind: 'text',
    label: 'text',
    hint: 'text',
    created_at: 'text',
    revoked_at: 'text',
    last_used_at: 'text',
    ends_at: 'text',
    networks: 'text',
  },
  key: ['account_id', 'number'],
} as const satisfies Table

export const sandboxKeysProjection: Projection = {
  name: 'sandbox_keys',
  version: 2,
  tables: [keys],
  on: {
    SandboxKeyIssued: ({ stream, at, data }) =>
      put(keys, {
        account_id: idOf(stream),
        number: data.number,
        kind: data.kind,
        label: data.label,
        hint: data.hint,
        created_at: at,
        revoked_at: null,
        last_used_at: null,
        ends_at: data.endsAt ?? null,
        networks: data.networks?.text ?? null,
      }),
    SandboxKeyRotated: ({ stream, data }) => patch(keys, [idOf(stream), data.number], () => ({ hint: data.hint })),
    SandboxKeyLimitsSet: ({ stream, data }) =>
      patch(keys, [idOf(stream), data.number], () => ({
        ends_at: data.endsAt,
        networks: data.networks?.text ?? null,
      })),
    SandboxKeyRevoked: ({ stream, at, data }) => patch(keys, [idOf(stream), data.number], () => ({ revoked_at: at })),
    SandboxKeyUsed: ({ stream, data }) =>
      patch(keys, [idOf(stream), data.number], () => ({ last_used_at: data.usedAt })),
  },
}

export type SandboxKeyRow = {
  number: number
  kind: 'secret' | 'publishable'
  /** The label, sealed. */
  label: string | null
  hint: string
  createdAt: string
  revokedAt: string | null
  lastUsedAt: string | null
  endsAt: string | null
  /** The networks that the key may come from, sealed; null for all. */
  networks: string | null
}

export const sandboxKeyQueries = (sql: Sql) => ({
  /** The sandbox keys of an account: the active ones first, then those that were revoked, each newest first. */
  sandboxKeys: (accountId: string, limit: number, offset = 0): Promise<SandboxKeyRow[]> => sql<SandboxKeyRow[]>`
    select number, kind, label, hint, created_at as "createdAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt",
      ends_at as "endsAt", networks
    from sandbox_keys where account_id = ${accountId}
    order by revoked_at is not null, number desc limit ${limit} offset ${offset}`,
})
