import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { holdFile } from '../../../adapters/exclusive-file.ts'
import { openKeeper } from '../../../adapters/store/mirror/keeper.ts'
import type { Books } from '../../books.ts'
import type { Config } from '../../config.ts'
import { openDataDir } from '../../data-dir.ts'
import { world } from '../../world.ts'
import { Failed } from '../failures.ts'
import type { Output } from '../output.ts'
import { startBar } from '../progress.ts'

/** Sets the mirror aside, whatever is wrong with it, and writes a new one from the log. */
export const rebuildMirror = async (books: Books, config: Config, out: Output): Promise<void> => {
  if (!config.logMirror) throw new Failed('the log is not mirrored: LOG_MIRROR is off, as it is for the embedded log')
  const dir = openDataDir(config).mirror
  const { store, bytes } = await books.place()
  const head = await store.head()
  const aside = existsSync(dir) ? setAside(dir) : undefined
  const keeper = await openKeeper({ dir, store, bytes })
  if (!keeper) throw inUse()
  books.onClose(() => keeper.close())
  const bar = startBar(out, head)
  try {
    await keeper.catchUp(head, { written: (position) => bar.at(position, 'mirror') })
  } finally {
    bar.stop()
  }
  const kept = aside === undefined ? '' : ` The one before is kept in ${aside}.`
  await out.tell({ dir, position: head, setAside: aside ?? null }, `The mirror goes to position ${head}.${kept}`)
}

/** It may be evidence, so it is not deleted. */
const setAside = (dir: string): string => {
  const lock = holdFile(join(dir, 'lock'))
  if (!lock) throw inUse()
  const aside = `${dir}-${world
    .now()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, '')}`
  try {
    renameSync(dir, aside)
  } finally {
    lock.release()
  }
  return aside
}

const inUse = () => new Failed('the running service writes the mirror: stop it first')
