/**
 * Connections, each with a driver of its own that is thrown away when the connection is lost. The driver itself would
 * connect again, and then an unfinished transaction could send its ROLLBACK, or its other statements, into somebody
 * else's transaction; or write to the connection that is gone, which ends the process; or give the answer of one query
 * to another (all postgres 3.4.9).
 */
import type postgres from 'postgres'
import type { PipedSql } from '../../projections/engine/step.ts'
import { type Clients, openClients, perform } from './clients.ts'
import { openDriver } from './driver.ts'
import { openPipe } from './pipe.ts'
import { handlerOf, type SqlStatement, statementsOf } from './statements.ts'

export type Sql = postgres.Sql

export type PoolOptions = Omit<postgres.Options<Record<string, never>>, 'max_lifetime' | 'onclose'> & { max: number }

/** Connections to one database, and a driver that makes statements; that one connects only to listen. */
export type Connections = { readonly clients: Clients; readonly maker: Sql }

export const openConnections = (url: string, { max, ...options }: PoolOptions): Connections => ({
  clients: openClients(max, (onclose) => openDriver(url, { ...options, max: 1, max_lifetime: null, onclose })),
  maker: openDriver(url, { ...options, max: 1 }),
})

/**
 * Offers what the house uses of the driver: statements, `unsafe`, `begin`, `listen`, `end`. A connection does one thing
 * at a time, but for statements that are piped.
 */
export const poolOf = ({ clients, maker }: Connections): PipedSql => {
  const send = (statement: SqlStatement) =>
    clients.take({
      use: (client) => void perform(client, statement, client.run).finally(() => clients.giveBack(client)),
      refuse: statement.reject,
    })
  return Object.assign(statementsOf(maker, send), {
    begin: (...given: [string, Work] | [Work]) =>
      given.length === 2 ? begin(clients, ...given) : begin(clients, '', given[0]),
    listen: maker.listen,
    piped: statementsOf(maker, openPipe(clients)) as unknown as postgres.ISql,
    async end(how?: { timeout?: number }) {
      await Promise.all([clients.end(how), maker.end({ timeout: 0 })])
    },
  }) as unknown as PipedSql
}

type Work = (tx: postgres.TransactionSql) => unknown

const begin = async (clients: Clients, mode: string, work: Work): Promise<unknown> => {
  const client = await new Promise<Client>((use, refuse) => clients.take({ use, refuse }))
  try {
    return await client.untilLost(client.driver.begin(mode, (tx) => undisturbed(client, work, tx)))
  } finally {
    clients.giveBack(client)
  }
}

type Client = Parameters<Parameters<Clients['take']>[0]['use']>[0]

/**
 * Runs the work of a transaction, which ends once all its statements have ended and all rows that it streams are taken.
 * Once the connection is lost, the driver must hear no more of the work, since it would send a ROLLBACK; the loss
 * itself tells whoever waits for the transaction.
 */
const undisturbed = async (client: Client, work: Work, tx: postgres.TransactionSql): Promise<unknown> => {
  const run = handlerOf(tx)
  const performed = new Set<Promise<void>>()
  const send = (statement: SqlStatement) => {
    if (client.lost()) return statement.reject(client.lost())
    const performing = perform(client, statement, run).finally(() => performed.delete(performing))
    performed.add(performing)
  }
  try {
    const result = await work(statementsOf(tx, send) as unknown as postgres.TransactionSql)
    await Promise.all(performed)
    if (!client.lost()) return result
  } catch (error) {
    await Promise.all(performed)
    if (!client.lost()) throw error
  }
  return new Promise<never>(() => undefined)
}
