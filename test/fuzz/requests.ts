/** Requests from what the endpoints declare: valid, nearly valid and absurd, each with somebody's credential. */
import fc from 'fast-check'
import Stripe from 'stripe'
import type { Operation } from '../http/tenants/declared.ts'
import { absurd, MUCH, nearly, type Twist } from './twists.ts'
import { fieldOf, type Named, objectOf } from './values.ts'

/** What is asked, before it is written down: everything that shrinking may make smaller. */
export type Sketch = {
  readonly query: Record<string, unknown>
  readonly body: unknown
  /** Which of the credentials. */
  readonly caller: string
  readonly twists: readonly Twist[]
}

/** Somebody who calls, or claims to: where they write their credential. */
export type Caller = {
  readonly name: string
  /** Nothing is kept from it. */
  readonly full?: true
  /** Operations with these kinds of credential are theirs. */
  readonly for: readonly Operation['auth'][]
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, string>>
  /** What it signs with where a body is taken as it was sent. */
  readonly signs?: string
}

/** What goes over the wire. */
export type Wire = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

export const sketches = (e: Operation, all: Named, callers: readonly Caller[]): fc.Arbitrary<Sketch> => {
  const named = namedFor(e, all)
  const own = callers.filter((each) => each.for.includes(e.auth))
  const full = own.filter((each) => each.full)
  const oneOf = (of: readonly Caller[]) => fc.constantFrom(...(of.length > 0 ? of : callers).map(({ name }) => name))
  const picking = Object.entries(e.when ?? {}).flatMap(([name, value]) => (value === true ? [name] : []))
  const asked = objectOf(inBodyOf(e) ? e.asks : withNames(e.asks, picking), named, e.asks)
  const none = fc.constant<readonly Twist[]>([])
  return fc.record({
    query: asked,
    body: e.body ? bodyOf(e, picking, named) : fc.constant(undefined),
    caller: fc.oneof(
      { weight: 6, arbitrary: oneOf(full) },
      { weight: 3, arbitrary: oneOf(own) },
      { weight: 2, arbitrary: oneOf(callers) },
    ),
    twists: fc.oneof(
      { weight: 4, arbitrary: none },
      { weight: 5, arbitrary: fc.tuple(nearly()) },
      { weight: 1, arbitrary: fc.array(fc.oneof(nearly(), absurd()), { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.tuple(absurd()) },
    ),
  })
}

/** Names that pick the operation are parameters of it, where it does not say so itself. */
const withNames = (shape: Operation['asks'], names: readonly string[]): Operation['asks'] => ({
  ...shape,
  properties: { ...Object.fromEntries(names.map((name) => [name, { type: 'string' }])), ...shape.properties },
  required: [...(shape.required ?? []), ...names],
})

const bodyOf = (e: Operation, picking: readonly string[], named: Named): fc.Arbitrary<unknown> => {
  const { type, anyOf, oneOf: either } = e.sends
  if (type === 'array' || anyOf || either) return fieldOf(e.sends, '', named, e.sends)
  return objectOf(inBodyOf(e) ? withNames(e.sends, picking) : e.sends, named, e.sends)
}

/** What is named the same is not the same everywhere: names under `<path> <parameter>` are for that one alone. */
const namedFor = ({ path, when = {} }: Operation, { ids, any }: Named): Named => {
  const words = Object.values(when).filter((value) => value !== true)
  const own = [path, ...words].flatMap((about) =>
    Object.entries(ids).flatMap(([name, values]) =>
      name.startsWith(`${about} `) ? [[name.slice(about.length + 1), values]] : [],
    ),
  )
  return { ids: { ...ids, ...Object.fromEntries(own) }, any }
}

/** How the operation reads its body, unless a twist says otherwise. */
const isForm = (e: Operation): boolean => e.surface !== 'agent' || e.page !== undefined

/** Whether what picks the operation stands in the body. */
const inBodyOf = (e: Operation): boolean => isForm(e) && e.method === 'post' && e.path !== '/oauth2'

export const wireOf = (e: Operation, sketch: Sketch, caller: Caller, origin: string): Wire => {
  const of = <T extends Twist['twist']>(kind: T) =>
    sketch.twists.filter((each): each is Extract<Twist, { twist: T }> => each.twist === kind)
  const takesBody = e.method !== 'get' && e.method !== 'delete'
  const given = changed(sketch, of)
  const picks = Object.fromEntries(Object.entries(e.when ?? {}).filter(([, value]) => value !== true))
  const inBody = inBodyOf(e)
  const { path, query } = placed(e.path, { ...(inBody ? {} : picks), ...given.query, ...caller.query })
  const fields = { ...(inBody ? picks : {}), ...(given.body as object), ...caller.body }
  const twice = of('twice')[0]
  const text = takesBody ? textOf(e, given.body, fields, twice?.nth) : undefined
  const { raw, upload } = e.takes ?? {}
  const body = written(text, of, upload ? 'latin1' : 'utf8')
  const search = query + (twice && query !== '' ? `&${query.split('&')[0]}` : '')
  const headers = {
    accept: e.page ? 'text/html' : 'application/json',
    ...(text !== undefined && { 'content-type': upload ? MULTIPART : isForm(e) ? FORM : 'application/json' }),
    ...(e.auth === 'person' || e.auth === 'visitor' ? { origin, 'sec-fetch-site': 'same-origin' } : {}),
    ...caller.headers,
    ...(raw && body && caller.signs && { 'stripe-signature': signatureOf(body.toString('utf8'), caller.signs) }),
    ...Object.fromEntries(of('header').map(({ name, value }) => [name, value])),
    ...Object.fromEntries(of('type').map(({ type }) => ['content-type', type])),
  }
  return {
    method: of('method')[0]?.method ?? e.method.toUpperCase(),
    path: `${path}${search && `?${search}`}${of('path')[0]?.end ?? ''}`,
    headers,
    body,
  }
}

const signatureOf = (payload: string, secret: string): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret })

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=x'
/** The bytes of a picture, as letters of one byte each. */
const PICTURE = [
  '--x\r\nContent-Disposition: form-data; name="file"; filename="x.png"\r\nContent-Type: image/png\r\n\r\n',
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ).toString('latin1'),
  '\r\n--x--\r\n',
].join('')

