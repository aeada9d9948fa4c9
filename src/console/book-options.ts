import { Option } from 'commander'

/** Options of commands on somebody's books. */

/** The time that says into which period a posting falls. */
export const BY = new Option('--by <time>', 'with --view: when it was recorded, or when its coins were mined').choices([
  'settled',
  'mined',
])
