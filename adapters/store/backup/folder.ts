/** Backups in a directory: each is a folder of its own, which gets its name once all of it is on the disk. */
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackupPlace, type BackupWriter, isBackupName, MANIFEST, MANIFEST_BYTES_MAX } from './place.ts'

/** What a backup is called while it is written. */
const UNFINISHED = '.unfinished'
/** What was left by a backup that was killed is thrown away by the next one after this time, in milliseconds. */
const LEFT_AFTER_MS = 86_400_000

/** The directory is made with the first backup. */
export const folderPlace = (dir: string): BackupPlace => ({
  name: dir,
  async list() {
    if (!existsSync(dir)) return []
    const names = (await readdir(dir)).filter(isBackupName)
    return names.filter((name) => existsSync(join(dir, name, MANIFEST))).sort()
  },
  async manifest(backup) {
    const file = join(dir, backup, MANIFEST)
    if (!existsSync(file) || (await stat(file)).size > MANIFEST_BYTES_MAX) return undefined
    return readFile(file, 'utf8')
  },
  async read(backup, file) {
    const path = join(dir, backup, file)
    return existsSync(path) ? createReadStream(path) : undefined
  },
  begin: (backup) => begin(dir, backup),
  async remove(backup) {
    // It is no backup any more before the first of its files goes away.
    const going = join(dir, `${backup}${UNFINISHED}`)
    await rename(join(dir, backup), going)
    await rm(going, { recursive: true })
  },
})

const begin = async (dir: string, backup: string): Promise<BackupWriter> => {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await removeLeft(dir)
  const unfinished = join(dir, `${backup}${UNFINISHED}`)
  await mkdir(unfinished, { mode: 0o700 })
  const write = async (file: string, pieces: AsyncIterable<Uint8Array>): Promise<void> => {
    const opened = await open(join(unfinished, file), 'wx', 0o600)
    try {
      for await (const piece of pieces) await opened.writeFile(piece)
      await opened.sync()
    } finally {
      await opened.close()
    }
  }
  return {
    write,
    async finish(manifest) {
      await write(MANIFEST, once(Buffer.from(manifest)))
      await syncFolder(unfinished)
      await rename(unfinished, join(dir, backup))
      await syncFolder(dir)
    },
    abandon: () => rm(unfinished, { recursive: true, force: true }),
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const removeLeft = async (dir: string): Promise<void> => {
  for (const name of await readdir(dir)) {
    if (!name.endsWith(UNFINISHED) || !isBackupName(name.slice(0, -UNFINISHED.length))) continue
    const path = join(dir, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > LEFT_AFTER_MS) await rm(path, { recursive: true, force: true })
  }
}

/** Makes the names in a directory durable. */
const syncFolder = async (dir: string): Promise<void> => {
  const opened = await open(dir, 'r')
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}
