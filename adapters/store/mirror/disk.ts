/** What the writer of the mirror does to the disk, one step at a time, so that a test can end it after any of them. */
import { constants } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

export type Disk = {
  /** A directory that is its owner's alone; one that is there already is made so. */
  directory(path: string): Promise<void>
  /** For writing anywhere in it; made when it is not there, emptied when `empty`. */
  open(file: string, empty?: boolean): Promise<FileHandle>
  write(file: FileHandle, bytes: Uint8Array, at: number): Promise<void>
  truncate(file: FileHandle, bytes: number): Promise<void>
  /** What was written is durable once this resolves. */
  sync(file: FileHandle): Promise<void>
  /** Durable once this resolves, and at no moment half done. */
  rename(from: string, to: string): Promise<void>
}

export const disk: Disk = {
  directory: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await chmod(path, 0o700)
  },
  open: (file, empty = false) =>
    open(file, constants.O_RDWR | constants.O_CREAT | (empty ? constants.O_TRUNC : 0), 0o600),
  write: async (file, bytes, at) => {
    for (let written = 0; written < bytes.length; )
      written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten
  },
  truncate: (file, bytes) => file.truncate(bytes),
  sync: (file) => file.sync(),
  rename: async (from, to) => {
    await rename(from, to)
    const folder = await open(dirname(to))
    await folder.sync().finally(() => folder.close())
  },
}

/** Puts a small file in place: it is there whole or as it was before. */
export const replaceFile = async (on: Disk, file: string, text: string): Promise<void> => {
  const fresh = await on.open(`${file}.new`, true)
  try {
    await on.write(fresh, Buffer.from(text), 0)
    await on.sync(fresh)
  } finally {
    await fresh.close()
  }
  await on.rename(`${file}.new`, file)
}
