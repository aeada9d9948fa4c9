import { append } from './sets/append.ts'
import { asOf } from './sets/as-of.ts'
import { audit } from './sets/audit.ts'
import { crowd } from './sets/crowd.ts'
import { csv } from './sets/csv.ts'
import { dashboard } from './sets/dashboard.ts'
import { debits } from './sets/debits.ts'
import { door } from './sets/door.ts'
import { eventstoredb } from './sets/eventstoredb.ts'
import { exported } from './sets/export.ts'
import { growth } from './sets/growth.ts'
import { lists } from './sets/lists.ts'
import { mirror } from './sets/mirror.ts'
import { paid } from './sets/paid.ts'
import { processes } from './sets/processes.ts'
import { projection } from './sets/projection.ts'
import { signIn } from './sets/sign-in.ts'
import { start } from './sets/start.ts'
import { verify } from './sets/verify.ts'
import { views } from './sets/views.ts'
import { watch } from './sets/watch.ts'
import { webhooks } from './sets/webhooks.ts'
import type { BenchSet } from './stage.ts'

/** Every set, in the order in which they run. */
export const sets: readonly BenchSet[] = [
  append,
  eventstoredb,
  mirror,
  projection,
  door,
  crowd,
  lists,
  dashboard,
  csv,
  exported,
  views,
  asOf,
  audit,
  webhooks,
  paid,
  verify,
  watch,
  signIn,
  start,
  debits,
  growth,
  processes,
]
