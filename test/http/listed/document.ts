/**
 * The served OpenAPI document, as the comparison with the documents' own list reads it: with references followed and
 * alternatives joined.
 */

export type Json = { readonly [key: string]: unknown }

export type Operation = {
  readonly tags: readonly string[]
  readonly security?: readonly Json[]
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema: Json }>> }
    >
  >
}

export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

/** A path with its parameters unnamed. */
export const plain = (path: string): string => path.replace(/\{\w+\}/g, '{}')

export const operationAt = ({ paths }: Document, method: string, path: string): Operation | undefined => {
  const found = Object.keys(paths).find((each) => plain(each) === plain(path))
  return found === undefined ? undefined : paths[found]?.[method.toLowerCase()]
}

/** Everything that may be sent, or answered with a status, each alternative for itself. */
export const alternativesOf = (
  document: Document,
  content: Readonly<Record<string, { readonly schema: Json }>> = {},
): readonly Json[] => Object.values(content).flatMap(({ schema }) => split(document, schema))

const split = (document: Document, schema: Json): readonly Json[] => {
  const followed = follow(document, schema)
  const parts = [followed.anyOf, followed.oneOf].flatMap((each) => (each as readonly Json[] | undefined) ?? [])
  return parts.length > 0 ? parts.flatMap((part) => split(document, part)) : [followed]
}

const follow = ({ components }: Document, schema: Json): Json => {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref ?? ''))?.[1]
  return name === undefined ? schema : follow({ components } as Document, components.schemas[name] ?? {})
}

/**
 * What stands under a name in any alternative, of objects and of the items of lists: `customers.name` is a field of
 * each customer.
 */
export const under = (document: Document, schemas: readonly Json[], name: string): readonly Json[] =>
  schemas
    .flatMap((schema) => split(document, schema))
    .flatMap((schema) => [
      ...((schema.allOf as readonly Json[] | undefined)?.flatMap((part) => under(document, [part], name)) ?? []),
      ...(Array.isArray(schema.items) || schema.items === undefined
        ? []
        : under(document, [schema.items as Json], name)),
      ...fieldNamed(schema, name),
    ])

const fieldNamed = ({ properties }: Json, name: string): readonly Json[] => {
  const field = (properties as Readonly<Record<string, Json>> | undefined)?.[name]
  return field === undefined ? [] : [field]
}

/** The names that one alternative cannot do without. */
export const requiredIn = (document: Document, schema: Json): readonly string[] => [
  ...((schema.required as readonly string[] | undefined) ?? []),
  ...((schema.allOf as readonly Json[] | undefined)?.flatMap((part) => requiredIn(document, follow(document, part))) ??
    []),
]

/** Whether an answer that can have a field may also lack it: one of its alternatives has it and does not need it. */
export const mayLack = (document: Document, from: readonly Json[], path: string): boolean => {
  const [name = '', ...rest] = path.split('.')
  const holders = from.flatMap((schema) => split(document, schema)).flatMap((schema) => objectsIn(document, schema))
  const having = holders.filter((schema) => fieldNamed(schema, name).length > 0)
  if (having.some((schema) => !requiredIn(document, schema).includes(name))) return true
  return (
    rest.length > 0 &&
    mayLack(
      document,
      having.flatMap((schema) => fieldNamed(schema, name)),
      rest.join('.'),
    )
  )
}

/** The objects that a schema describes: itself, or the items of a list. */
const objectsIn = (document: Document, schema: Json): readonly Json[] =>
  Array.isArray(schema.items) || schema.items === undefined ? [schema] : split(document, schema.items as Json)
