import { setSourceMapsSupport } from 'node:module'
import fc from 'fast-check'

/** Properties are tried on the same values every time, so that a run can be repeated; FC_SEED tries others. */
const SEED = 20_261_120

fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? SEED) })

// Ours run as they are written; ava asks for the maps of packages, and then every stack that is made costs the reading
// of some.
setSourceMapsSupport(false)
