/** The driver's statements, and who runs them: each is given to its handler when it is first waited for. */
import type postgres from 'postgres'

export type StatementRunner = (statement: SqlStatement) => void

/** What a statement of the driver (postgres 3.4.9) has besides its types. */
export type SqlStatement = PromiseLike<unknown> & { handler: StatementRunner; reject(error: unknown): void }

type Maker = postgres.Sql | postgres.TransactionSql
type Make = (...args: readonly unknown[]) => unknown

/** The tag and `unsafe` of a driver, with its statements given to `send`; names and fragments are handed through. */
export const statementsOf = (maker: Maker, send: StatementRunner) => {
  const sent = (made: unknown) => {
    if (isStatement(made)) made.handler = send
    return made
  }
  const make = maker as unknown as Make
  const unsafe = maker.unsafe as unknown as Make
  return Object.assign((...args: readonly unknown[]) => sent(make(...args)), {
    unsafe: (...args: readonly unknown[]) => sent(unsafe(...args)),
  })
}

/** How a driver itself runs the statements that it makes. */
export const handlerOf = (maker: Maker): StatementRunner => {
  const made: unknown = maker.unsafe('')
  if (!isStatement(made)) throw new Error('this driver is not the one that the pool was written for')
  return made.handler
}

const isStatement = (made: unknown): made is SqlStatement => made instanceof Promise && 'handler' in made
