import { visit } from 'jsonc-parser'
import { refuse } from '../../domain/refusal.ts'

/** Reads bodies strictly: what two readers could understand differently is refused rather than guessed. */

/** The largest request body, in bytes; an upload has its own limit where it is declared. */
export const BODY_MAX_BYTES = 256 * 1024
/** Deeper nesting has no use here and costs the reader its stack. */
const DEPTH_MAX = 32

/** A JSON object without duplicate keys, NUL characters or broken text; an empty body is `{}`. Refuses `invalid-request`. */
export const readJson = (text: string): object => {
  if (text.trim() === '') return {}
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('invalid-request', 'the body must be a JSON object')
  const twice = duplicateKey(text)
  if (twice !== undefined) return refuse('invalid-request', `the key ${JSON.stringify(twice)} stands twice in one object`)
  refuseUnstorable(value)
  return value
}

/** Form fields, each at most once. Refuses `invalid-request`. */
export const readForm = (text: string): Record<string, string> => {
  const fields: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(fields, name)) return refuse('invalid-request', `the field ${JSON.stringify(name)} stands twice`)
    fields[name] = value
  }
  refuseUnstorable(fields)
  return fields
}

/** Text that a database cannot hold (NUL, half a surrogate pair) is refused at the door, wherever it stands. */
export const refuseUnstorable = (value: unknown, depth = 0): void => {
  if (depth > DEPTH_MAX) refuse('invalid-request', `the body is nested more than ${DEPTH_MAX} levels deep`)
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) refuse('invalid-request', 'text holds a NUL or is not valid Unicode')
  } else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      refuseUnstorable(key, depth + 1)
      refuseUnstorable(item, depth + 1)
    }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('invalid-request', 'the body is not valid JSON')
  }
}

const duplicateKey = (text: string): string | undefined => {
  const objects: Set<string>[] = []
  let twice: string | undefined
  visit(text, {
    onObjectBegin: () => {
      objects.push(new Set())
    },
    onObjectEnd: () => {
      objects.pop()
    },
    onObjectProperty: (name) => {
      const keys = objects.at(-1)
      if (keys?.has(name)) twice ??= name
      keys?.add(name)
    },
  })
  return twice
}
