import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { LogPlace } from '../../adapters/store/base/bytes.ts'
import { eventStoreDbPlace } from '../../adapters/store/client/bytes.ts'
import { embeddedPlace } from '../../adapters/store/node/embedded-bytes.ts'
import { storeName } from '../settings/belonging.ts'
import { BadSetting } from '../settings/setting-kinds.ts'

/**
 * Opens the place that a log is to be copied to: EventStoreDB, or with `file:` the embedded log of another DATA_DIR.
 * Throws BadSetting.
 */
export const openTarget = (to: string, source: LogPlace, mustBeThere: boolean): LogPlace => {
  const file = /^file:(?:\/\/)?(.+)$/.exec(to)?.[1]
  if (file === undefined && !/^(esdb(\+discover)?:\/\/|unix:)/.test(to))
    throw new BadSetting('--to is not a URL that starts with esdb://, esdb+discover://, unix: or file:')
  const place = file === undefined ? undefined : eventLogAt(file)
  const name = place === undefined ? storeName(to) : `file:${place}`
  if (name === source.name) throw new BadSetting(`--to is the log that is to be copied: ${name}`)
  if (place === undefined) return server(to, name)
  if (mustBeThere && !existsSync(place)) throw new BadSetting(`--to: there is no log ${place}`)
  return embeddedPlace(place)
}

const server = (to: string, name: string): LogPlace => {
  try {
    return eventStoreDbPlace(to, name, () => {})
  } catch (error) {
    // The client's message on a string that it cannot read quotes that string, with the password.
    const { message } = error as Error
    throw new BadSetting(`--to cannot be used: ${message.includes('://') ? 'it is no connection string' : message}`)
  }
}

/** A file, or the log in a directory, in a directory that is there. */
const eventLogAt = (path: string): string => {
  const given = resolve(path)
  const file = existsSync(given) && statSync(given).isDirectory() ? join(given, 'events.db') : given
  if (!existsSync(dirname(file))) throw new BadSetting(`--to: there is no directory ${dirname(file)}`)
  return file
}
