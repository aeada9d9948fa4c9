import { z } from 'zod'

/** JSON Schemas of what is declared, as the OpenAPI document has them. */

/** The schemas that have a name, keyed by it. */
export type Schemas = Record<string, unknown>

/** A schema, or a reference to it where it has a name; it is then among `schemas`. */
export const json = (schema: z.ZodType, io: 'input' | 'output', schemas: Schemas): unknown => {
  const { $schema: _, $defs = {}, ...body } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  Object.assign(schemas, relocated($defs))
  const id = schema.meta()?.id
  if (!id) return relocated(body)
  // zod may have put the named one among its $defs, and point to it.
  if (!('$ref' in body)) schemas[id] = relocated(body)
  return { $ref: `#/components/schemas/${id}` }
}

/** zod points shared schemas at #/$defs; OpenAPI keeps them under components. */
const relocated = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('#/$defs/', '#/components/schemas/'))

/** One schema for what fits any of these. */
export const either = (schemas: readonly unknown[]) => {
  const different = differentOf(schemas)
  return different.length === 1 ? different[0] : { anyOf: different }
}

/** Each schema once. */
export const differentOf = (schemas: readonly unknown[]): unknown[] => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
]

/** The fields of an object that is declared as one. */
export const fieldsOf = (schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> =>
  schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {}
