/** The connections and who has them: a bounded number, taken in turn, and never used again once they are lost. */
import { Readable } from 'node:stream'
import type postgres from 'postgres'
import { handlerOf, type SqlStatement, type StatementRunner } from './statements.ts'

/** One connection and its driver. */
export type PooledClient = {
  readonly driver: postgres.Sql
  readonly run: StatementRunner
  readonly underWay: Set<SqlStatement>
  /** Why the connection cannot be used any more; undefined while it can. */
  lost(): Error | undefined
  /** Settles as the work does, or rejects with the loss if that comes first; nothing of the work is kept afterwards. */
  untilLost<T>(work: Promise<T>): Promise<T>
  lose(error: Error): void
  /** Whether it should be replaced when it is free. */
  old(): boolean
}

/** What waits for a connection. */
export type Turn = { use(client: PooledClient): void; refuse(error: Error): void }

export type Clients = {
  /** Gives a connection that is the taker's alone until it is given back. */
  take(turn: Turn): void
  giveBack(client: PooledClient): void
  end(how: { timeout?: number } | undefined): Promise<void>
}

/** Statements and transactions that may wait for a connection; above it they are refused at once. */
export const WAITING_MAX = 10_000
/**
 * Milliseconds after which a connection is replaced, so that the server's memory for it is let go; give or take a half.
 */
const LIFETIME_MS = 2_700_000

/**
 * Holds at most `max` connections; `connect` makes a driver with one of them, and calls `onclose` when it is closed.
 */
export const openClients = (max: number, connect: (onclose: () => void) => postgres.Sql): Clients => {
  const all = new Set<PooledClient>()
  const idle: PooledClient[] = []
  const waiting: Turn[] = []
  let ended = false

  const forget = (client: PooledClient) => {
    all.delete(client)
    const at = idle.indexOf(client)
    if (at !== -1) idle.splice(at, 1)
    next()
  }
  const free = (): PooledClient | undefined => {
    const known = idle.pop()
    if (known || all.size >= max) return known
    const client = openClient(connect, () => forget(client))
    all.add(client)
    return client
  }
  const next = () => {
    while (waiting.length > 0) {
      const client = free()
      if (!client) return
      waiting.shift()?.use(client)
    }
  }
  return {
    take(turn) {
      if (ended) return turn.refuse(poolEnded())
      if (waiting.length >= WAITING_MAX) return turn.refuse(tooManyWait())
      waiting.push(turn)
      next()
    },
    giveBack(client) {
      if (client.lost() || ended) return
      if (client.old()) return client.lose(connectionError('CONNECTION_ENDED', 'the connection was replaced'))
      idle.push(client)
      next()
    },
    async end(how) {
      ended = true
      for (const turn of waiting.splice(0)) turn.refuse(poolEnded())
      await Promise.all([...all].map((client) => client.driver.end(how)))
    },
  }
}

/** Sends a statement; resolves when the connection is free of it, however it ended. */
export const perform = async (client: PooledClient, statement: SqlStatement, run: StatementRunner): Promise<void> => {
  client.underWay.add(statement)
  statement.handler = run
  run(statement)
  try {
    const result = await statement
    // Rows that are streamed hold the connection until they are taken.
    if (result instanceof Readable) await taken(client, result)
  } catch (error) {
    if (isLoss(error)) client.lose(error as Error)
  } finally {
    client.underWay.delete(statement)
  }
}

/**
 * Waits until streamed rows are taken. The driver stops reading the socket while a reader is slow, and goes on only
 * when it is asked for more (postgres 3.4.9). When the last rows came meanwhile, nobody asks again, so it is asked once
 * more here. Rows that a reader left behind would come before the next answer, so their connection is lost.
 */
const taken = async (client: PooledClient, rows: Readable): Promise<void> => {
  await new Promise((resolve) => rows.once('close', resolve))
  if (rows.readableEnded) rows._read(0)
  else client.lose(connectionError('CONNECTION_CLOSED', 'the rows were not read to their end'))
}

/** Whether an error loses the connection: only what the server says of a statement leaves it as it was. */
const isLoss = (error: unknown): boolean => (error as { severity?: unknown }).severity !== 'ERROR'

const openClient = (connect: (onclose: () => void) => postgres.Sql, forget: () => void): PooledClient => {
  // A promise of the loss would keep whatever was ever raced with it, for as long as the connection lives.
  const waiting = new Set<(error: Error) => void>()
  let lost: Error | undefined
  const underWay = new Set<SqlStatement>()
  const lose = (error: Error) => {
    if (lost) return
    lost = error
    // The driver forgets some of what was under way.
    for (const statement of underWay) statement.reject(error)
    for (const refuse of waiting) refuse(error)
    driver.end({ timeout: 0 }).catch(() => undefined)
    forget()
  }
  const driver = connect(() => lose(connectionError('CONNECTION_CLOSED', 'the connection to Postgres was lost')))
  const until = performance.now() + LIFETIME_MS * (0.5 + Math.random())
  return {
    driver,
    run: handlerOf(driver),
    underWay,
    lost: () => lost,
    untilLost: (work) =>
      new Promise((resolve, reject) => {
        if (lost) reject(lost)
        waiting.add(reject)
        work.then(resolve, reject).finally(() => waiting.delete(reject))
      }),
    lose,
    old: () => performance.now() > until,
  }
}

export const poolEnded = (): Error => connectionError('CONNECTION_ENDED', 'the pool was ended')

export const tooManyWait = (): Error =>
  connectionError('CONNECTIONS_BUSY', `more than ${WAITING_MAX} calls wait for Postgres`)

/** An error with a code, as the driver's own errors have. */
const connectionError = (code: string, message: string): Error => Object.assign(new Error(message), { code })
