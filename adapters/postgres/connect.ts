/**
 * The pool of connections. Every wait on the database has a limit, so that a stuck query cannot hold a request for
 * ever.
 */
import { hasColumn } from '../../projections/engine/schema.ts'
import type { PipedSql } from '../../projections/engine/step.ts'
import { type Connections, openConnections, type Sql as PoolSql, poolOf } from './pool.ts'

export const CONNECT_TIMEOUT_S = 10
/** A longer piece of work, such as rebuilding a read model, raises it for its own transaction. */
const STATEMENT_TIMEOUT_MS = 30_000
const IDLE_IN_TRANSACTION_MS = 60_000
const POOL_MAX_CONNECTIONS = 10
/** Keepalive of the server towards us: a vanished machine's transactions and locks are let go after half a minute. */
export const SERVER_KEEPALIVE = { tcp_keepalives_idle: '10', tcp_keepalives_interval: '5', tcp_keepalives_count: '4' }

export type Sql = PoolSql
export type { PipedSql }

/** `max` connections at most; `schema` is where unqualified names are looked up; `statementMs` limits a statement. */
export type PoolWish = { max?: number; schema?: string; statementMs?: number }

/**
 * A pool on one database. 64-bit integers and numerics come as strings, so no digit is lost; undefined is written as
 * null.
 */
export const connect = (url: string, wish: PoolWish = {}): PipedSql => poolOf(connectionsTo(url, wish))

/** The connections of such a pool. */
export function connectionsTo(url: string, wish: PoolWish = {}): Connections {
  const { max = POOL_MAX_CONNECTIONS, schema, statementMs = STATEMENT_TIMEOUT_MS } = wish
  if (schema !== undefined && !/^[a-z_][a-z0-9_]*$/.test(schema)) throw new Error(`Not a schema name: ${schema}`)
  return openConnections(url, {
    max,
    connect_timeout: CONNECT_TIMEOUT_S,
    // A connection that is lost while the driver asks for these would end the process; nothing here sends a list as a
    // parameter.
    fetch_types: false,
    onnotice: () => {},
    transform: { undefined: null },
    connection: {
      application_name: 'daybook',
      TimeZone: 'UTC',
      // Nobody reads the notices, of which a start has one for each table that is there already.
      client_min_messages: 'warning',
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      ...SERVER_KEEPALIVE,
      ...(schema === undefined ? {} : { search_path: schema }),
    },
  })
}

/**
 * Creates what is missing. `create … if not exists` fails when two processes race, so they take turns. A start does
 * this a dozen times; what is sent as one text is one transaction, and one round trip.
 */
export async function createTables(sql: Sql, statements: string): Promise<void> {
  await sql.unsafe(`select pg_advisory_xact_lock(hashtextextended('daybook tables', 0)); ${statements}`)
}

/**
 * Statements for a table of a former release, which lacks a column; on one that has it they do nothing. It is looked up
 * first, because a change of the table would wait for everybody who reads it.
 */
export const unlessColumn = (table: string, column: string, statements: string): string => `
  do $$ begin
    if not ${hasColumn(table, column)} then
      ${statements}
    end if;
  end $$;
`
