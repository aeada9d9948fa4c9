import { readFileSync, statSync } from 'node:fs'
import { fileSetting, settings } from './table.ts'

/** Secrets that stand in files of their own, as systems hand them to a service: `MASTER_KEY_FILE=/run/secrets/key`. */

type Values = Readonly<Record<string, string | undefined>>

/** The value of a setting, or why there is none; `name` is that of the secret. */
type FileReading = { readonly name: string; readonly file: string } & (
  | { readonly value: string }
  | { readonly fault: string }
)

/** Bytes of a file; the longest secret is a list of some URLs. */
const FILE_BYTES_MAX = 65_536

/**
 * Reads the file of each secret for which one is named. Each that cannot be used is told with the names of both
 * settings, and never with what is in it.
 */
export const readSecretFiles = (values: Values): readonly FileReading[] =>
  settings.flatMap(({ name, secret }) => {
    const file = secret && (values[fileSetting(name)]?.trim() || undefined)
    if (!file) return []
    if (values[name]?.trim()) return [{ name, file, fault: `${fileSetting(name)} ${BOTH(name)}` }]
    return [{ name, file, ...contentOf(fileSetting(name), file) }]
  })

const BOTH = (name: string) => `and ${name} are both set, and only one of them can count: leave one of them out`

const contentOf = (setting: string, file: string): { readonly value: string } | { readonly fault: string } => {
  const fault = (what: string, wayOut: string) => ({ fault: `${setting} names ${file}, ${what}: ${wayOut}` })
  try {
    const { size, isFile } = sizeOf(file)
    if (!isFile) return fault('which is no file', 'name the file that holds the value and nothing else')
    if (size > FILE_BYTES_MAX)
      return fault(`which has more than ${FILE_BYTES_MAX} bytes`, 'name the file that holds the value and nothing else')
    const value = textIn(file).replace(/\r?\n$/, '')
    if (value.trim() === '') return fault('which is empty', 'write the value into it, or leave the setting out')
    if (/[\r\n]/.test(value)) return fault('which has several lines', 'leave the value alone in it, on one line')
    return { value }
  } catch (error) {
    const { code = String((error as Error).message) } = error as NodeJS.ErrnoException
    return fault(`which cannot be read (${code})`, REMEDIES[code] ?? 'name one that this user can read')
  }
}

const sizeOf = (file: string) => {
  const found = statSync(file)
  return { size: found.size, isFile: found.isFile() }
}

const textIn = (file: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    throw error instanceof TypeError ? new Error('it is not UTF-8') : error
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; make it, or correct the path',
  ENOTDIR: 'there is no such folder; correct the path',
  EACCES: 'let the user who runs Daybook read it',
  'it is not UTF-8': 'write the value into it as text',
}
