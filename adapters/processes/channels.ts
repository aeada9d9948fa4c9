/** What the processes of one database tell each other, by channels of PostgreSQL on one connection of each process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createGathering } from '../../projections/engine/gathering.ts'
import type { Sql } from '../postgres/connect.ts'
import { answerOf, openWatchedSession, type WatchedSession } from '../postgres/watched-session.ts'

export type Channels = {
  /** Calls the listener from now on, and answers how to end that. One's own messages come, too. */
  listen(channel: string, listener: ChannelListener): () => void
  /** Resolves once the message is told; rejects when nobody knows whether it is. */
  tell(channel: string, message: string): Promise<void>
  /**
   * Runs a statement on the connection that listens: a process that is answered there hears the others as well. Rejects
   * while there is no connection, and when the answer takes too long.
   */
  ask<T>(statement: (sql: Sql) => PromiseLike<T>): Promise<T>
  close(): Promise<void>
}

type ChannelListener = {
  heard(message: string): void
  /** Called each time that listening has begun: what was told before that is unknown. */
  renewed?(): void
}

/** Bytes of a message; PostgreSQL takes fewer than 8,000. */
const MESSAGE_MAX_BYTES = 7_999
/** Milliseconds after which a lost connection is opened again. */
const REOPEN_AFTER_MS = 500

/** Opens the connection, which must reach the server itself, not a transaction pooler; a lost one is opened again. */
export const openChannels = (url: string): Channels => {
  const closing = new AbortController()
  const listeners = new Map<string, Set<ChannelListener>>()
  let current: WatchedSession | undefined

  const heard = (channel: string, message: string) => {
    for (const listener of listeners.get(channel) ?? [])
      try {
        listener.heard(message)
      } catch {
        // A message that nobody here understands, as of another release, must not end the process.
      }
  }
  const begin = async (session: WatchedSession, channel: string) => {
    await answerOf(session.sql`listen ${session.sql(channel)}`).catch(session.drop)
    if (!session.lost.aborted) for (const { renewed } of listeners.get(channel) ?? []) renewed?.()
  }
  const keeping = keepSession(url, closing.signal, heard, async (session) => {
    current = session
    for (const channel of listeners.keys()) await begin(session, channel)
  })
  const session = () => {
    if (!current?.isHeld()) throw new Error('there is no connection to Postgres that listens')
    return current
  }
  const ask = async <T>(statement: (sql: Sql) => PromiseLike<T>) => {
    const { sql, drop } = session()
    return answerOf(statement(sql)).catch(async (error: unknown) => {
      // What the server says of a statement leaves the connection as it was.
      if ((error as { severity?: unknown }).severity !== 'ERROR') await drop()
      throw error
    })
  }
  const messages = createGathering(0, async (all: readonly Message[]) => {
    await ask(
      (sql) => sql`
        select pg_notify(channel, message)
        from json_to_recordset(${JSON.stringify(all)}::text::json) as given (channel text, message text)`,
    )
    return []
  })

  return {
    listen(channel, listener) {
      const those = listeners.get(channel) ?? new Set()
      const first = those.size === 0
      listeners.set(channel, those.add(listener))
      if (first && current) void begin(current, channel)
      else if (current && !current.lost.aborted) listener.renewed?.()
      return () => those.delete(listener)
    },
    async tell(channel, message) {
      if (Buffer.byteLength(message) > MESSAGE_MAX_BYTES)
        throw new RangeError(`a message has at most ${MESSAGE_MAX_BYTES} bytes`)
      return messages.soon({ channel, message })
    },
    ask,
    async close() {
      closing.abort()
      await current?.drop()
      await keeping
    },
  }
}

type Message = { readonly channel: string; readonly message: string }

/** One session at a time: the next is opened when the last is known to be lost. */
const keepSession = async (
  url: string,
  signal: AbortSignal,
  heard: (channel: string, message: string) => void,
  opened: (session: WatchedSession) => Promise<void>,
) => {
  while (!signal.aborted) {
    const session = await openWatchedSession(url, 'daybook processes', heard).catch(() => undefined)
    if (session) {
      if (signal.aborted) return session.drop()
      await opened(session)
      await aborted(session.lost)
    }
    await sleep(REOPEN_AFTER_MS, undefined, { signal }).catch(() => {})
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
