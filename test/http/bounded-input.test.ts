import test from 'ava'
import { z } from 'zod'
import { recordOf } from '../../adapters/http/core/record-of.ts'
import { validInput } from '../../adapters/http/core/valid.ts'
import { BODY_MAX_BYTES, ITEMS_MAX, readForm, readJson } from '../../adapters/input/body.ts'
import { withinBytes } from '../../adapters/input/short-text.ts'
import { surfaces } from '../../src/runtime/openapi.ts'
import { refusalOf } from './inputs.ts'

/** However much is sent, little of it is looked at, and less is told. */

/** The shapes that a shape is made of, with what their place in it is called. */
const inside = (schema: z.core.$ZodType): (readonly [at: string, inner: z.core.$ZodType | undefined])[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'array':
      return [['.*', def.element]]
    case 'record':
      return [['.*', def.valueType]]
    case 'object':
      return [...Object.entries(def.shape).map(([name, inner]) => [`.${name}`, inner] as const), ['.*', def.catchall]]
    case 'union':
      return def.options.map((each) => ['', each] as const)
    case 'intersection':
      return [
        ['', def.left],
        ['', def.right],
      ]
    case 'pipe':
      return [
        ['', def.in],
        ['', def.out],
      ]
    case 'tuple':
    case 'map':
    case 'set':
    case 'lazy':
      throw new Error(`nobody has said how a ${def.type} is bounded`)
    default:
      return 'innerType' in def ? [['', def.innerType]] : []
  }
}

const names = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`name-${i}`, value]))

test('E-400-06 every list and every object of free names that a caller may send is counted before any of it is looked at', (t) => {
  const found = { list: 0, record: 0 }
  const flood = { list: Array.from({ length: ITEMS_MAX + 1 }, () => Symbol()), record: names(ITEMS_MAX + 1, Symbol()) }
  const isCounted = (schema: z.core.$ZodType, what: 'list' | 'record', at: string) => {
    found[what]++
    // One fault and no more: whoever walks through all of it has one for each.
    t.is(z.safeParse(schema, flood[what]).error?.issues.length, 1, `${at}: give this ${what} a bound`)
  }
  const seen = new Set<unknown>()
  const walk = (schema: z.core.$ZodType | undefined, at: string, through?: z.core.$ZodType): void => {
    if (!schema || seen.has(schema)) return
    seen.add(schema)
    const { type } = schema._zod.def
    if (type === 'array') isCounted(schema, 'list', at)
    if (type === 'record') isCounted(through ?? schema, 'record', at)
    for (const [name, inner] of inside(schema)) walk(inner, `${at}${name}`, type === 'pipe' ? schema : undefined)
  }
  for (const { name, endpoints } of surfaces())
    for (const { method, path, when = {}, ...e } of endpoints)
      for (const part of ['params', 'query', 'body', 'headers'] as const)
        walk(e[part], `${name} ${method} ${path} ${JSON.stringify(when)} ${part}`)
  t.true(found.list >= 15 && found.record >= 8, JSON.stringify(found))
})

test('E-400-06 of what is wrong at most ten faults are told, in at most 2 KB, each by the name of its field', (t) => {
  const shape = z.strictObject({ list: z.array(z.object({ id: z.int() })).max(100), also: z.string().optional() })
  const many = refusalOf(t, () => validInput(shape, { list: Array.from({ length: 100 }, () => ({ id: 'x' })) }))
  t.is(many.split('; ').length, 11)
  t.regex(many, /^list\.0\.id: has to be a number; .*list\.9\.id: [^;]*; 90 more like these$/)
  const few = refusalOf(t, () => validInput(shape, { list: [{ id: 'x' }], also: 7 }))
  t.is(few.split('; ').length, 2)

  const long = 'é'.repeat(100_000)
  const hostile = [
    { ...names(20_000), list: [] },
    { [long]: 1, list: [] },
    { list: [], also: { [long]: long } },
    { list: Array.from({ length: 100 }, () => ({ id: long })) },
  ]
  for (const value of hostile)
    t.regex(
      refusalOf(t, () => validInput(shape, value)),
      /^(the request|list|also|name-0|é{79}…)\b|^é{79}…/,
    )
  const words = z.record(z.string(), z.enum(Array.from({ length: 2_000 }, (_, i) => `word-${i}`)))
  const deep = refusalOf(t, () =>
    validInput(words, Object.fromEntries([...'abcdefghijkl'].map((each) => [long + each, 1]))),
  )
  t.true(deep.split('; ').length >= 5 && deep.endsWith('…'), deep)
})

