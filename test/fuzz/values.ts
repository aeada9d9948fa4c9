/**
 * Values that a declaration allows, from its JSON Schema; names of things that exist where a parameter is named like
 * one.
 */
import fc from 'fast-check'
import type { Shape } from '../http/tenants/declared.ts'

/**
 * The ready-made generators from zod's or JSON Schema know nothing of what exists on the stage, and most of what they
 * make would be refused for naming nothing; so these are put together from fast-check's own parts, which shrink.
 */

/** Names of things by the parameters that take them, and all of them. */
export type Named = { readonly ids: Readonly<Record<string, readonly string[]>>; readonly any: readonly string[] }

const LIST_MAX = 3
const KEYS_MAX = 3
const TEXT_MAX = 40

/** What one field of a declaration may hold; `root` is where its references point. */
export const fieldOf = (shape: Shape, name: string, named: Named, root: Shape): fc.Arbitrary<unknown> => {
  const { type, enum: choices, $ref } = shape
  if ($ref) return fieldOf(root.$defs?.[$ref.replace('#/$defs/', '')] ?? {}, name, named, root)
  if (shape.const !== undefined) return fc.constant(shape.const)
  if (choices) return fc.constantFrom(...choices)
  const several = shape.anyOf ?? shape.oneOf
  if (several) return fc.oneof(...several.map((each) => fieldOf(each, name, named, root)))
  if (type === 'object') return objectOf(shape, named, root)
  if (type === 'array') return listOf(shape, name, named, root)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'number' || type === 'integer') return numberOf(shape, name, named)
  if (type === undefined && shape.properties === undefined)
    return fc.oneof(textOf(shape, name, named), fc.constantFrom(0, 1, 2.5))
  return textOf(shape, name, named)
}

/** An object with what it needs, and some of what it may have. */
export const objectOf = (shape: Shape, named: Named, root: Shape): fc.Arbitrary<Record<string, unknown>> => {
  const { properties = {}, required = [], additionalProperties } = shape
  const names = Object.keys(properties)
  if (names.length === 0 && typeof additionalProperties === 'object')
    return fc.dictionary(fc.constantFrom(...named.any), fieldOf(additionalProperties, '', named, root), {
      maxKeys: KEYS_MAX,
      noNullPrototype: true,
    })
  const values = Object.fromEntries(names.map((name) => [name, fieldOf(properties[name] ?? {}, name, named, root)]))
  const needed = required.filter((name) => names.includes(name))
  const least = Object.fromEntries(needed.map((name) => [name, values[name] as fc.Arbitrary<unknown>]))
  // What may be left out is left out by most callers, and often says no to the rest.
  return fc.oneof(
    { weight: 2, arbitrary: fc.record<Record<string, unknown>>(least, { noNullPrototype: true }) },
    {
      weight: 3,
      arbitrary: fc.record<Record<string, unknown>>(values, { requiredKeys: needed, noNullPrototype: true }),
    },
  )
}

const listOf = ({ items = {}, minItems = 0, maxItems = LIST_MAX }: Shape, name: string, named: Named, root: Shape) =>
  fc.array(fieldOf(items, name, named, root), {
    minLength: minItems,
    maxLength: Math.max(minItems, Math.min(maxItems, LIST_MAX)),
  })

const numberOf = ({ type, minimum = 0, maximum = 1_000_000 }: Shape, name: string, { ids }: Named) => {
  const [min, max] = [Math.max(minimum, -1e6), Math.min(maximum, minimum + 1e6)]
  const known = ids[name]?.map(Number).filter((value) => !Number.isNaN(value)) ?? []
  const whole = fc.integer({ min: Math.ceil(min), max: Math.max(Math.ceil(min), Math.floor(max)) })
  const part = type === 'integer' ? whole : fc.integer({ min: 1, max: 99_999 }).map((cents) => cents / 100)
  const any = fc.oneof({ weight: 2, arbitrary: whole }, { weight: 1, arbitrary: part })
  return known.length > 0
    ? fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: any })
    : any
}

const textOf = (shape: Shape, name: string, { ids, any }: Named): fc.Arbitrary<string> => {
  const own = ids[name]
  const other = fc.oneof(plainText(shape), fc.constantFrom(...any, ...COMMON))
  return own && own.length > 0
    ? fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...own) }, { weight: 1, arbitrary: other })
    : other
}

const plainText = ({ pattern, format, minLength = 0, maxLength = TEXT_MAX }: Shape): fc.Arbitrary<string> => {
  if (format === 'email') return fc.integer({ min: 1, max: 1e9 }).map((n) => `fuzz-${n}@x.test`)
  const bounds = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, TEXT_MAX)) }
  const text = fc.string({ unit: fc.constantFrom(...LETTERS), ...bounds })
  return pattern === undefined ? text : (matching(pattern) ?? text)
}

/** Patterns that look ahead cannot be made backwards. */
const matching = (pattern: string): fc.Arbitrary<string> | undefined => {
  try {
    const made = fc.stringMatching(new RegExp(pattern, 'u'), { size: '-1' })
    fc.sample(made, 1)
    return made
  } catch {
    return undefined
  }
}

const LETTERS = [...'abcdefghij0123456789 .-_éß茶']

const COMMON = [
  '1',
  '2.5',
  '0.01',
  'eth',
  'btc',
  'USD',
  'EUR',
  'x',
  '15m',
  'erc-20',
  'none',
  'live',
  'test',
  'true',
  '2026-11-01',
  '2026-11-01 10:00:00',
  'S256',
  'code',
  'openid',
  'approve',
  'deny',
  'allow',
]
