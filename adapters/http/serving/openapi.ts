import { type Endpoint, picksOf } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'
import { byRoute } from './mount.ts'
import { parametersOfAll } from './openapi-parameters.ts'
import { either, fieldsOf, json, type Schemas } from './openapi-schemas.ts'

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
  const bodies = operations.flatMap((e) => (e.takes?.upload ? [] : (bodyOf(e, surface, schemas) ?? [])))
  const content = {
    ...(bodies.length > 0 && contentOf(mediaOf(surface, operations), either(bodies))),
    ...filesOf(operations, schemas),
  }
  return {
    tags: [surface.name],
    summary: operations.map((e) => e.summary).join('; '),
    ...reachOf(operations),
    ...securityOf(operations),
    parameters: parametersOfAll(surface, operations, schemas),
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
  const picking: ObjectSchema = { type: 'object', properties, required: picks.map(([name]) => name) }
  return body === undefined ? picking : withFields(picking, body)
}

type ObjectSchema = { type: 'object'; properties: object; required?: readonly string[] }

/** A body with further fields, which stand among its own: a body that is closed would refuse them beside it. */
const withFields = (more: ObjectSchema, body: unknown): unknown => {
  const { type, properties, required = [] } = body as Partial<ObjectSchema>
  if (type !== 'object' || properties === undefined) return { allOf: [more, body] }
  const names = new Set([...(more.required ?? []), ...required])
  return { ...(body as object), properties: { ...more.properties, ...properties }, required: [...names] }
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

/** A file is sent in a form, with the fields that stand beside it, or as the whole body where it may be. */
const filesOf = (operations: readonly Endpoint[], schemas: Schemas) => {
  const uploads = operations.filter(({ takes }) => takes?.upload)
  if (uploads.length === 0) return {}
  const fields = uploads.flatMap(({ body }) => (body ? [json(body, 'input', schemas)] : []))
  const form =
    fields.length > 0 ? either(fields.map((each) => withFields(aFile, each))) : { ...aFile, required: ['file'] }
  const plain = uploads.flatMap(({ takes }) => takes?.upload?.plain ?? [])
  return { ...contentOf(['multipart/form-data'], form), ...contentOf(plain, { type: 'string' }) }
}

const aFile: ObjectSchema = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } }

const contentOf = (media: readonly string[], schema: unknown) =>
  Object.fromEntries(media.map((each) => [each, { schema }]))

/**
 * How the bodies of a path are written. Where people and machines come to one path, people send forms, and machines
 * what the surface reads; where all get a page, everybody sends a form.
 */
const mediaOf = ({ reads }: Surface, operations: readonly Endpoint[]): readonly string[] => {
  const everybody = operations.some(({ page }) => page === 'always')
  const forms = reads === 'form' || everybody || operations.some(({ page }) => page !== undefined)
  const machines = reads === 'json' && !everybody && operations.some(({ page }) => page === undefined)
  const json = machines || operations.some(({ takes }) => takes?.json)
  return [...(forms ? ['application/x-www-form-urlencoded'] : []), ...(json ? ['application/json'] : [])]
}

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  cloud: { type: 'apiKey', in: 'query', name: 'cloud', description: 'A store’s publishable token; in the form too' },
  client: { type: 'http', scheme: 'basic', description: 'client_id and client_secret; in the body too' },
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token' },
  session: { type: 'apiKey', in: 'cookie', name: 'sid', description: 'Who is signed in in this browser' },
  member: { type: 'apiKey', in: 'cookie', name: 'member', description: 'Who is signed in to the dashboard' },
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
  member: [{ member: [] }],
  guest: [{}, { member: [] }],
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
    ...(e.auth === 'none' ? [] : (['key-missing', 'key-invalid', ...ofKeys(e), ...kept(e)] as const)),
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

/** The refusals of every key of a suspended account, and of keys that may not call now or from here. */
const ofKeys = ({ auth }: Endpoint) => {
  if (auth === 'cloud') return ['account-suspended'] as const
  return auth === 'key' || auth === 'offered' ? (['account-suspended', 'key-ended', 'network-refused'] as const) : []
}

/** The refusal that sandbox keys get which may not call an operation. */
const kept = ({ callers: { sandbox } = {} }: Endpoint) =>
  sandbox === 'publishable'
    ? []
    : ([sandbox === 'secret' ? 'publishable-key-rejected' : 'sandbox-key-rejected'] as const)

const errorName = (surface: Surface) => `${surface.name}Error`

const errorSchema = (surface: Surface) => {
  const example = surface.failure('code', 'message')
  const properties = Object.entries(example).map(([name, value]) => [name, { type: typeof value }])
  return { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(example) }
}
