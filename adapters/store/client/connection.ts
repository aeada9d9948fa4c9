/** One client of EventStoreDB per process, and the credentials of its calls. */
import { existsSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { type Credentials, EventStoreDBClient } from '@eventstore/db-client'
import type { Channel } from '@grpc/grpc-js'
import { widenChannel } from '../base/receive-window.ts'
import { readConnectionString } from './connection-string.ts'
import { withinTime } from './patience.ts'

export type Connection = {
  readonly client: EventStoreDBClient
  /**
   * Credentials for calls that write: without any, the client's own appends would take its batch path, which has no
   * time limit and mixes up the answers of two clients.
   */
  readonly credentials: Credentials
  /** Credentials for all other calls: the user of the connection string, if it names one. */
  readonly access: { readonly credentials?: Credentials }
  /** Aborts when the store is closed; nothing is tried again after that. */
  readonly closing: AbortSignal
  /** Ends what is open and closes the connection to the server. */
  close(): Promise<void>
}

/** Called for retries, lost subscriptions and stalls, so that an operator sees them. */
export type StoreLog = (message: string, details: Readonly<Record<string, unknown>>) => void

/**
 * Reads `esdb://…`, `esdb+discover://…` or `unix:/path.sock`. Throws on anything else, and on TLS without a user: the
 * credentials that every append must carry would be refused there. Connects on first use, not now.
 */
export const openConnection = (text: string, closing: AbortSignal): Connection => {
  if (text.startsWith('unix:'))
    return connection(new EventStoreDBClient({ endpoint: text }, { insecure: true }), undefined, closing)
  const { address, user, authority } = readConnectionString(text)
  // The client would say that a file is missing, and not which.
  if (authority !== undefined && !existsSync(authority)) throw new Error(`tlsCAFile names no file: ${authority}`)
  return connection(EventStoreDBClient.connectionString(address), user && unprinted(user), closing)
}

const connection = (client: EventStoreDBClient, user: Credentials | undefined, closing: AbortSignal): Connection => {
  const closeChannel = channelOf(heedless(client), closing)
  return {
    client,
    credentials: user ?? NOBODY,
    access: user ? { credentials: user } : {},
    closing,
    close: async () => {
      await withinTime(CLOSE_LIMIT_MS, 'the end of open calls', client.dispose()).catch(() => undefined)
      // A call that was about to be sent would fail on a closed channel, inside the client, where nobody can catch it.
      await turn()
      closeChannel()
    },
  }
}

const CLOSE_LIMIT_MS = 2_000

/** Credentials that are never sent: the client drops credentials on a connection without TLS. */
const NOBODY: Credentials = { username: 'nobody', password: 'nobody' }

/** The client prints the options of its calls when DEBUG is set; what cannot be enumerated is left out there. */
const unprinted = ({ username, password }: Credentials): Credentials =>
  Object.defineProperty({ username } as Credentials, 'password', { value: password })

/** The client's own methods, which it does not export. */
type ClientInternals = {
  resolveUri(): Promise<string>
  createChannel(): Promise<Channel>
  handleError(client: unknown, error: Error): Promise<void>
}

/**
 * The client can end its calls but never its connection, which would hold up a server that shuts down; so its channel
 * is kept in sight. Answers the function that closes it.
 */
const channelOf = (client: EventStoreDBClient, closing: AbortSignal): (() => void) => {
  const inside = client as unknown as ClientInternals
  const { resolveUri, createChannel } = inside
  let newest: Channel | undefined
  // A search for the server may end after the store was closed; a channel made then would be closed by nobody.
  inside.resolveUri = async () => {
    const uri = await resolveUri()
    closing.throwIfAborted()
    return uri
  }
  inside.createChannel = async () => {
    newest = await createChannel()
    widenChannel(newest)
    return newest
  }
  return () => newest?.close()
}

/**
 * When a call fails while the client looks for its cluster, the client waits for the outcome in a promise that nobody
 * handles; a cluster that is not found would then end the process. Whoever asked for the cluster still gets the error.
 */
const heedless = (client: EventStoreDBClient): EventStoreDBClient => {
  const inside = client as unknown as ClientInternals
  const handle = inside.handleError
  inside.handleError = (failed, error) => handle(failed, error).catch(() => undefined)
  return client
}
