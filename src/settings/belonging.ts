import { followedLog, followedPositions, followLog, type LogName } from '../../adapters/postgres/checkpoints.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { HalfCopy, type LogStore } from '../../adapters/store/base/origin.ts'
import { BadSetting } from './setting-kinds.ts'

/**
 * A database belongs to one log: its checkpoints are positions of that log and mean nothing in another, where events
 * would be skipped or reacted to again in silence. So each is used with the other or not at all.
 */

/**
 * The id that tells the log from every other; undefined while it is empty. Throws BadSetting when it is half a copy.
 */
const identityOf = async (store: LogStore): Promise<string | undefined> =>
  (
    await store.origin().catch((error: unknown) => {
      throw error instanceof HalfCopy ? new BadSetting(error.message) : error
    })
  )?.id

/**
 * Throws BadSetting when the database follows another log. With `claim`, one that follows none yet follows this from
 * now on.
 * @returns false while the log is empty, so that there is nothing to belong to yet
 */
export const mustBelong = async (sql: Sql, store: LogStore, name: string, claim: boolean): Promise<boolean> => {
  const id = await identityOf(store)
  let followed = await followedLog(sql)
  if (!followed) {
    await mustNotBeAhead(sql, store, name)
    if (claim && id !== undefined) followed = await followLog(sql, { id, name })
  }
  if (followed && followed.id !== id) throw new BadSetting(anotherLog(followed, name, id === undefined))
  return id !== undefined
}

/** A database that has noted no log may be an older one, and still belong to another. */
const mustNotBeAhead = async (sql: Sql, store: LogStore, name: string): Promise<void> => {
  const farthest = (await followedPositions(sql)).at(-1) ?? -1n
  if (farthest >= 0n && farthest > (await store.head()))
    throw new BadSetting(
      `the database has come to position ${farthest}, and the log at ${name} ends before: it is not its own`,
    )
}

/** An event store as people know it: without credentials and options. */
export const storeName = (url: string): string => url.replace(/\/\/.*@/, '//').replace(/\/?\?.*$/, '')

const anotherLog = (followed: LogName, name: string, empty: boolean): string =>
  `the database follows the log at ${followed.name}, and the one at ${name} is ${empty ? 'empty' : 'not that one'}: set EVENTSTORE_URL or ` +
  'DATA_DIR to the log it follows, or move it to a copy of that log with daybook migrate'
