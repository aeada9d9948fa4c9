/** Names of things, by the parameters that take them. */
import type { Ids } from '../http/tenants/tenant.ts'

/** Each name in a list. */
export const listed = (names: Readonly<Record<string, string | readonly string[]>>): Ids =>
  Object.fromEntries(Object.entries(names).map(([name, value]) => [name, [value].flat()]))

export const joined = (all: readonly Ids[]): Ids =>
  Object.fromEntries(
    [...new Set(all.flatMap((ids) => Object.keys(ids)))].map((name) => [name, all.flatMap((ids) => ids[name] ?? [])]),
  )

/** A caller of this kind may do all that its kind may. */
export const FULL = { full: true } as const
