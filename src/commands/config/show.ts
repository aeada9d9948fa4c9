import { columns, type Output } from '../../console/output.ts'
import { configOf } from '../../settings/config.ts'
import type { GivenSettings } from '../../settings/given/given.ts'
import { createReader } from '../../settings/given/reader.ts'
import { type Setting, settings } from '../../settings/given/table.ts'
import { type SettingSource, shownValue, sourceText } from '../../settings/given/veil.ts'

type ShownSetting = {
  readonly name: string
  readonly value: string | null
  readonly source: SettingSource
  text: string
}

/**
 * Shows every setting, also where some of them cannot be used: then it rejects with BadSetting afterwards. Of chains
 * that are not connected people read nothing, programs do.
 */
export const showConfig = async (given: GivenSettings, out: Output): Promise<void> => {
  const { set } = createReader(given.values)
  const shown = settings.map((setting) => shownSetting(setting, set(setting.name), given))
  const connected = (name: string) => given.sources.has(name.replace(/_ID$/, '_RPC'))
  const rows = shown.filter(({ name, source }) => source.from !== 'default' || !/^CHAIN_/.test(name) || connected(name))
  const text = columns([
    ['setting', 'value', 'from'],
    ...rows.map(({ name, text: words, source }) => [name, words, sourceText(name, source)]),
  ])
  await out.tell(
    { settings: shown.map(({ name, value, source }) => jsonOf(name, value, source)), unknown: given.unknown },
    text,
  )
  for (const unknown of given.unknown) out.remark(unknown)
  configOf(given)
}

const shownSetting = (setting: Setting, value: string | undefined, { sources }: GivenSettings): ShownSetting => {
  const { name, without } = setting
  const source = sources.get(name) ?? ({ from: 'default' } as const)
  if (value === undefined) return { name, value: null, source, text: `– (${without})` }
  // What holds where nothing is given stands in the table for everybody to read.
  const veiled = source.from === 'default' ? value : shownValue(setting, value)
  return { name, value: veiled, source, text: veiled }
}

const jsonOf = (name: string, value: string | null, source: SettingSource) => ({
  setting: name,
  value,
  source: source.from,
  file: source.from === 'file' ? source.file : null,
})