test('E-400-06 a body is bounded in items, names and values while its text is read', (t) => {
  const list = (count: number) => `[${Array.from({ length: count }, () => '1').join()}]`
  const object = (count: number) => JSON.stringify(names(count))
  t.notThrows(() => readJson(`{"a":${list(ITEMS_MAX)}}`))
  t.notThrows(() => readJson(object(ITEMS_MAX)))
  t.is(
    refusalOf(t, () => readJson(`{"a":{"b":${list(ITEMS_MAX + 1)}}}`)),
    'a.b: has to have at most 1000 items',
  )
  t.is(
    refusalOf(t, () => readJson(`[${list(ITEMS_MAX + 1)}]`, true)),
    '0: has to have at most 1000 items',
  )
  t.is(
    refusalOf(t, () => readJson(object(ITEMS_MAX + 1))),
    'the body: has to have at most 1000 names',
  )
  const lists = `{"a":[${Array.from({ length: 11 }, () => list(ITEMS_MAX)).join()}]}`
  t.is(
    refusalOf(t, () => readJson(lists)),
    'The body has to hold at most 10000 values.',
  )
  t.is(
    refusalOf(t, () => readForm(Array.from({ length: 1_001 }, (_, i) => `f${i}=1`).join('&'))),
    'The form has to have at most 1000 fields.',
  )
})

test('E-400-06 a body that is over its bounds is not made into values at all', (t) => {
  const { parse } = JSON
  const made: number[] = []
  const bodies = [
    JSON.stringify({ ids: Array.from({ length: 120_000 }, () => 1) }),
    JSON.stringify(names(15_000)),
    '['.repeat(250_000),
    `{"a":1${' '.repeat(200_000)}`,
  ]
  t.true(bodies.every(({ length }) => length <= BODY_MAX_BYTES))
  JSON.parse = (text, ...more) => {
    made.push(text.length)
    return parse(text, ...more)
  }
  try {
    for (const body of bodies) refusalOf(t, () => readJson(body))
    t.deepEqual(made, [])
    readJson('{"a":1}')
    t.deepEqual(made, [7])
  } finally {
    JSON.parse = parse
  }
})

test('E-400-06 names that are told back are cut, and no character of them in two', (t) => {
  const name = `${'😀'.repeat(2_000)}x`
  t.regex(
    refusalOf(t, () => readJson(`{"${name}":1,"${name}":2}`)),
    /^"(😀)+…" stands twice in one object: send it once$/u,
  )
  t.true(refusalOf(t, () => readForm(`${name}=1&${name}=2`)).length < 120)
  for (const max of [10, 11, 12, 13]) {
    const cut = withinBytes('😀'.repeat(9), max)
    t.true(cut.isWellFormed() && cut.endsWith('…') && Buffer.byteLength(cut) <= max, `${max}: ${cut}`)
  }
  t.is(withinBytes('as it is', 8), 'as it is')
})

test('an object of free names keeps its bound, and refuses the one name that would be lost', (t) => {
  const shape = z.object({ a: recordOf(z.string(), z.int(), 2).optional() })
  t.deepEqual(validInput(shape, { a: { x: 1, constructor: 2 } }), { a: { x: 1, constructor: 2 } })
  t.deepEqual(validInput(shape, {}), {})
  t.is(
    refusalOf(t, () => validInput(shape, { a: { x: 1, y: 2, z: 3 } })),
    'a: has to have at most 2 names',
  )
  t.is(
    refusalOf(t, () => validInput(shape, readJson('{"a":{"__proto__":1}}'))),
    'a: has a name that is not taken: leave __proto__ out',
  )
})
