import { createReader, type SettingReader } from './given/reader.ts'
import { BadSetting, BadValue } from './setting-kinds.ts'

type Values = Readonly<Record<string, string | undefined>>

/** The name of the setting that a fault begins with. */
const NAME = /^[A-Z][A-Z0-9_]*/

type Search = {
  readonly values: Values
  /** The settings that are known to be of no use, so that nothing follows from their absence. */
  readonly refused: ReadonlySet<string>
  /** Faults that were found before. */
  readonly others: readonly string[]
  /** What is said after a fault that tells of a value alone; the values are those of use that are left. */
  wayOut(name: string, left: Values): string
}

/**
 * What a reading of the settings gives. Throws BadSetting with all that is wrong, `others` among it: a setting that
 * cannot be used is left out, and the rest is read again, until nothing more is found.
 */
export const collectFaults = <T>(search: Search, read: (reader: SettingReader) => T): T => {
  const { values, refused, others, wayOut } = search
  const faults: string[] = []
  const all = () => new BadSetting([...new Set([...others, ...faults])].join('\n'))
  const faulty = new Set(refused)
  for (let left = values; ; ) {
    const found = attempt(() => read(createReader(left, faulty)))
    if ('value' in found) {
      if (faults.length + others.length > 0) throw all()
      return found.value
    }
    const { message } = found.fault
    const name = NAME.exec(message)?.[0] ?? ''
    const before = left
    left = { ...left, [name]: undefined }
    faults.push(found.fault instanceof BadValue ? `${message}. ${wayOut(name, left)}` : message)
    // A fault that no setting can be left out for ends the search.
    if (before[name] === undefined) throw all()
    faulty.add(name)
  }
}

const attempt = <T>(read: () => T): { readonly value: T } | { readonly fault: BadSetting } => {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof BadSetting) return { fault: error }
    throw error
  }
}
