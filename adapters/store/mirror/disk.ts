/** The steps that the writer of the mirror takes on the disk, so that a test can end it after any one of them. */
import { constants } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

export type Disk = {
  /** Makes a directory that only its owner may use; one that is there already is changed to that. */
  directory(path: string): Promise<void>
  /** Opens a file for writing anywhere in it; it is made when it is not there, and emptied when `empty`. */
  open(file: string, empty?: boolean): Promise<FileHandle>
  write(file: FileHandle, bytes: Uint8Array, at: number): Promise<void>
  truncate(file: FileHandle, bytes: number): Promise<void>
  /** Makes what was written durable; it is so once this resolves. */
  sync(file: FileHandle): Promise<void>
  /** Renames a file; the change is durable once this resolves, and at no moment half done. */
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
