/**
 * What can be wrong with a request: each a small thing that is named, so that a failing request says what was done to
 * it.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { anyCharacter } from '../support/any-character.ts'

export type Twist =
  /** The nth of its fields has another value. */
  | { readonly twist: 'value'; readonly nth: number; readonly value: unknown }
  | { readonly twist: 'missing'; readonly nth: number }
  | { readonly twist: 'extra'; readonly name: string; readonly value: unknown }
  /** A field stands twice in the text of the body, and a parameter twice in the query. */
  | { readonly twist: 'twice'; readonly nth: number }
  | { readonly twist: 'cut'; readonly percent: number }
  | { readonly twist: 'type'; readonly type: string }
  | { readonly twist: 'method'; readonly method: string }
  | { readonly twist: 'header'; readonly name: string; readonly value: string }
  | { readonly twist: 'path'; readonly end: string }
  | { readonly twist: 'bytes'; readonly hex: string }
  | { readonly twist: 'text'; readonly text: string }
  /** A body that is too long to print. */
  | { readonly twist: 'much'; readonly of: keyof typeof MUCH; readonly size: number }

/** Bodies of so much of something. */
export const MUCH = {
  'levels of lists': (size: number) => '['.repeat(size) + ']'.repeat(size),
  'levels of objects': (size: number) => `${'{"a":'.repeat(size)}1${'}'.repeat(size)}`,
  'keys of an object': (size: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n}`, n]))),
  'fields of a form': (size: number) => Array.from({ length: size }, (_, n) => `f${n}=${n}`).join('&'),
  'letters in a field': (size: number) => JSON.stringify({ email: 'x'.repeat(size * 50) }),
  'digits of a number': (size: number) => `{"amount":${'9'.repeat(size)}}`,
  'bytes of nothing': (size: number) => ' '.repeat(size * 50),
} as const

/** Lists of JSON texts, one a line, each after its name; `{x*30}` in one stands for thirty of it. */
const oddities: Readonly<Record<string, unknown[]>> = Object.fromEntries(
  readFileSync(new URL('odd.txt', import.meta.url), 'utf8')
    .split('# ')
    .slice(1)
    .map((list) => list.trim().split('\n'))
    .map(([name, ...lines]) => [name, lines.map((line) => repeated(JSON.parse(line)))]),
)

function repeated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(repeated)
  if (typeof value !== 'string') return value
  return value.replaceAll(/\{(.+?)\*(\d+)\}/gu, (_, text: string, times) => text.repeat(Number(times)))
}

const nth = fc.nat(30)

/** One field, header or method is wrong. */
export const nearly = (): fc.Arbitrary<Twist> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ twist: fc.constant('value' as const), nth, value: oddValue() }) },
    { weight: 3, arbitrary: fc.record({ twist: fc.constant('missing' as const), nth }) },
    { weight: 2, arbitrary: fc.record({ twist: fc.constant('extra' as const), name: oddName, value: oddValue() }) },
    { weight: 1, arbitrary: fc.record({ twist: fc.constant('twice' as const), nth }) },
    { weight: 1, arbitrary: fc.record({ twist: fc.constant('cut' as const), percent: fc.nat(99) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        twist: fc.constant('type' as const),
        type: fc.constantFrom(...(oddities.TYPES as string[])),
      }),
    },
    { weight: 1, arbitrary: fc.record({ twist: fc.constant('method' as const), method: fc.constantFrom(...METHODS) }) },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom(...(oddities.HEADERS as (readonly [name: string, value: string])[]))
        .map(([name, value]) => ({ twist: 'header' as const, name, value })),
    },
  )

/** Nothing that anybody would send. */
export const absurd = (): fc.Arbitrary<Twist> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        twist: fc.constant('path' as const),
        end: fc.constantFrom(...(oddities.ENDS as string[])),
      }),
    },
    {
      weight: 2,
      arbitrary: fc
        .uint8Array({ maxLength: 200 })
        .map((bytes) => ({ twist: 'bytes' as const, hex: Buffer.from(bytes).toString('hex') })),
    },
    { weight: 2, arbitrary: fc.json({ noUnicodeString: false }).map((text) => ({ twist: 'text' as const, text })) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(...(oddities.TEXTS as string[])).map((text) => ({ twist: 'text' as const, text })),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        twist: fc.constant('much' as const),
        of: fc.constantFrom(...(Object.keys(MUCH) as (keyof typeof MUCH)[])),
        size: fc.integer({ min: 30, max: 20_000 }),
      }),
    },
  )

const oddValue = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...(oddities.VALUES as unknown[])) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 30 }) },
    { weight: 1, arbitrary: fc.double() },
    { weight: 1, arbitrary: fc.maxSafeInteger() },
  )

const oddName = fc.oneof(fc.constantFrom(...(oddities.NAMES as string[])), fc.string({ maxLength: 12 }))

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']
