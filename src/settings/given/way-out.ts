import { createReader } from './reader.ts'
import { fileSetting, settingOf } from './table.ts'
import type { SettingSource } from './veil.ts'

type Values = Readonly<Record<string, string | undefined>>

/**
 * What to do about a value that its setting does not take; `needed` where the setting cannot be left out. The values
 * are those that are of use, without it.
 */
export const wayOut = (name: string, values: Values, needed: boolean): string => {
  const setting = settingOf(name)
  if (!setting) return ''
  const { set } = createReader(values)
  const standard = set(name)
  const correct = `Correct it, as in ${name}=${setting.example ?? standard}`
  if (needed) return `${correct}.`
  return standard === undefined
    ? `${correct}, or leave it out: then ${setting.without}.`
    : `${correct}, or leave it out: it is ${standard} then.`
}

/** Where a value was found, if that is not where its name says. */
export const foundIn = (name: string, source: SettingSource | undefined): string =>
  source?.from === 'file' ? ` (read from ${source.file}, which ${fileSetting(name)} names)` : ''
