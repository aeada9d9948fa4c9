import { readSecretFiles } from './secret-files.ts'
import { settings } from './table.ts'
import { unknownNames } from './unknown-names.ts'
import type { SettingSource } from './veil.ts'

type Values = Readonly<Record<string, string | undefined>>

/** The settings as they were given, before anything is read of them. */
export type GivenSettings = {
  /** The value of each, by its name; that of a secret also where it stands in a file. */
  readonly values: Values
  /** Where each value that was given comes from, by its name. */
  readonly sources: ReadonlyMap<string, SettingSource>
  /** A line for each file of a secret that cannot be used. */
  readonly faults: readonly string[]
  /** The names of the secrets whose files cannot be used. */
  readonly unreadable: ReadonlySet<string>
  /** A sentence for each name that looks like a setting and is none. */
  readonly unknown: readonly string[]
}

/** Gathers them from the environment, from the file `.env` below it, and from the files of secrets. */
export const gatherSettings = (environment: Values, envFile: Values = {}): GivenSettings => {
  const given = { ...envFile, ...environment }
  const files = readSecretFiles(given)
  const values: Record<string, string | undefined> = { ...given }
  for (const reading of files) if ('value' in reading) values[reading.name] = reading.value
  const sources = new Map<string, SettingSource>()
  for (const { name } of settings)
    if (given[name]?.trim()) sources.set(name, { from: environment[name] === undefined ? '.env' : 'environment' })
  for (const { name, file, ...reading } of files) if ('value' in reading) sources.set(name, { from: 'file', file })
  const bad = files.flatMap((reading) => ('fault' in reading ? [reading] : []))
  return {
    values,
    sources,
    faults: bad.map(({ fault }) => fault),
    unreadable: new Set(bad.map(({ name }) => name)),
    unknown: unknownNames(given),
  }
}
