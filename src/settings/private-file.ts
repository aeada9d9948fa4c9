import { chmodSync, renameSync, writeFileSync } from 'node:fs'

/** Writes a small file that its owner alone may read: it is there whole, or as it was before. */
export const writePrivate = (file: string, text: string): void => {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  chmodSync(`${file}.new`, 0o600)
  renameSync(`${file}.new`, file)
}
