import { door } from './sets/door.ts'
import type { BenchSet } from './stage.ts'

/** Every set, in the order in which they run. */
export const sets: readonly BenchSet[] = [door]
