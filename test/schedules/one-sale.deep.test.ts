import test from 'ava'
import { type Place, selling } from './one-signature.ts'
import { holds } from './proving.ts'

/** The same as in one-sale.test.ts, where a process may die as well as be overtaken. */

const BOTH = { preemptions: 1, crashes: 1 }
const PAIRS: readonly (readonly [Place, Place])[] = [
  ['door', 'other door'],
  ['door', 'cart'],
  ['elsewhere', 'other store'],
]

for (const [one, other] of PAIRS)
  test(`N-42 X-IDEM-04 a signature that is sent to ${one} and ${other} at once, in two processes that may die, is one sale`, (t) =>
    holds(t, selling({ A: [one], B: [other] }), 900, BOTH))
