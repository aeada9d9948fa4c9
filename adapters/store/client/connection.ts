/** One client of EventStoreDB per process, and the credentials that make it use the safe way to append. */
import { type Credentials, EventStoreDBClient } from '@eventstore/db-client'

export type Connection = {
  readonly client: EventStoreDBClient
  readonly credentials: Credentials
  /** Aborts when the store is closed; nothing is tried again after that. */
  readonly closing: AbortSignal
}

/** Told about retries, lost subscriptions and stalls, so that an operator sees them. */
export type StoreLog = (message: string, details: Readonly<Record<string, unknown>>) => void

/**
 * Reads `esdb://…`, `esdb+discover://…` or `unix:/path.sock`. Throws on anything else, and on TLS without a user: the credentials that
 * every append must carry would be refused there. Connects on first use, not now.
 */
export const openConnection = (text: string, closing: AbortSignal): Connection => {
  if (text.startsWith('unix:'))
    return { client: new EventStoreDBClient({ endpoint: text }, { insecure: true }), credentials: NOBODY, closing }
  const [, user, password] = /^esdb(?:\+discover)?:\/\/(?:([^:/@]+):([^@/]+)@)?/.exec(text) ?? []
  // An append without credentials takes the client's batch path, which has no time limit and mixes up the answers of two clients.
  const credentials =
    user && password ? { username: decodeURIComponent(user), password: decodeURIComponent(password) } : undefined
  if (!credentials && !/[?&]tls=false(&|$)/i.test(text))
    throw new Error('the connection string needs user:password@ before its host, or tls=false')
  if (/[?&]throwOnAppendFailure=false(&|$)/i.test(text))
    throw new Error('throwOnAppendFailure=false is not supported: it reports a wrong revision')
  return { client: EventStoreDBClient.connectionString(text), credentials: credentials ?? NOBODY, closing }
}

/** Never sent: the client drops credentials on a connection without TLS. */
const NOBODY: Credentials = { username: 'nobody', password: 'nobody' }
