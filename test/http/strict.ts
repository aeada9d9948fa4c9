/** A client that holds every answer against its declaration, and can tell which events a call has caused. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ExecutionContext } from 'ava'
import type { z } from 'zod'
import type { Endpoint } from '../../adapters/http/core/endpoint.ts'
import type { Surface } from '../../adapters/http/core/surface.ts'
import { byRoute } from '../../adapters/http/serving/mount.ts'
import type { Answer, CallOptions } from '../../src/demo/client.ts'
import { surfaces } from '../../src/runtime/openapi.ts'
import type { TestApp } from '../support/app.ts'
import { documentReader } from './described/served-document.ts'
import { readLog } from './log.ts'

const all = surfaces()
/** What a service tells at `/openapi.json`; a test holds it to the endpoints (agent/service.test.ts). */
const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url)

export type Traced = Answer & { requestId: string }
export type StrictCall = (method: string, path: string, options?: CallOptions) => Promise<Traced>

/** Every call names itself; every JSON answer has exactly the fields that its endpoint declares. */
export const strictly =
  (t: ExecutionContext, app: TestApp): StrictCall =>
  async (method, path, options = {}) => {
    const requestId = `test-${randomUUID()}`
    const headers = { 'x-request-id': requestId, ...options.headers }
    const answer = await app.call(method, path, { ...options, headers })
    conforms(t, method, path, options.body, answer)
    if (answer.status === 200) isDescribed(t, method, path, options)
    return { ...answer, requestId }
  }

/** A call that has to be refused. */
export type Refused = CallOptions & {
  what: string
  method?: string
  path: string
  status: number
  code: string
}

/** A call of the console that has to be refused. */
export const asking = (
  name: string,
  fields: Readonly<Record<string, string>>,
  refusal: Pick<Refused, 'key' | 'status' | 'code'>,
): Refused => ({
  what: `${name} ${JSON.stringify(fields)}`,
  path: '/api.php',
  ...refusal,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ function: name, ...fields }).toString(),
})

/** Makes the calls one after the other; each is refused as it says, and none leaves a trace in the log. */
export const refused = async (t: ExecutionContext, app: TestApp, calls: readonly Refused[]): Promise<void> => {
  const call = strictly(t, app)
  const ids = new Map<string, string>()
  for (const { what, method = 'POST', path, status, code, ...options } of calls) {
    const answer = await call(method, path, options)
    t.deepEqual([answer.status, answer.json?.error_code ?? answer.json?.error], [status, code], what)
    ids.set(answer.requestId, what)
  }
  const written = (await readLog(app)).map(({ cause, type }) => [ids.get(cause.correlationId), type])
  t.deepEqual(
    written.filter(([what]) => what !== undefined),
    [],
    'a refused call writes nothing',
  )
}

/** A request that was answered is one that the served document allows. */
const isDescribed = (t: Holding, method: string, path: string, { body, headers = {} }: CallOptions): void => {
  const [pathname = '', search] = path.split(/\?(.*)/s)
  const query = Object.fromEntries(new URLSearchParams(search))
  const { surface, endpoint } = declaredAt(method, pathname, { ...query, ...fields(body) })
  if (!surface || !endpoint || endpoint.takes?.upload) return
  faultsIn ??= documentReader(JSON.parse(readFileSync(DOCUMENT, 'utf8')))
  const isForm = new Headers(headers).get('content-type')?.includes('form') ?? false
  const media = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const value = typeof body === 'string' && !isForm ? JSON.parse(body) : isForm ? fields(body) : body
  const faults = faultsIn(endpoint, {
    path: placesIn(endpoint.path, pathname),
    query,
    header: Object.fromEntries(new Headers(headers)),
    ...(body !== undefined && body !== '' && { body: { media, value: JSON.parse(JSON.stringify(value)) } }),
  })
  t.deepEqual(faults, [], `${method} ${path} is in the document`)
}

/** Made with the first call, as the routes are. */
let faultsIn: ReturnType<typeof documentReader> | undefined

