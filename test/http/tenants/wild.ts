/** Calls that nobody in their senses makes: any operation, with anybody's names in any place. */
import fc from 'fast-check'
import { type Given, isForm, type Operation, operations, parametersOf, type Shape } from './declared.ts'
import type { Ids } from './tenant.ts'

/** Names by the parameters that take them, `any` of them all, and URLs that may be called. */
export type Pool = { readonly ids: Ids; readonly any: readonly string[]; readonly urls: readonly string[] }

export type Wild = Given & { readonly e: Operation; readonly caller: number; readonly once: boolean }

/** Which of the callers calls is their number, of so many. */
export const wildCalls = (pool: Pool, callers: number, among = operations): fc.Arbitrary<Wild> =>
  fc.oneof(
    ...among.map((e) =>
      fc.record({
        e: fc.constant(e),
        caller: fc.nat(callers - 1),
        once: fc.boolean(),
        ...givenFor(e, pool),
      }),
    ),
  )

/** What an operation may be given: what it declares, what picks it, and now and then a name too many. */
const givenFor = (e: Operation, pool: Pool) => {
  const picks = parametersOf(e).filter(({ name }) => e.when?.[name] === true)
  const extra = fc.tuple(fc.constantFrom(...Object.keys(pool.ids)), fc.constantFrom(...pool.any))
  // A name too many is refused as such, so that most calls have none.
  const stray = fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: extra })
  const part = (at: 'query' | 'body', shape: Shape) => {
    const picking = picks.filter((each) => each.at === at).map(({ name }) => [name, named(name, pool)] as const)
    const own = objectOf(shape, pool, shape)
    const more = at === (isForm(e) ? 'body' : 'query') ? stray : fc.constant(null)
    return fc
      .tuple(own, fc.record(Object.fromEntries(picking)), more)
      .map(([given, picked, extra]) => ({ ...(extra && { [extra[0]]: extra[1] }), ...given, ...picked }))
  }
  return {
    query: part('query', e.asks) as fc.Arbitrary<Record<string, string>>,
    body: part('body', e.sends) as fc.Arbitrary<Record<string, unknown>>,
  }
}

/** A name of the parameter's own kind mostly, and sometimes of another. */
const named = (name: string, { ids, any }: Pool): fc.Arbitrary<string> => {
  const other = fc.constantFrom(...any)
  const own = ids[name]
  return own ? fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...own) }, { weight: 1, arbitrary: other }) : other
}

const objectOf = (shape: Shape, pool: Pool, root: Shape): fc.Arbitrary<Record<string, unknown>> => {
  const { properties = {}, required = [], additionalProperties } = shape
  const names = Object.keys(properties)
  if (names.length === 0 && typeof additionalProperties === 'object')
    return fc.dictionary(fc.constantFrom(...pool.any), formOf(additionalProperties, '', pool, root), { maxKeys: 2 })
  const values = Object.fromEntries(names.map((name) => [name, formOf(properties[name] ?? {}, name, pool, root)]))
  return fc.record(values, { requiredKeys: required.filter((name) => names.includes(name)) })
}

const formOf = (shape: Shape, name: string, pool: Pool, root: Shape): fc.Arbitrary<unknown> => {
  const { type, enum: choices, anyOf, oneOf, $ref } = shape
  if ($ref) return formOf(root.$defs?.[$ref.replace('#/$defs/', '')] ?? {}, name, pool, root)
  if (shape.const !== undefined) return fc.constant(shape.const)
  if (choices) return fc.constantFrom(...choices)
  const several = anyOf ?? oneOf
  if (several) return fc.oneof(...several.map((each) => formOf(each, name, pool, root)))
  if (type === 'object') return objectOf(shape, pool, root)
  if (type === 'array') return fc.array(formOf(shape.items ?? {}, name, pool, root), { maxLength: 2 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'number' || type === 'integer')
    return pool.ids[name] ? fc.constantFrom(...pool.ids[name].map(Number)) : fc.constantFrom(1, 4, 9, 0.5, 77)
  if (name === 'values') return fc.dictionary(fc.constantFrom(...WRITABLE), named('', pool), { maxKeys: 3 })
  return /url|webhook|redirect/.test(name) ? fc.constantFrom(...pool.urls) : textOf(name, pool)
}

const textOf = (name: string, pool: Pool): fc.Arbitrary<string> =>
  pool.ids[name]
    ? named(name, pool)
    : fc.oneof(named(name, pool), fc.constantFrom('1', '2.5', 'eth', 'USD', 'x', '15m', 'erc-20'))

const WRITABLE = [
  'title',
  'status',
  'store_id',
  'checkout_id',
  'customer_id',
  'external_reference',
  'to',
  'hash',
  'webhook',
]
