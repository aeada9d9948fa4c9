import type { z } from 'zod'
import type { Endpoint } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'
import { idempotencyKey } from './idempotency.ts'
import { differentOf, either, fieldsOf, json, type Schemas } from './openapi-schemas.ts'

/** What operations read beside their bodies, as OpenAPI tells it. */

/**
 * The parameters of operations that share a method and a path. One is required where no operation can do without it;
 * where only some need it, its description says which.
 */
export const parametersOfAll = (surface: Surface, operations: readonly Endpoint[], schemas: Schemas) => {
  const all = operations.flatMap((e) => parametersOf(surface, e, schemas).map((parameter) => ({ ...parameter, e })))
  return Object.values(Object.groupBy(all, placeOf)).map((same = []) => {
    const { name, in: where } = same[0] as Parameter
    const needing = same.filter(({ required }) => required)
    const required = where === 'path' || needing.length === operations.length
    const description = needing.map(({ e }) => e.summary).join('; ')
    const needed = !required && needing.length > 0 && { description: `Needed for: ${description}` }
    return { name, in: where, required, ...needed, schema: alternatives(same.map(({ schema }) => schema)) }
  })
}

const placeOf = (parameter: Parameter): string => `${parameter.in} ${parameter.name}`

/** What one operation reads beside its body, each parameter once: what picks it may be declared by its query, too. */
const parametersOf = (surface: Surface, e: Endpoint, schemas: Schemas): readonly Parameter[] => {
  const all = [
    ...inPath(e, schemas),
    ...picking(e, surface),
    ...inQuery(e, schemas),
    ...(e.auth === 'shop' ? [byToken] : []),
    ...inHeader(e, schemas),
  ]
  return Object.values(Object.groupBy(all, placeOf)).map((same = []) => ({
    ...(same.at(-1) as Parameter),
    required: same.some(({ required }) => required),
  }))
}

/** The parameter that names the store, where the host does not. */
const byToken = { name: 'cloud', in: 'query', required: false, schema: { type: 'string' } }

type Parameter = { name: string; in: string; required: boolean; schema: unknown }

/** One schema for what any of the operations of a path takes under one name. */
const alternatives = (all: readonly unknown[]): unknown => {
  const values = differentOf(all).map((schema) => (schema as { const?: unknown }).const)
  return values.length > 1 && !values.includes(undefined) ? { type: 'string', enum: values } : either(all)
}

const inPath = (e: Endpoint, schemas: Schemas) => shapeOf(e.params, 'path', schemas)
const inQuery = (e: Endpoint, schemas: Schemas) => shapeOf(e.query, 'query', schemas)
const inHeader = (e: Endpoint, schemas: Schemas) => [
  ...(e.idempotent ? [idempotencyKey] : []),
  ...shapeOf(e.headers, 'header', schemas),
]

const picking = ({ when = {}, method, path }: Endpoint, { pickedByQuery }: Surface): Parameter[] =>
  method === 'post' && path !== pickedByQuery
    ? []
    : Object.entries(when).map(([name, value]) => ({
        name,
        in: 'query',
        required: true,
        schema: value === true ? { type: 'string' } : { const: value },
      }))

const shapeOf = (schema: z.ZodType | undefined, where: 'path' | 'query' | 'header', schemas: Schemas) =>
  Object.entries(fieldsOf(schema)).map(([name, field]) => ({
    name,
    in: where,
    required: !field.safeParse(undefined).success,
    schema: json(field, 'input', schemas),
  }))
