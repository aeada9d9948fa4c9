import { Option } from 'commander'
import { zoneArgument } from './zoned-times.ts'

/** Options of commands on somebody's books. */

/** The time that says into which period a posting falls. */
export const BY = new Option('--by <time>', 'with --view: when it was recorded, or when its coins were mined').choices([
  'settled',
  'mined',
])

/** The clocks by which days and times are read and shown. */
export const ZONE = new Option(
  '--zone <IANA zone>',
  'days and times are those of this zone (Europe/Berlin); UTC unless given',
).argParser(zoneArgument)
