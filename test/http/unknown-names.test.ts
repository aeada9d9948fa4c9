import test from 'ava'
import { z } from 'zod'
import { unknownNames } from '../../adapters/http/core/unknown-names.ts'
import { validInput } from '../../adapters/http/core/valid.ts'
import { jsonField } from '../../adapters/http/pay/fields.ts'
import { otherNames } from '../../adapters/http/serving/validation.ts'
import { nearestName } from '../../domain/kernel/nearest.ts'
import { surfaces } from '../../src/runtime/openapi.ts'
import { refusalOf } from './inputs.ts'

const all = surfaces().flatMap((surface) => surface.endpoints.map((e) => ({ e, names: otherNames(e, surface) })))

const named = ({ e }: (typeof all)[number]) =>
  [e.method.toUpperCase(), e.path, ...Object.entries(e.when ?? {}).map((pick) => pick.join('='))].join(' ')

test('N-77 every operation refuses a name that it does not know, in its query and in its body', (t) => {
  const refused = { query: 0, body: 0 }
  for (const one of all)
    for (const part of ['query', 'body'] as const) {
      const others = one.names[part]
      const schema = one.e[part]
      if (others === 'any' || schema instanceof z.ZodArray || bearsAny(schema)) continue
      const said = refusalOf(t, () => validInput(schema, { qzx_unknown: '1' }, others))
      t.regex(said, /(^|; )qzx_unknown: this name is not known/, `${part} of ${named(one)}`)
      refused[part]++
    }
  t.true(refused.query > 200 && refused.body > 150, JSON.stringify(refused))
})

/** Bodies of which foreign programs decide the names: the commerce protocol, and pages that pass a form on. */
const bearsAny = (schema: z.ZodType | undefined): boolean =>
  schema !== undefined && unknownNames(schema, { qzx_unknown: '1' }).length === 0

test('N-77 names that nobody knows are passed over where a protocol or a public link has to bear them', (t) => {
  const bearing = all.filter(({ names: { query, body }, e }) => query === 'any' || (body === 'any' && !e.takes))
  const queries = bearing.filter(({ names }) => names.query === 'any').map(named)
  const bodies = bearing.filter(({ names, e }) => names.body === 'any' && !e.takes?.raw && !e.takes?.upload).map(named)
  const oauth = ['authorize', 'end_session', 'token', 'userinfo', 'revoke'].map((op) => `/oauth2 op=${op}`)
  const catalog = ['search', 'lookup', 'product'].map((what) => `POST /catalog/${what}`)
  const x402 = ['/v1/exact-verify', '/v1/exact-settle', '/v1/x402/verify', '/v1/x402/settle'].map((at) => `POST ${at}`)
  const isOAuth = (name: string) => oauth.some((each) => name.endsWith(each)) || /\/oauth2\/(resume|end)$/.test(name)
  // A box that is ticked is a name of its own.
  const boxes = ['POST /dashboard/developers/webhooks act=resend']
  t.deepEqual(bodies.filter((name) => !isOAuth(name)).toSorted(), [...catalog, ...x402, ...boxes].toSorted())
  const links =
    /^(GET|POST) \/(r|checkout|id|buy|l|shop|session|payout|orders)\/:|^GET \/($|audit$|\.well-known\/)|\/verify-email$/
  const people = /^(GET|POST) \/(dashboard|sign-|account|confirm\/|standing-orders\/|topup\/)/
  t.deepEqual(
    queries.filter((name) => !isOAuth(name) && !links.test(name) && !people.test(name)),
    [],
  )
  for (const door of ['GET /r/:id', 'GET /checkout/:id', 'GET /id/:id', 'GET /shop/:handle', 'GET /session/:id'])
    t.true(queries.includes(door), door)
  for (const each of oauth)
    t.true(bodies.some((name) => name.endsWith(each)) || queries.some((name) => name.endsWith(each)), each)
})

test('N-77 the nearest known name is told, and else the names to choose from', (t) => {
  const body = z.object({ amount: z.number(), max_per_caller: z.object({ window_hours: z.int() }).optional() })
  t.is(
    refusalOf(t, () => validInput(body, { amount: 1, max_per_caler: { window_hours: 1 } })),
    'max_per_caler: this name is not known. Did you mean max_per_caller?',
  )
  t.is(
    refusalOf(t, () => validInput(body, { amount: 1, max_per_caller: { windowhours: 1, window_hours: 1 } })),
    'max_per_caller.windowhours: this name is not known. Did you mean window_hours?',
  )
  t.is(
    refusalOf(t, () => validInput(body, { amount: 1, colour: 'red' })),
    'colour: this name is not known (known: amount, max_per_caller)',
  )
  t.is(
    refusalOf(t, () => validInput(undefined, { colour: 'red' })),
    'colour: this name is not known, leave it out',
  )
  t.is(nearestName('STORE_SCOPES', ['store_scope', 'status']), 'store_scope')
  t.is(nearestName('x'.repeat(65), ['x']), undefined)
})

test('N-77 names are looked for at every depth, in each form that a value may have', (t) => {
  const found = (schema: z.ZodType, value: unknown) =>
    unknownNames(schema, value).map(({ path, name }) => [...path, name].join('.'))
  const item = z.object({ id: z.string(), inner: z.object({ a: z.string() }).nullable().default(null) })
  t.deepEqual(found(z.array(item), [{ id: 'x' }, { id: 'y', inner: { a: '1', b: 2 }, c: 3 }]), ['1.c', '1.inner.b'])
  t.deepEqual(found(z.record(z.string(), item), { one: { id: 'x', more: 1 } }), ['one.more'])
  t.deepEqual(found(z.looseObject({ item }), { any: 1, item: { id: 'x', more: 1 } }), ['item.more'])
  t.deepEqual(found(item.and(z.object({ also: z.string() })), { id: 'x', also: 'y', more: 1 }), ['more'])
  t.deepEqual(found(item.and(z.looseObject({})), { id: 'x', more: 1 }), [])
  t.deepEqual(found(jsonField(item), '{"id":"x","more":1}'), ['more'])
  t.deepEqual(
    found(
      z.preprocess((value) => value, item),
      { id: 'x', more: 1 },
    ),
    ['more'],
  )
  const either = z.union([z.object({ a: z.string() }), z.object({ b: z.string(), c: z.string().optional() })])
  t.deepEqual(found(either, { b: 'x', c: 'y' }), [])
  t.deepEqual(found(either, { a: 'x', c: 'y' }), ['c'])
  t.deepEqual(found(either, { d: 'x' }), [], 'it has neither form, which is another fault')
  t.deepEqual(found(z.strictObject({ a: z.string() }), JSON.parse('{"a":"x","__proto__":1}')), ['__proto__'])
})
