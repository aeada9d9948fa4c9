/**
 * Short statements that share a connection: each is sent while those before it are under way, and PostgreSQL takes one
 * after the other. Many connections for them would cost a wake-up of a server process each, and of this one with every
 * answer.
 */
import { type Clients, type PooledClient, perform, tooManyWait, WAITING_MAX } from './clients.ts'
import type { SqlStatement } from './statements.ts'

/** A connection with the statements that are under way on it. */
type Pipe = { readonly client: PooledClient; underWay: number; answeredAt: number }

/** Statements under way on one connection at most. */
const UNDER_WAY_MAX = 50
/** Milliseconds without an answer after which nothing more is sent after a statement that may wait for a lock. */
const PATIENCE_MS = 100

/** Answers how to send a statement that is no part of a transaction, and streams nothing. */
export const openPipe = (clients: Clients) => {
  let pipe: Pipe | undefined
  const waiting: SqlStatement[] = []

  const send = (to: Pipe, statement: SqlStatement) => {
    to.underWay++
    perform(to.client, statement, to.client.run).finally(() => {
      to.underWay--
      to.answeredAt = performance.now()
      if (to.underWay > 0) return
      if (pipe === to) pipe = undefined
      clients.giveBack(to.client)
    })
  }
  const take = () =>
    clients.take({
      use(client) {
        const taken = { client, underWay: 0, answeredAt: performance.now() }
        pipe = taken
        for (const statement of waiting.splice(0, UNDER_WAY_MAX)) send(taken, statement)
        if (waiting.length > 0) take()
      },
      refuse(error) {
        for (const statement of waiting.splice(0)) statement.reject(error)
      },
    })
  return (statement: SqlStatement): void => {
    if (pipe && hasRoom(pipe)) send(pipe, statement)
    else if (waiting.length >= WAITING_MAX) statement.reject(tooManyWait())
    else {
      pipe = undefined
      waiting.push(statement)
      if (waiting.length === 1) take()
    }
  }
}

const hasRoom = ({ client, underWay, answeredAt }: Pipe): boolean =>
  client.lost() === undefined && underWay < UNDER_WAY_MAX && performance.now() - answeredAt < PATIENCE_MS
