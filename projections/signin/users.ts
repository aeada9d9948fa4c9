import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** The users that there are, for the operator. Who they are stays sealed in the log. */

const users = {
  name: 'users',
  columns: { sub: 'text', status: 'text', registered_at: 'text' },
  key: ['sub'],
  indexes: ['registered_at'],
} as const satisfies Table

export const usersProjection: Projection = {
  name: 'users',
  version: 1,
  tables: [users],
  on: {
    UserRegistered: ({ stream, at }) => put(users, { sub: idOf(stream), status: 'unverified', registered_at: at }),
    UserEmailVerified: ({ stream }) => patch(users, [idOf(stream)], () => ({ status: 'verified' })),
    UserErased: ({ stream }) => patch(users, [idOf(stream)], () => ({ status: 'erased' })),
  },
}

export type UserRow = { sub: string; status: 'unverified' | 'verified' | 'erased'; registeredAt: string }

export const userQueries = (sql: Sql) => ({
  /** All users, newest first. */
  users: (limit: number): Promise<UserRow[]> => sql<UserRow[]>`
    select sub, status, registered_at as "registeredAt" from users order by registered_at desc, sub limit ${limit}`,
})
