import { HASH_BYTES } from './hash.ts'

/** The first place of a log that does not fit its seals. */
export type SealMismatch = {
  /** Index of the event, from 0; where an event is missing, the index that it had. */
  readonly index: number
  /** Its place in the ledger's own order; undefined where the log has ended. */
  readonly order: bigint | undefined
  readonly what: keyof typeof words
  /** When seals are gone as well, only a range is certain: the first wrong event is before this index. */
  readonly before?: number
  /** Index of an earlier event that may be wrong: a seal that nobody vouches for lists another event there. */
  readonly perhaps?: number
}

const words = {
  changed: 'this event is not the one that was sealed here',
  missing: 'an event that was sealed here is missing',
  added: 'this event was not there when the log was sealed',
  swapped: 'this event and the next one have changed places',
  order: 'this event stands behind one that comes after it',
  seal: 'this is not a seal of the events before it by a key that may seal',
  key: 'this key is neither the one that was brought along nor vouched for by the key before it',
  ended: 'the log ends here, although more of it was sealed',
  history: 'a head that was signed before is not one of this log: what it covers was written anew',
} as const

export const wordsFor = ({ what, before, perhaps }: SealMismatch): string => {
  const range = before === undefined ? '' : `, or one after it and before event ${before}`
  return `${words[what]}${range}${perhaps === undefined ? '' : `; look at event ${perhaps} as well`}`
}

/** Compares leaves one after the other; undefined when they are the same. The answer counts from their beginning. */
export const firstDifference = (
  sealed: Buffer,
  found: Buffer,
): { at: number; what: SealMismatch['what'] } | undefined => {
  if (sealed.equals(found)) return undefined
  const leaf = (of: Buffer, at: number) => of.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)
  let at = 0
  while (leaf(sealed, at).equals(leaf(found, at))) at++
  const same = (a: Buffer, b: Buffer) => a.length > 0 && a.equals(b)
  const early = same(leaf(found, at), leaf(sealed, at + 1))
  const late = same(leaf(found, at + 1), leaf(sealed, at))
  if (early && late) return { at, what: 'swapped' }
  if (early || leaf(found, at).length === 0) return { at, what: 'missing' }
  return { at, what: late ? 'added' : 'changed' }
}
