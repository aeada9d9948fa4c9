import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { holdFile } from '../../../adapters/exclusive-file.ts'
import { openKeeper } from '../../../adapters/store/mirror/keeper.ts'
import type { Books } from '../../books/books.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import type { MirrorPlace } from '../../engine/mirror.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'
import { world } from '../../settings/world.ts'

/** Sets the mirror aside, whatever is wrong with it, and writes a new one from the log. */
export const rebuildMirror = async (books: Books, config: Config, out: Output): Promise<void> => {
  if (!config.logMirror)
    throw new CommandFailure('the log is not mirrored: LOG_MIRROR is off, as it is for the embedded log')
  const dir = openDataDir(config).mirror
  const { store, bytes } = await books.place()
  const aside = existsSync(dir) ? setAside(dir) : undefined
  const position = await rewriteMirror(books, { dir, store, bytes }, out)
  const kept = aside === undefined ? '' : ` The one before is kept in ${aside}.`
  await out.tell({ dir, position, setAside: aside ?? null }, `The mirror goes to position ${position}.${kept}`)
}

/** Writes the mirror from the log; answers the position that it goes to. */
export const rewriteMirror = async (books: Books, place: MirrorPlace, out: Output): Promise<bigint> => {
  const head = await place.store.head()
  const keeper = await openKeeper(place)
  if (!keeper) throw inUse()
  books.onClose(() => keeper.close())
  const bar = startBar(out, head)
  try {
    await keeper.catchUp(head, { written: (position) => bar.at(position, 'mirror') })
  } finally {
    bar.stop()
  }
  return head
}

/**
 * Renames the mirror, by the time unless a name is given: it may be evidence, so it is not deleted. Answers its new
 * place.
 */
export const setAside = (dir: string, name = timeName()): string => {
  const lock = holdFile(join(dir, 'lock'))
  if (!lock) throw inUse()
  const aside = freeName(`${dir}-${name}`)
  try {
    renameSync(dir, aside)
  } finally {
    lock.release()
  }
  return aside
}

const timeName = (): string =>
  world
    .now()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')

/** A name that is not taken: what was set aside before stays as it is. */
const freeName = (wanted: string): string => {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`
    if (!existsSync(name)) return name
  }
}

const inUse = () => new CommandFailure('the running service writes the mirror: stop it first')
