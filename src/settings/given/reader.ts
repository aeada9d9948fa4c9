import { type SettingValue, settingOf } from './table.ts'

type Values = Readonly<Record<string, string | undefined>>

/** The settings as they are read: each as it was given, else what holds where it is left out. */
export type SettingReader = {
  /** Undefined for a setting that was not given and has nothing that holds in its place. */
  set(name: string): string | undefined
  /** The value of a setting that always has one. */
  value(name: string): string
  /** Whether it was given, so that its value is not what holds where it is left out. */
  isGiven(name: string): boolean
  /** Whether it was given and could not be used: then nothing follows from its absence. */
  wasRefused(name: string): boolean
}

const NONE: ReadonlySet<string> = new Set()

/** A reader of these values. It throws an Error on a name that no row of the table has: that is a fault of the code. */
export const createReader = (values: Values, refused: ReadonlySet<string> = NONE): SettingReader => {
  const given: SettingValue = (name) => values[name]?.trim() || undefined
  const set = (name: string): string | undefined => {
    const setting = settingOf(name)
    if (!setting) throw new Error(`${name} has no row in src/settings/given/table.ts`)
    const { standard } = setting
    return given(name) ?? (typeof standard === 'function' ? standard(given) : standard)
  }
  return {
    set,
    value(name) {
      const value = set(name)
      if (value === undefined) throw new Error(`${name} may be left out and has no value then`)
      return value
    },
    isGiven: (name) => given(name) !== undefined,
    wasRefused: (name) => refused.has(name),
  }
}