const textOf = (e: Operation, body: unknown, fields: object, twice: number | undefined): string => {
  if (e.takes?.upload) return PICTURE
  if (e.takes?.raw) return asText(Object(fields).raw ?? '')
  if (Array.isArray(body)) return JSON.stringify(body)
  return isForm(e) ? formText(fields, twice) : jsonText(fields, twice)
}

type Of = <T extends Twist['twist']>(kind: T) => Extract<Twist, { twist: T }>[]

/** The fields after the twists that are about fields. */
const changed = ({ query, body }: Sketch, of: Of): { query: Record<string, unknown>; body: unknown } => {
  const whole = structuredClone({ query, body }) as { query: Record<string, unknown>; body: unknown }
  for (const { nth, value } of of('value')) at(whole, nth, (holder, name) => Object.assign(holder, { [name]: value }))
  for (const { nth } of of('missing'))
    at(whole, nth, (holder, name) => {
      delete holder[name]
    })
  for (const { name, value } of of('extra'))
    Object.defineProperty(typeof whole.body === 'object' && whole.body !== null ? whole.body : whole.query, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  return whole
}

/** Does something to the nth of all fields, however deep; where there are fewer, counted on from the first. */
const at = (whole: object, nth: number, act: (holder: Record<string, unknown>, name: string) => void): void => {
  const places = Object.values(whole).flatMap(placesIn)
  const place = places[nth % places.length]
  if (place) act(...place)
}

const placesIn = (value: unknown): [Record<string, unknown>, string][] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([name, item]) => [
        [value as Record<string, unknown>, name] as [Record<string, unknown>, string],
        ...placesIn(item),
      ])

/** What belongs into the path, and the rest as a query. */
const placed = (path: string, given: Readonly<Record<string, unknown>>) => {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encoded(given[name] ?? 'none') || 'none')
  const rest = Object.entries(given).filter(([name]) => !path.includes(`:${name}`))
  return { path: filled, query: rest.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&') }
}

const encoded = (value: unknown): string => encodeURIComponent(asText(value).toWellFormed())

const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)

const formText = (fields: object, twice: number | undefined): string => {
  const pairs = Object.entries(fields).map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
  return [...pairs, ...(twice === undefined || pairs.length === 0 ? [] : [pairs[twice % pairs.length]])].join('&')
}

const jsonText = (fields: object, twice: number | undefined): string => {
  const text = JSON.stringify(fields)
  const names = Object.keys(fields)
  const name = twice === undefined ? undefined : names[twice % names.length]
  return name === undefined ? text : `{${JSON.stringify(name)}:null,${text.slice(1)}`
}

const written = (text: string | undefined, of: Of, encoding: 'latin1' | 'utf8'): Buffer | undefined => {
  const [bytes, other, much, cut] = [of('bytes')[0], of('text')[0], of('much')[0], of('cut')[0]]
  if (bytes) return Buffer.from(bytes.hex, 'hex')
  if (much) return Buffer.from(MUCH[much.of](much.size))
  const whole = other?.text ?? text
  if (whole === undefined) return undefined
  const all = Buffer.from(whole, encoding)
  return cut ? all.subarray(0, Math.floor((all.length * cut.percent) / 100)) : all
}

const PRINTED_MAX = 600

/** The request as one could send it by hand. */
export const asCurl = ({ method, path, headers, body }: Wire, origin: string): string => {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const text = body?.toString('utf8')
  const plain = text !== undefined && Buffer.from(text).equals(body as Buffer) && !text.includes('\0')
  const data = plain ? quoted(cut(text)) : `$'${cut(body?.toString('hex').replaceAll(/../g, '\\x$&') ?? '')}'`
  return [
    `curl -gi --path-as-is -X ${method} ${quoted(origin + cut(path))}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${cut(value)}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${data}`]),
  ].join(' ')
}

const cut = (text: string): string =>
  text.length <= PRINTED_MAX ? text : `${text.slice(0, PRINTED_MAX)}…(${text.length} in all)`
