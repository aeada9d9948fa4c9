import { z } from 'zod'

/** The names in what was sent that its schema does not know, and what it knows in their place. */
export type UnknownName = {
  readonly path: readonly string[]
  readonly name: string
  readonly known: readonly string[]
}

/**
 * Finds the names that a schema does not know, at any depth. An object that is declared loose bears any names; so does
 * whatever does not have the declared form at all, because another fault is told of that.
 */
export const unknownNames = (schema: z.ZodType, value: unknown, alsoKnown: readonly string[] = []): UnknownName[] => {
  const found: UnknownName[] = []
  searchOf(schema)?.({ path: [], value, alsoKnown }, found)
  return found
}

type Place = { readonly path: readonly string[]; readonly value: unknown; readonly alsoKnown: readonly string[] }
type Search = (place: Place, found: UnknownName[]) => void

/** The search of each schema is made once; where a schema can hold no object there is none. */
const searches = new WeakMap<z.core.$ZodType, { search: Search | undefined }>()

const searchOf = (schema: z.core.$ZodType): Search | undefined => {
  const known = searches.get(schema)
  if (known) return known.search
  const made = { search: undefined as Search | undefined }
  searches.set(schema, made)
  made.search = makeSearch(schema)
  return made.search
}

const makeSearch = (schema: z.core.$ZodType): Search | undefined => {
  if (schema instanceof z.ZodObject) return inObject(schema)
  if (schema instanceof z.ZodArray) return inItems(() => searchOf(schema.def.element))
  if (schema instanceof z.ZodRecord) return inValues(searchOf(schema.def.valueType))
  if (schema instanceof z.ZodUnion) return inUnion(schema.def.options)
  if (schema instanceof z.ZodIntersection) return inBoth(schema.def.left, schema.def.right)
  if (schema instanceof z.ZodPipe) return inPipe(schema.def.in, schema.def.out)
  if (schema instanceof z.ZodLazy) return (place, found) => searchOf(schema.def.getter())?.(place, found)
  if ('innerType' in schema._zod.def) return searchOf(schema._zod.def.innerType as z.core.$ZodType)
  return undefined
}

const inObject = ({ def }: z.ZodObject): Search => {
  const names = Object.keys(def.shape)
  const bearsAny = def.catchall !== undefined && !(def.catchall instanceof z.ZodNever)
  const inner = names.flatMap((name) => {
    const search = searchOf(def.shape[name] as z.core.$ZodType)
    return search ? [{ name, search }] : []
  })
  return ({ path, value, alsoKnown }, found) => {
    if (!isObject(value)) return
    if (!bearsAny)
      for (const name of Object.keys(value))
        if (!Object.hasOwn(def.shape, name) && !alsoKnown.includes(name)) found.push({ path, name, known: names })
    for (const { name, search } of inner)
      if (Object.hasOwn(value, name)) search({ path: [...path, name], value: value[name], alsoKnown: [] }, found)
  }
}

const inItems =
  (searchOfItem: () => Search | undefined): Search =>
  ({ path, value }, found) => {
    const search = Array.isArray(value) ? searchOfItem() : undefined
    if (!search || !Array.isArray(value)) return
    for (const [index, item] of value.entries())
      search({ path: [...path, String(index)], value: item, alsoKnown: [] }, found)
  }

const inValues = (search: Search | undefined): Search | undefined =>
  search &&
  (({ path, value }, found) => {
    if (!isObject(value)) return
    for (const [name, item] of Object.entries(value))
      search({ path: [...path, name], value: item, alsoKnown: [] }, found)
  })

/** The form that the value has, of those that leave the fewest names over; no form that it does not have. */
const inUnion = (options: readonly z.core.$ZodType[]): Search | undefined => {
  const forms = options.flatMap((schema) => ({ schema, search: searchOf(schema) }))
  if (forms.every(({ search }) => search === undefined)) return undefined
  return (place, found) => {
    const fitting = forms.filter(({ schema }) => z.core.safeParse(schema, place.value).success)
    const left = fitting.map(({ search }) => {
      const names: UnknownName[] = []
      search?.(place, names)
      return names
    })
    found.push(...(left.toSorted((a, b) => a.length - b.length)[0] ?? []))
  }
}

/** A name is unknown only where neither side knows it. */
const inBoth = (left: z.core.$ZodType, right: z.core.$ZodType): Search => {
  const searchesOf = [left, right].map(searchOf)
  return (place, found) => {
    const [ones, others] = searchesOf.map((search) => {
      const names: UnknownName[] = []
      search?.(place, names)
      return names
    })
    for (const one of ones ?? []) {
      const same = others?.find((other) => other.name === one.name && other.path.join() === one.path.join())
      if (same) found.push({ ...one, known: [...one.known, ...same.known] })
    }
  }
}

/** What a text is read as is searched too, such as an object in a field of a form. */
const inPipe = (first: z.core.$ZodType, second: z.core.$ZodType): Search | undefined => {
  const before = searchOf(first)
  const after = second instanceof z.ZodTransform ? undefined : searchOf(second)
  if (!after) return before
  return (place, found) => {
    before?.(place, found)
    const read = z.core.safeParse(first, place.value)
    if (read.success) after({ ...place, value: read.data }, found)
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
