/**
 * How stored events of an older shape become events of today. A stored event is never edited; it is brought forward
 * when read.
 */

type Upcast = (data: never) => object

/**
 * `Type@v` is the shape that was stored; the function answers the shape of v + 1. The newest version of a type is one
 * above its last entry.
 */
const upcasts: Readonly<Record<string, Upcast>> = {}

/** The version that new events of a type are stored under. */
export const versionOf = (type: string, table = upcasts): number => {
  let v = 1
  while (table[`${type}@${v}`]) v++
  return v
}

/** Brings an event of any stored version to the newest shape. */
export const upcast = (type: string, v: number, data: object, table = upcasts): object => {
  let current = data
  for (let at = v; table[`${type}@${at}`]; at++) current = (table[`${type}@${at}`] as (d: object) => object)(current)
  return current
}
