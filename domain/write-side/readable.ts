/**
 * Tells which events the ledger can read: those of its own streams, of a type and a version that it knows, with every
 * field.
 */
import { categoryOf } from '../kernel/decider.ts'
import fields from './event-fields.json' with { type: 'json' }
import { upcast, versionOf } from './upcasts.ts'

/** How a store tells the events of the ledger from others. */
export type EventRules = {
  /** Whether events can be set aside here. */
  readonly quarantine: boolean
  /** Whether a stream is another program's. */
  isForeign(stream: string): boolean
  /** Brings an event forward to its newest shape, or answers why the ledger cannot read it. */
  read(event: StoredEvent): { readonly data: object } | { readonly fault: string }
}

/** An event as it is stored; `v` is the version that its metadata says. */
type StoredEvent = { readonly stream: string; readonly type: string; readonly v: number; readonly data: object }

/** By the category of its stream and its type, the fields that an event has in its newest version. */
const required: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> = new Map(
  Object.entries(fields).map(([category, types]) => [category, fieldsByType(types)]),
)

/** The newest version of each type. */
export const newestVersions: ReadonlyMap<string, number> = new Map(
  [...required.values()].flatMap((types) => [...types.keys()]).map((type) => [type, versionOf(type)]),
)

export const ledgerRules: EventRules = {
  quarantine: true,
  isForeign: (stream) => !required.has(categoryOf(stream)),
  read: ({ stream, type, v, data }) => {
    const last = newestVersions.get(type)
    const names = required.get(categoryOf(stream))?.get(type)
    if (last === undefined || names === undefined)
      return { fault: `this Daybook knows no ${type} in a stream of ${categoryOf(stream)}` }
    if (!Number.isInteger(v) || v < 1 || v > last)
      return { fault: `it is of version ${v}, and this Daybook knows ${type} up to version ${last}` }
    const shape = v === last ? data : upcastSafely(type, v, data)
    if (typeof shape === 'string') return { fault: shape }
    for (const name of names) if (!Object.hasOwn(shape, name)) return { fault: `it has no ${name}` }
    return { data: shape }
  },
}

/** The rules of a store that holds whatever is written to it. */
export const anyEvent: EventRules = {
  quarantine: false,
  isForeign: () => false,
  read: ({ type, v, data }) => ({ data: upcast(type, v, data) }),
}

/** Answers in words what an upcast of foreign data fails at. */
const upcastSafely = (type: string, v: number, data: object): object | string => {
  try {
    return upcast(type, v, data)
  } catch (error) {
    return `it cannot be brought forward from version ${v}: ${error instanceof Error ? error.message : String(error)}`
  }
}

function fieldsByType(types: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(types).map(([type, names]) => [type, names === '' ? [] : names.split(' ')]))
}
