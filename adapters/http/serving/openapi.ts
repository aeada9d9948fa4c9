import { z } from 'zod'
import { type Endpoint, picksOf } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'
import { idempotencyKey } from './idempotency.ts'
import { byRoute } from './mount.ts'

/**
 * The OpenAPI 3.1 document, from the schemas that validate: 3.1 speaks JSON Schema 2020-12, which zod writes itself.
 */
export const openapi = (info: { title: string; version: string }, surfaces: readonly Surface[]): object => {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const surface of surfaces) {
    schemas[errorName(surface)] = errorSchema(surface)
    for (const operations of byRoute(surface.endpoints)) {
      const { path, method } = operations[0]
      const at = path.replace(/:(\w+)/g, '{$1}')
      paths[at] = { ...paths[at], [method]: operation(surface, operations, schemas) }
    }
  }
  return { openapi: '3.1.0', info, paths, components: { schemas, securitySchemes } }
}

/**
 * Operations that share a method and a path are one in OpenAPI: their parameters are joined, their bodies and answers
 * are alternatives.
 */
const operation = (surface: Surface, operations: readonly Endpoint[], schemas: Schemas) => {
  const bodies = operations.flatMap((e) => bodyOf(e, surface, schemas) ?? [])
  const content = {
    ...(bodies.length > 0 && contentOf(mediaOf(surface, operations), either(bodies))),
    ...(operations.some(({ takes }) => takes?.upload) && aFile),
  }
  return {
    tags: [surface.name],
    summary: operations.map((e) => e.summary).join('; '),
    ...reachOf(operations),
    ...securityOf(operations),
    parameters: joined(surface, operations, schemas),
    ...(Object.keys(content).length > 0 && { requestBody: { required: operations.every(needsBody), content } }),
    responses: responses(surface, operations, schemas),
  }
}

/** What is sent; with the field that picks the operation, where neither its body nor its query says that by itself. */
const bodyOf = (e: Endpoint, { pickedByQuery }: Surface, schemas: Schemas): unknown => {
  const body = e.body && json(e.body, 'input', schemas)
  if (e.method !== 'post') return body
  const picks = Object.entries(e.path === pickedByQuery ? {} : (e.when ?? {})).filter(
    ([name, value]) => value !== true && !(name in fieldsOf(e.query)) && !(name in fieldsOf(e.body)),
  )
  const credentials = (inBody[e.auth] ?? []).filter((name) => !(name in fieldsOf(e.body)))
  if (picks.length + credentials.length === 0) return body
  const properties = {
    ...Object.fromEntries(credentials.map((name) => [name, { type: 'string' }])),
    ...Object.fromEntries(picks.map(([name, value]) => [name, { const: value }])),
  }
  const picking = { type: 'object', properties, required: picks.map(([name]) => name) }
  return body === undefined ? picking : { allOf: [picking, body] }
}

/** Fields by which a caller may prove who it is, beside the way that its security names. */
const inBody: { readonly [A in Endpoint['auth']]?: readonly string[] } = {
  client: ['client_id', 'client_secret'],
  app: ['client_id', 'client_secret'],
  cloud: ['cloud'],
}

const needsBody = ({ body, takes, when = {}, query }: Endpoint): boolean =>
  takes?.upload !== undefined ||
  (body !== undefined && !body.safeParse({}).success) ||
  Object.keys(when).some((name) => !(name in fieldsOf(query)))

const aFile = {
  'multipart/form-data': {
    schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] },
  },
}

const contentOf = (media: readonly string[], schema: unknown) =>
  Object.fromEntries(media.map((each) => [each, { schema }]))

const mediaOf = (surface: Surface, operations: readonly Endpoint[]): readonly string[] => {
  const forms = surface.reads === 'form' || operations[0]?.page !== undefined
  const json = !forms || operations.some(({ takes }) => takes?.json)
  return [...(forms ? ['application/x-www-form-urlencoded'] : []), ...(json ? ['application/json'] : [])]
}

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  cloud: { type: 'apiKey', in: 'query', name: 'cloud', description: 'A store’s publishable token; in the form too' },
  client: { type: 'http', scheme: 'basic', description: 'client_id and client_secret; in the body too' },
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token' },
  session: { type: 'apiKey', in: 'cookie', name: 'sid', description: 'Who is signed in in this browser' },
}

/** Any one of these lets a caller in; an empty one means that no credential is needed. */
const waysIn = {
  none: [{}],
  key: [{ apiKey: [] }],
  offered: [{}, { apiKey: [] }],
  cloud: [{ cloud: [] }],
  shop: [{}, { cloud: [] }],
  client: [{ client: [] }],
  app: [{}, { client: [] }],
  bearer: [{ bearer: [] }],
  person: [{ session: [] }],
  visitor: [{}, { session: [] }],
} as const satisfies Record<Endpoint['auth'], readonly object[]>

const securityOf = (operations: readonly Endpoint[]) => {
  const ways = operations.flatMap(({ auth }) => waysIn[auth] as readonly object[])
  const different = [...new Map(ways.map((way) => [JSON.stringify(way), way])).values()]
  return different.every((way) => Object.keys(way).length === 0) ? {} : { security: different }
}

/** The reach of calls with a key; where those of one path differ, keyed by what picks them. */
const reachOf = (operations: readonly Endpoint[]) => {
  const reaches = operations.flatMap((e) => (e.reach ? [[picksOf(e).join(' '), e.reach] as const] : []))
  const [one, ...others] = new Set(reaches.map(([, reach]) => reach))
  if (one === undefined) return {}
  return { 'x-reach': others.length === 0 ? one : Object.fromEntries(reaches) }
}

