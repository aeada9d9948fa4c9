import test from 'ava'
import { z } from 'zod'
import { type Endpoint, picksOf } from '../../adapters/http/core/endpoint.ts'
import type { Surface } from '../../adapters/http/core/surface.ts'
import { byRoute } from '../../adapters/http/serving/mount.ts'
import { openapiDocument, surfaces } from '../../src/runtime/openapi.ts'
import { DEEP } from '../support/depth.ts'
import { sampleOf } from './described/samples.ts'
import { documentReader, type SentRequest } from './described/served-document.ts'

/** The OpenAPI document beside what the service takes: whoever reads it can make every call. */

const faultsOf = documentReader(JSON.parse(JSON.stringify(openapiDocument())))

const all = surfaces().flatMap((surface) => surface.endpoints.map((e) => ({ surface, e })))

const nameOf = ({ method, path, ...e }: Endpoint) => `${method} ${path} ${picksOf(e).join(' ')}`

test('J-GEN-08 each operation has a request that the service takes, and the served document allows it', (t) => {
  const wrong: string[] = []
  for (const { surface, e } of all)
    for (const whole of DEEP ? [false, true] : [true]) {
      const request = requestOf(surface, e, whole)
      if (typeof request === 'string') wrong.push(`${nameOf(e)}: no sample of its ${request}`)
      else wrong.push(...faultsOf(e, request).map((fault) => `${nameOf(e)}: ${fault}`))
    }
  t.deepEqual(wrong, [])
})

test('J-GEN-08 what an operation that is alone at its path cannot do without, the served document demands', (t) => {
  const wrong: string[] = []
  for (const surface of surfaces())
    for (const [e, ...others] of byRoute(surface.endpoints)) {
      const request = requestOf(surface, e, false)
      if (others.length > 0 || typeof request === 'string') continue
      for (const name of neededIn(e.query))
        if (faultsOf(e, { ...request, query: without(request.query, name) }).length === 0)
          wrong.push(`${nameOf(e)}: query ${name}`)
      const { body } = request
      for (const name of body ? neededIn(e.body) : [])
        if (
          body &&
          faultsOf(e, { ...request, body: { ...body, value: without(body.value as object, name) } }).length === 0
        )
          wrong.push(`${nameOf(e)}: body ${name}`)
    }
  t.deepEqual(wrong, [])
})

const neededIn = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject
    ? Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
        field.safeParse(undefined).success ? [] : [name],
      )
    : []

const without = (fields: object, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name))

/** A request that picks an operation and that its declaration takes, or the name of the part that has no sample. */
const requestOf = (surface: Surface, e: Endpoint, whole: boolean): SentRequest | string => {
  const [path, query, header] = [e.params, e.query, e.headers].map((schema) =>
    schema === undefined ? {} : picking(sampleOf(schema, whole), e),
  )
  if (path === undefined || query === undefined || header === undefined) return 'parameters'
  const body = e.body === undefined ? undefined : picking(sampleOf(e.body, whole), e)
  if (e.body !== undefined && body === undefined) return 'body'
  if (e.takes?.upload)
    return { path, query, header, body: { media: 'multipart/form-data', value: { ...body, file: 'picture' } } }
  const inBody = e.method === 'post' && e.path !== surface.pickedByQuery
  const picks = Object.fromEntries(
    Object.entries(e.when ?? {})
      .filter(([name]) => !(name in query) && !(name in (body ?? {})))
      .map(([name, value]) => [name, value === true ? '1' : value]),
  )
  const sent = inBody && Object.keys(picks).length > 0 ? { ...picks, ...body } : body
  return {
    path,
    query: inBody ? query : { ...picks, ...query },
    header,
    ...(sent !== undefined && { body: { media: mediaOf(surface, e), value: sent } }),
  }
}

/** What was made of a part, with the values that pick the operation. */
const picking = (sample: unknown, { when = {} }: Endpoint): Record<string, unknown> | undefined => {
  if (typeof sample !== 'object' || sample === null || Array.isArray(sample)) return sample as undefined
  const fixed = Object.entries(when).filter(([name, value]) => name in sample && value !== true)
  return { ...sample, ...Object.fromEntries(fixed) }
}

const mediaOf = (surface: Surface, e: Endpoint): string =>
  surface.reads === 'form' || e.page !== undefined || isAllPages(surface, e)
    ? 'application/x-www-form-urlencoded'
    : 'application/json'

/** Whether everybody who comes to the path of an operation gets a page, and sends what forms send. */
const isAllPages = ({ endpoints }: Surface, { method, path }: Endpoint): boolean =>
  endpoints.some((other) => other.method === method && other.path === path && other.page === 'always')
