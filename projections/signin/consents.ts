import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table, upsert } from '../engine/projection.ts'

/** The consents of users to apps, for the page on which they take them back. */

const consents = {
  name: 'consents',
  columns: { sub: 'text', client_id: 'text', scopes: 'text', since: 'text' },
  key: ['sub', 'client_id'],
} as const satisfies Table

const names = {
  name: 'consent_app_names',
  columns: { client_id: 'text', name: 'text', development: 'boolean' },
  key: ['client_id'],
} as const satisfies Table

export const consentsProjection: Projection = {
  name: 'consents',
  version: 2,
  tables: [consents, names],
  on: {
    ConsentGranted: ({ at, data: { sub, clientId, scopes } }) =>
      upsert(consents, { sub, client_id: clientId, scopes: '', since: at }, ({ scopes: before, since }) => ({
        scopes: scopes.join(' '),
        since: before === '' ? at : (since ?? at),
      })),
    ConsentRevoked: ({ at, data: { sub, clientId } }) =>
      put(consents, { sub, client_id: clientId, scopes: '', since: at }),
    ClientAppRegistered: ({ stream, data: { name, development = false } }) =>
      put(names, { client_id: idOf(stream), name, development }),
    ClientAppRenamed: ({ stream, data: { name } }) => patch(names, [idOf(stream)], () => ({ name })),
  },
}

export type ConsentRow = {
  clientId: string
  name: string
  /** Its maker is trying it out. */
  development: boolean
  scopes: readonly string[]
  since: string
}

export const consentQueries = (sql: Sql) => ({
  /** Apps that a user has allowed something, the newest first. */
  async appsOfUser(sub: string, limit: number): Promise<ConsentRow[]> {
    const rows = await sql<(Omit<ConsentRow, 'scopes'> & { scopes: string })[]>`
      select client_id as "clientId", name, development, scopes, since from consents join consent_app_names using (client_id)
      where sub = ${sub} and scopes <> '' order by since desc, client_id limit ${limit}`
    return rows.map((row) => ({ ...row, scopes: row.scopes.split(' ') }))
  },
})
