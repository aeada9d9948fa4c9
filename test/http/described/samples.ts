/** Requests that the service takes, made from what its endpoints declare. */
import type { z } from 'zod'
import { PAY_TO } from '../../support/seller.ts'

/** Values of which one fits nearly every field that is no object or list. */
const POOL: readonly unknown[] = [
  'text',
  '1',
  1,
  true,
  '1.5',
  0.5,
  'USD',
  'DE',
  'eth',
  'a@b.example',
  'https://shop.example/there',
  'long enough to be a password',
  '2026-01-02',
  '2026-01-02T03:04:05Z',
  '#112233',
  PAY_TO,
  `0x${'ab'.repeat(32)}`,
  'pl-abcdefgh',
  `${'ab'.repeat(16)}`,
  'a'.repeat(43),
  `pr_${'a'.repeat(26)}`,
  `app_${'a'.repeat(26)}`,
  `tf_${'a'.repeat(26)}`,
  '{"title":"Changed"}',
  '0',
  '',
  null,
]

/** Whether a schema takes a value. Some refuse by themselves. */
const takes = (schema: z.core.$ZodType, value: unknown): boolean => {
  try {
    return (schema as z.ZodType).safeParse(value).success
  } catch {
    return false
  }
}

/**
 * A value that a schema takes: the smallest, or with `whole` one that has every field; undefined where none was found.
 */
export const sampleOf = (schema: z.core.$ZodType, whole = false): unknown => {
  for (const value of candidates(schema, whole)) if (value !== undefined && takes(schema, value)) return value
  return undefined
}

function* candidates(schema: z.core.$ZodType, whole: boolean): Generator<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return yield* objects(def.shape, whole)
    case 'array':
      yield [sampleOf(def.element, whole)]
      yield [1, 2]
      return yield []
    case 'record':
      return yield {}
    case 'enum':
      return yield* Object.values(def.entries)
    case 'literal':
      return yield* def.values
    case 'union':
      for (const option of def.options) yield sampleOf(option, whole)
      return
    case 'lazy':
      return yield sampleOf(def.getter(), whole)
    case 'pipe':
      yield sampleOf(def.in, whole)
      yield sampleOf(def.out, whole)
      // Text that holds JSON.
      yield JSON.stringify(sampleOf(def.out, whole))
      return yield* POOL
    default:
      if ('innerType' in def) yield sampleOf(def.innerType, whole)
      yield* POOL
  }
}

/** The fields that are needed, then these and each other one, because some objects want one of several. */
function* objects(shape: Readonly<Record<string, z.core.$ZodType>>, whole: boolean): Generator<unknown> {
  const needed = Object.entries(shape).filter(([, field]) => !takes(field, undefined))
  const others = Object.entries(shape).filter(([, field]) => takes(field, undefined))
  const made = (fields: readonly (readonly [string, z.core.$ZodType])[]) =>
    Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, whole)]))
  if (whole) yield made([...needed, ...others])
  yield made(needed)
  for (const other of others) yield made([...needed, other])
}