/** The parameters in a path, by their names. */
const placesIn = (pattern: string, pathname: string): Record<string, string> =>
  new RegExp(`^${pattern.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`).exec(pathname)?.groups ?? {}

/** How many events a call has caused, policies included. */
export const causedBy = async (app: TestApp, requestId: string): Promise<string[]> =>
  (await readLog(app)).filter(({ cause }) => cause.correlationId === requestId).map(({ type }) => type)

/** Who is told what does not hold: a test, or a program that plays many calls. */
export type Holding = {
  deepEqual(actual: unknown, expected: unknown, what?: string): unknown
  true(actual: unknown, what?: string): unknown
  not(actual: unknown, expected: unknown, what?: string): unknown
}

export const conforms = (t: Holding, method: string, path: string, body: unknown, answer: Answer): void => {
  if (method === 'HEAD' || !/^application\/json(;|$)/.test(answer.headers.get('content-type') ?? '')) return
  const [pathname = '', search] = path.split(/\?(.*)/s)
  const searchParams = new URLSearchParams(search)
  const { surface, endpoint } = declaredAt(method, pathname, { ...Object.fromEntries(searchParams), ...fields(body) })
  const schema = answer.status === 200 ? endpoint?.returns : endpoint?.otherwise?.[answer.status]?.schema
  if (schema && surface)
    exactly(t, schema, answer.status === 200 && surface.name === 'pay' ? answer.json.response : answer.json)
  else if (answer.status >= 400 && !path.startsWith('/readyz'))
    failsInShape(t, surface ?? surfaceOf(pathname), endpoint, answer)
}

/** The operation that a request picks, by the same order as the service. */
export const declaredAt = (method: string, pathname: string, given: Record<string, unknown>) => {
  routes ??= all.flatMap((surface) =>
    byRoute(surface.endpoints).map((operations) => ({
      surface,
      operations,
      method: operations[0].method,
      path: new RegExp(`^${operations[0].path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
    })),
  )
  const found = routes.find(({ method: own, path }) => own === method.toLowerCase() && path.test(pathname))
  return { surface: found?.surface, endpoint: found?.operations.find((each) => picked(each, given)) }
}

/** Made with the first call: every call of a test is looked up here. */
let routes:
  | { surface: Surface; operations: ReturnType<typeof byRoute>[number]; method: string; path: RegExp }[]
  | undefined

/** Answers in JSON are never a page's. */
const picked = ({ when = {}, page }: Endpoint, given: Record<string, unknown>) =>
  !page &&
  Object.entries(when).every(([name, value]) => (value === true ? given[name] !== undefined : given[name] === value))

const fields = (body: unknown): Record<string, unknown> =>
  typeof body === 'string' ? Object.fromEntries(new URLSearchParams(body)) : ((body ?? {}) as Record<string, unknown>)

/** Valid, and with nothing beside what is declared. */
const exactly = (t: Holding, schema: z.ZodType, json: unknown) => t.deepEqual(schema.parse(json), json)

const failsInShape = (t: Holding, surface: Surface, endpoint: Endpoint | undefined, { status, json }: Answer) => {
  const failure = endpoint?.failure ?? surface.failure
  const words = Object.keys(failure('code', 'message'))
  t.deepEqual(Object.keys(json).slice(0, words.length), words)
  // A few refusals say more, as names and texts beside the words: which state forbids it.
  const facts = { ...Object.fromEntries(Object.entries<string>(json).slice(words.length)), ...json.ap2 }
  const code = json.error_code ?? json.error
  t.true(
    Object.values(surface.wire).some(([at, word]) => at === status && word === code),
    `${status} ${code} is in the table of ${surface.name}`,
  )
  t.deepEqual(json, failure(code, json.message ?? json.error_description, facts))
  t.not(json.message ?? json.error_description, '')
}

const surfaceOf = (path: string): Surface => {
  const name = /^\/(oauth2\b|\.well-known\b(?!\/ucp$))/.test(path) ? 'auth' : path.endsWith('.php') ? 'pay' : 'agent'
  return all.find((surface) => surface.name === name) as Surface
}
