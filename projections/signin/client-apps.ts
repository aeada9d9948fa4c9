import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table, upsert } from '../engine/projection.ts'

/**
 * The apps and their owners, and the domains that they say are their own. What decides over a sign-in is read from the
 * ledger itself.
 */

const apps = {
  name: 'client_apps',
  columns: {
    client_id: 'text',
    name: 'text',
    owner: 'text',
    confidential: 'boolean',
    first_party: 'boolean',
    development: 'boolean',
    status: 'text',
    registered_at: 'text',
  },
  key: ['client_id'],
  indexes: ['owner, registered_at', 'registered_at'],
} as const satisfies Table

const domains = {
  name: 'client_app_domains',
  columns: { client_id: 'text', domain: 'text', status: 'text', since: 'text' },
  key: ['client_id', 'domain'],
} as const satisfies Table

export const clientAppsProjection: Projection = {
  name: 'client_apps',
  version: 2,
  tables: [apps, domains],
  on: {
    ClientAppRegistered: ({ stream, at, data }) =>
      put(apps, {
        client_id: idOf(stream),
        name: data.name,
        owner: data.owner,
        confidential: data.confidential,
        first_party: data.firstParty,
        development: data.development ?? false,
        status: 'active',
        registered_at: at,
      }),
    ClientAppRenamed: ({ stream, data }) => patch(apps, [idOf(stream)], () => ({ name: data.name })),
    ClientAppDisabled: ({ stream }) => patch(apps, [idOf(stream)], () => ({ status: 'disabled' })),
    DomainClaimed: ({ stream, at, data }) => domain(stream, data.domain, 'claimed', at),
    DomainVerified: ({ stream, at, data }) => domain(stream, data.domain, 'verified', at),
    DomainLapsed: ({ stream, at, data }) => domain(stream, data.domain, 'lapsed', at),
    DomainReleased: ({ stream, at, data }) => domain(stream, data.domain, 'released', at),
  },
}

const domain = (stream: string, name: string, status: string, since: string) =>
  upsert(domains, { client_id: idOf(stream), domain: name, status, since }, () => ({ status, since }))

export type ClientAppRow = {
  clientId: string
  name: string
  /** The user who owns it; null for the operator's. */
  owner: string | null
  confidential: boolean
  firstParty: boolean
  development: boolean
  status: 'active' | 'disabled'
  registeredAt: string
}

export const clientAppQueries = (sql: Sql) => ({
  /** All apps, newest first. */
  clientApps: (limit: number): Promise<ClientAppRow[]> => sql<ClientAppRow[]>`
    select client_id as "clientId", name, owner, confidential, first_party as "firstParty", development, status, registered_at as "registeredAt"
    from client_apps order by registered_at desc, client_id limit ${limit}`,

  /** A user's own apps that are active, newest first. */
  clientAppsOwnedBy: (sub: string, limit: number): Promise<ClientAppRow[]> => sql<ClientAppRow[]>`
    select client_id as "clientId", name, owner, confidential, first_party as "firstParty", development, status, registered_at as "registeredAt"
    from client_apps where owner = ${sub} and status = 'active' order by registered_at desc, client_id limit ${limit}`,

  /** Domains of active apps that were proven once, in the order of their keys after one of them. */
  provenDomains: (
    after: { clientId: string; domain: string },
    limit: number,
  ): Promise<{ clientId: string; domain: string }[]> => sql<{ clientId: string; domain: string }[]>`
    select d.client_id as "clientId", d.domain from client_app_domains d join client_apps a using (client_id)
    where (d.client_id, d.domain) > (${after.clientId}, ${after.domain}) and d.status in ('verified', 'lapsed') and a.status = 'active'
    order by d.client_id, d.domain limit ${limit}`,
})
