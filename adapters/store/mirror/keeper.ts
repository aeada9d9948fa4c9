/** Keeps a mirror up to the log: in one process at a time, and only the mirror of one log. */
import { join } from 'node:path'
import { holdFile } from '../../exclusive-file.ts'
import type { ByteLog } from '../base/bytes.ts'
import type { LogStore } from '../base/origin.ts'
import { type Disk, disk } from './disk.ts'
import { mirrorDifference } from './mirror.ts'
import { idOf } from './mirror-line.ts'
import { BOUNDS, type Bounds, openWriter } from './writer.ts'

export type Keeper = {
  /** Position of the last event that is written. */
  at(): bigint
  /**
   * Writes what the log holds up to the position of an event, durably; or until the signal aborts. `written` is called
   * after each page, and waited for.
   */
  catchUp(until: bigint, pace?: Pace): Promise<void>
  close(): Promise<void>
}

type Pace = { readonly signal?: AbortSignal; written?(position: bigint): unknown }

/** The mirror is that of another log, or goes on otherwise than the log does; it is left as it is. */
export class OtherLog extends Error {
  override readonly name = 'OtherLog'
}

type Source = { readonly dir: string; readonly store: LogStore; readonly bytes: Pick<ByteLog, 'readLines'> }

/**
 * Opens the mirror in a directory for writing, or makes it. Throws OtherLog or MirrorDamage when what is there is not a
 * mirror of this log.
 * @returns undefined while another process writes it
 */
export const openKeeper = async (
  { dir, store, bytes }: Source,
  bounds: Bounds = BOUNDS,
  on: Disk = disk,
): Promise<Keeper | undefined> => {
  await on.directory(dir)
  const lock = holdFile(join(dir, 'lock'))
  if (!lock) return undefined
  try {
    const writer = await openWriter(dir, bounds, on)
    const at = () => writer.end()?.position ?? -1n
    const close = async () => {
      await writer.close()
      lock.release()
    }
    const end = writer.end()
    const difference = end && (await mirrorDifference(store, end))
    if (difference !== undefined) {
      await writer.close()
      throw new OtherLog(difference)
    }
    return { at, close, catchUp: (until, pace = {}) => catchUp({ store, bytes, writer }, until, pace) }
  } catch (error) {
    lock.release()
    throw error
  }
}

type MirrorFill = Pick<Source, 'store' | 'bytes'> & { readonly writer: Awaited<ReturnType<typeof openWriter>> }

const catchUp = async ({ store, bytes, writer }: MirrorFill, until: bigint, { signal, written }: Pace) => {
  const from = writer.end()?.position ?? -1n
  for await (const lines of bytes.readLines(from, until)) {
    const [first] = lines
    if (!first) continue
    const identity = writer.end() ?? { log: idOf(first), origin: (await store.origin())?.id ?? '' }
    await writer.append({ log: identity.log, origin: identity.origin }, lines)
    await written?.(writer.end()?.position ?? from)
    if (signal?.aborted) break
  }
  await writer.flush()
  const at = writer.end()?.position ?? -1n
  if (at < until && !signal?.aborted) throw new Error(`the log was read up to ${at}, though it had come to ${until}`)
}
