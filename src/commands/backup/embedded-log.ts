import { existsSync, renameSync, rmSync } from 'node:fs'
import type { StoredBytes } from '../../../adapters/store/base/bytes.ts'
import { metaOf } from '../../../adapters/store/base/recorded.ts'
import { openLog } from '../../../adapters/store/node/log.ts'
import type { StoredEvent } from '../../../adapters/store/node/stored-event.ts'
import { BackupRefusal } from '../../backup/refused.ts'

/** Events that are written in one transaction. */
const AT_ONCE = 1_000

/**
 * Writes an embedded log that holds each event at the position that it had, so that nothing which knows a position has
 * to change. The file gets its name once all of it is on the disk.
 */
export const writeEmbeddedLog = async (file: string, events: AsyncIterable<StoredBytes>): Promise<void> => {
  const unfinished = `${file}.unfinished`
  for (const each of [unfinished, `${unfinished}-wal`, `${unfinished}-shm`]) rmSync(each, { force: true })
  const log = openLog(unfinished)
  try {
    let held: StoredEvent[] = []
    for await (const event of events) {
      held.push(storedOf(event))
      if (held.length < AT_ONCE) continue
      log.write(held)
      held = []
    }
    if (held.length > 0) log.write(held)
  } finally {
    log.close()
  }
  if (existsSync(`${unfinished}-wal`)) throw new Error(`${unfinished} was not closed`)
  renameSync(unfinished, file)
}

const storedOf = (event: StoredBytes): StoredEvent => {
  const { stream, id, type, contentType, metadata, data } = event
  const [position, revision] = [Number(event.position), Number(event.revision)]
  if (!Number.isSafeInteger(position)) throw new BackupRefusal('positions_too_large', String(event.position))
  return { position, stream, revision, id, type, contentType, created: timeOf(event), metadata, data }
}

/** In ms since 1970. The store's own note of when it took an event is not kept; that of the ledger is. */
const timeOf = (event: StoredBytes): number => {
  try {
    return Date.parse(metaOf(event).at)
  } catch {
    return 0
  }
}
