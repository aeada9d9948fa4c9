/**
 * What the declarations say of each call that names its caller by a key or a token: which parameters it has, and of
 * what form.
 */
import { z } from 'zod'
import type { Endpoint } from '../../../adapters/http/core/endpoint.ts'
import { surfaces } from '../../../src/runtime/openapi.ts'

/** JSON Schema, as far as declarations use it. */
export type Shape = {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly format?: string
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Shape>>
}

export type Operation = Endpoint & { readonly surface: string; readonly asks: Shape; readonly sends: Shape }

export const shapeOf = (schema: z.ZodType | undefined, io: 'input' | 'output' = 'input'): Shape =>
  schema ? (z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Shape) : {}

/** What stands in a path is named like what stands in a query. */
const both = (query: Shape, path: Shape): Shape => ({
  ...query,
  ...(path.properties && {
    properties: { ...query.properties, ...path.properties },
    required: [...(query.required ?? []), ...(path.required ?? [])],
  }),
})

/** A field of a form that holds JSON is described by what the JSON holds. */
const formShape = (schema: z.ZodType | undefined): Shape => {
  const [written, meant] = [shapeOf(schema), shapeOf(schema, 'output')]
  const properties = Object.entries(written.properties ?? {}).map(([name, shape]) => {
    const read = meant.properties?.[name] ?? {}
    return [name, read.type === 'object' || name === 'values' ? read : shape] as const
  })
  return { ...written, ...(meant.$defs && { $defs: meant.$defs }), properties: Object.fromEntries(properties) }
}

/** Every operation of every surface. */
export const allOperations: readonly Operation[] = surfaces().flatMap(({ name, reads, endpoints }) =>
  endpoints.map((e) => ({
    ...e,
    surface: name,
    asks: both(shapeOf(e.query), shapeOf(e.params)),
    sends: reads === 'form' ? formShape(e.body) : shapeOf(e.body),
  })),
)

/** Everything that a tenant calls as itself. */
export const operations: readonly Operation[] = allOperations.filter(
  ({ auth }) => auth === 'key' || auth === 'offered' || auth === 'cloud',
)

export const isForm = ({ surface, method }: Operation): boolean => surface === 'pay' && method === 'post'

/** What a call is named in messages. */
export const labelOf = ({ method, path, when = {} }: Operation): string =>
  [method, path, ...Object.entries(when).map(([name, value]) => `${name}=${value}`)].join(' ')

/** What a call gives, beside its credential. */
export type Given = { query: Record<string, string>; body: Record<string, unknown> }

/** How it is sent. Objects in a form are JSON. */
export const written = (e: Operation, { query, body }: Given) => {
  const picks = Object.entries(e.when ?? {}).flatMap(([name, value]) =>
    value === true ? [] : [[name, value] as const],
  )
  const all: Record<string, string> = isForm(e) ? query : { ...query, ...Object.fromEntries(picks) }
  const asked = Object.entries(all).filter(([name]) => !e.path.includes(`:${name}`))
  const filled = e.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(all[name] ?? 'none'))
  const path = asked.length > 0 ? `${filled}?${new URLSearchParams(asked)}` : filled
  if (e.method === 'get' || e.method === 'delete') return { method: e.method.toUpperCase(), path }
  if (!isForm(e)) return { method: e.method.toUpperCase(), path, body: JSON.stringify(body) }
  const texts = Object.entries(body).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ])
  const form = new URLSearchParams({ ...Object.fromEntries(texts), ...Object.fromEntries(picks) })
  return { method: 'POST', path, body: form.toString(), headers: FORM }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The parameters that an operation has, and where: those that pick it belong to where the surface looks for them. */
export const parametersOf = (e: Operation): { at: 'query' | 'body'; name: string; required: boolean }[] => {
  const place = isForm(e) ? 'body' : 'query'
  const picked = Object.entries(e.when ?? {}).flatMap(([name, value]) => (value === true ? [name] : []))
  const of = (at: 'query' | 'body', { properties = {}, required = [] }: Shape) =>
    Object.keys(properties).map((name) => ({ at, name, required: required.includes(name) }))
  const declared = [...of('query', e.asks), ...of('body', e.sends)]
  const rest = picked.filter((name) => !declared.some((each) => each.name === name))
  return [...declared, ...rest.map((name) => ({ at: place, name, required: true }) as const)]
}