const responses = (surface: Surface, operations: readonly Endpoint[], schemas: Schemas) => {
  const content: Record<string, { schema: unknown }> = {}
  for (const [media, group] of Object.entries(Object.groupBy(operations, (e) => e.produces ?? 'application/json')))
    content[media] = {
      schema: either((group ?? []).map((e) => wrapped(surface, media, json(e.returns, 'output', schemas)))),
    }
  const error = { 'application/json': { schema: { $ref: `#/components/schemas/${errorName(surface)}` } } }
  return {
    200: { description: 'OK', content },
    ...byStatus([
      ...refused(surface, operations).map(([status, description]) => ({ status, description, content: error })),
      ...operations.flatMap((e) =>
        Object.entries(e.otherwise ?? {}).map(([status, { description, schema }]) => ({
          status: Number(status),
          description,
          ...(schema && { content: { 'application/json': { schema: json(schema, 'output', schemas) } } }),
        })),
      ),
    ]),
  }
}

type DeclaredResponse = { status: number; description: string; content?: Record<string, { schema: unknown }> }

/**
 * Each status once, with everything that it can mean; the content that an operation declares wins over that of an
 * error.
 */
const byStatus = (told: readonly DeclaredResponse[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(told, ({ status }) => status)).map(([status, all = []]) => {
      const description = [...new Set(all.map((each) => each.description))].join('; ')
      const content = all.findLast((each) => each.content)?.content
      return [status, { description, ...(content && { content }) }]
    }),
  )

/** The envelope that a surface puts its answers into. */
const wrapped = (surface: Surface, media: string, schema: unknown): unknown => {
  const answer = {}
  const sent = surface.success(answer)
  if (media !== 'application/json' || sent === answer) return schema
  const fields = Object.entries(sent).map(([name, value]) => [name, value === answer ? schema : { const: value }])
  return { type: 'object', properties: Object.fromEntries(fields), required: Object.keys(sent) }
}

/** Each status with the stable codes that it can come with. */
const refused = (surface: Surface, operations: readonly Endpoint[]): [number, string][] => {
  const codes = operations.flatMap((e) => [
    ...(['invalid-request', 'rate-limited'] as const),
    ...(e.auth === 'none' ? [] : (['key-missing', 'key-invalid', ...suspendable(e), ...kept(e)] as const)),
    ...(e.callers?.capability || e.callers?.ownerOnly ? (['forbidden'] as const) : []),
    ...(e.idempotent ? (['idempotency-conflict'] as const) : []),
    ...(e.refusals ?? []),
  ])
  const byStatus = Object.groupBy(new Set(codes), (code) => surface.wire[code][0])
  return Object.entries(byStatus).map(([status, list = []]) => [
    Number(status),
    [...new Set(list.map((code) => surface.wire[code][1]))].join(', '),
  ])
}

/** The refusal that every key of a suspended account gets. */
const suspendable = ({ auth }: Endpoint) =>
  auth === 'key' || auth === 'offered' || auth === 'cloud' ? (['account-suspended'] as const) : []

/** The refusal that sandbox keys get which may not call an operation. */
const kept = ({ callers: { sandbox } = {} }: Endpoint) =>
  sandbox === 'publishable'
    ? []
    : ([sandbox === 'secret' ? 'publishable-key-rejected' : 'sandbox-key-rejected'] as const)

const joined = (surface: Surface, operations: readonly Endpoint[], schemas: Schemas) => {
  const all = operations.flatMap((e) => [
    ...inPath(e, schemas),
    ...picking(e, surface),
    ...inQuery(e, schemas),
    ...(e.auth === 'shop' ? [byToken] : []),
    ...inHeader(e, schemas),
  ])
  return Object.values(Object.groupBy(all, ({ name }) => name)).map((same = []) => {
    const [p, ...more] = same as [Parameter, ...Parameter[]]
    const required = p.in === 'path' || (same.every((each) => each.required) && same.length >= operations.length)
    return { ...p, required, schema: more.length === 0 ? p.schema : alternatives(same) }
  })
}

/** The parameter that names the store, where the host does not. */
const byToken = { name: 'cloud', in: 'query', required: false, schema: { type: 'string' } }

type Parameter = { name: string; in: string; required: boolean; schema: unknown }

/**
 * The operations of one path each pick by another value of a parameter; other parameters of the same name are alike.
 */
const alternatives = (same: readonly Parameter[]): unknown => {
  const values = new Set(same.map(({ schema }) => (schema as { const?: unknown }).const))
  return values.size > 1 && !values.has(undefined) ? { type: 'string', enum: [...values] } : same.at(-1)?.schema
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

const errorName = (surface: Surface) => `${surface.name}Error`

const errorSchema = (surface: Surface) => {
  const example = surface.failure('code', 'message')
  const properties = Object.entries(example).map(([name, value]) => [name, { type: typeof value }])
  return { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(example) }
}

/** JSON Schemas of what is declared, as the OpenAPI document has them. */

/** The schemas that have a name, keyed by it. */
type Schemas = Record<string, unknown>

/** A schema, or a reference to it where it has a name; it is then among `schemas`. */
const json = (schema: z.ZodType, io: 'input' | 'output', schemas: Schemas): unknown => {
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
const either = (schemas: readonly unknown[]) => (schemas.length === 1 ? schemas[0] : { anyOf: schemas })

/** The fields of an object that is declared as one. */
const fieldsOf = (schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> =>
  schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {}
