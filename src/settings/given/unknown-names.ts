import { nearestName } from '../../../domain/kernel/nearest.ts'
import { fileSetting, settingOf, settings } from './table.ts'

/** Names that look like settings of Daybook and are none: a misspelled one would be passed over in silence. */

/** Beginnings that no other program's names have. */
const FAMILIES = [
  'CHAIN_',
  'RATES_',
  'RELAY_',
  'RELAYER_',
  'CUSTOM_NETWORK_',
  'KEY_RATE_',
  'ADDRESS_RATE_',
  'VISITOR_RATE_',
  'CLIENT_RATE_',
  'STRANGER_',
  'PLATFORM_WALLET',
  'SECOND_VOICE_',
  'TIMESTAMP_',
  'COSIGN_',
  'WITNESS',
]
/** Shorter names are like too many others. */
const LENGTH_MIN = 5
/** More letters are wrong in names of other programs alone. */
const MISTAKES_MAX = 2
/** A name of ours in front of which somebody wrote the product's. */
const OWN_PREFIX = 'DAYBOOK_'

const NAMES = settings.flatMap(({ name, secret }) => (secret ? [name, fileSetting(name)] : [name]))
const KNOWN: ReadonlySet<string> = new Set(NAMES)

type Values = Readonly<Record<string, string | undefined>>

/** A sentence for each name that is nearly one of ours, or begins like some of ours. Others are passed over. */
export const unknownNames = (values: Values): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    if (KNOWN.has(name) || !value?.trim() || isOfKubernetes(name, value)) return []
    const said = wordsFor(name)
    return said === undefined ? [] : [`${name} is no setting of Daybook, and is passed over: ${said}`]
  })

const wordsFor = (name: string): string | undefined => {
  const upper = name.toUpperCase()
  if (upper.startsWith(OWN_PREFIX)) return prefixed(upper.slice(OWN_PREFIX.length))
  const plain = upper.endsWith('_FILE') ? upper.slice(0, -'_FILE'.length) : undefined
  if (plain !== undefined && settingOf(plain)) return `only secrets may stand in files; set ${plain} itself`
  if (upper.length < LENGTH_MIN) return undefined
  const family = FAMILIES.find((beginning) => upper.startsWith(beginning))
  const near = nearestName(upper, NAMES, family ? undefined : MISTAKES_MAX)
  if (near !== undefined) return `set ${near}, if that was meant, or leave it out`
  return family && `see .env.example for those that begin with ${family}, or leave it out`
}

const prefixed = (name: string): string | undefined => {
  const near = KNOWN.has(name) ? name : nearestName(name, NAMES, MISTAKES_MAX)
  return near && `settings have no prefix; set ${near}, if that was meant`
}

/** It tells each container of each service that it runs, as in DAYBOOK_PORT=tcp://10.0.0.1:4020. */
const isOfKubernetes = (name: string, value: string): boolean =>
  /^(tcp|udp|sctp):\/\//.test(value) || /_SERVICE_(HOST|PORT)/.test(name)
