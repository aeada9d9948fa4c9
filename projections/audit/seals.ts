import type { Sql } from 'postgres'
import { type Projection, put, type Table } from '../engine/projection.ts'

/** The seals of the log: its signed heads, the keys that sign them, and what proofs of single events are made from. */

const seals = {
  name: 'seals',
  columns: {
    size: 'bigint',
    // Index of the first event that this seal covers and the one before it does not.
    first: 'bigint',
    log: 'text',
    // The last covered event's place in the ledger's own order.
    log_order: 'bigint',
    root: 'text',
    chain: 'text',
    sealed_at: 'text',
    key_id: 'text',
    signature: 'text',
    leaves: 'text',
    position: 'bigint',
  },
  key: ['size'],
  indexes: ['log_order'],
} as const satisfies Table

/** Complete subtrees of 1,024 leaves and more. */
const nodes = {
  name: 'seal_nodes',
  columns: { level: 'integer', place: 'bigint', hash: 'text' },
  key: ['level', 'place'],
} as const satisfies Table

const keys = {
  name: 'seal_keys',
  columns: {
    key_id: 'text',
    public_key: 'text',
    previous: 'text',
    endorsement: 'text',
    position: 'bigint',
    at: 'text',
  },
  key: ['key_id'],
} as const satisfies Table

export const sealsProjection: Projection = {
  name: 'seals',
  version: 1,
  tables: [seals, nodes, keys],
  on: {
    SealKeyPublished: ({ at, position, data: { keyId, publicKey, previous, endorsement } }) =>
      put(keys, { key_id: keyId, public_key: publicKey, previous, endorsement, position: String(position), at }),
    LogSealed: ({ position, data }) => [
      put(seals, {
        size: String(data.size),
        first: String(data.from),
        log: data.log,
        log_order: data.order,
        root: data.root,
        chain: data.chain,
        sealed_at: data.sealedAt,
        key_id: data.keyId,
        signature: data.signature,
        leaves: data.leaves,
        position: String(position),
      }),
      ...data.nodes.map(([level, place, hash]) => put(nodes, { level, place: String(place), hash })),
    ],
  },
}

/** A signed head as `adapters/audit/head.ts` has it. */
export type SealRow = {
  log: string
  size: number
  order: string
  root: string
  chain: string
  sealedAt: string
  keyId: string
  signature: string
}

/** The index of the first event that a head adds, and its leaves as base64. */
export type SealLeavesRow = { first: number; leaves: string }

export type SealKeyRow = {
  keyId: string
  publicKey: string
  previous: string | null
  endorsement: string | null
  at: string
}

/** The most seals that the leaves of one proof lie in. */
const LEAVES_SEALS_MAX = 4_096

export const sealQueries = (sql: Sql) => {
  const heads = sql`
    select log, size::float8 as size, log_order::text as "order", root, chain, sealed_at as "sealedAt", key_id as "keyId", signature
    from seals`
  return {
    /** The newest heads, or the newest below a size, newest first. */
    seals: ({ limit, below }: { limit: number; below?: number | undefined }): Promise<SealRow[]> => sql<SealRow[]>`
      ${heads} where ${below === undefined ? sql`true` : sql`size < ${below}`} order by size desc limit ${limit}`,
    sealOf: async (size: number): Promise<SealRow | undefined> => {
      const [row] = await sql<SealRow[]>`${heads} where size = ${size}`
      return row
    },
    /** The first head that covers an event by its place in the ledger's order, and where its own leaves begin. */
    sealOver: async (order: bigint): Promise<(SealRow & { first: number }) | undefined> => {
      const [row] = await sql<(SealRow & { first: number })[]>`
        select first::float8 as first, h.* from (${heads}) h join seals using (size)
        where log_order >= ${String(order)} order by log_order limit 1`
      return row
    },
    /** The seals that list the leaves `from` to `to - 1`, in their order. */
    sealLeaves: (from: number, to: number): Promise<SealLeavesRow[]> => sql<SealLeavesRow[]>`
      select first::float8 as first, leaves from seals where size > ${from} and first < ${to} order by size limit ${LEAVES_SEALS_MAX}`,
    sealNode: async (level: number, place: number): Promise<string | undefined> => {
      const [row] = await sql<
        { hash: string }[]
      >`select hash from seal_nodes where level = ${level} and place = ${place}`
      return row?.hash
    },
    /** All keys, in the order in which they were published. */
    sealKeys: (): Promise<SealKeyRow[]> => sql<SealKeyRow[]>`
      select key_id as "keyId", public_key as "publicKey", previous, endorsement, at from seal_keys order by position`,
  }
}
