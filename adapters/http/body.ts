import { visit } from 'jsonc-parser'
import { refuse } from '../../domain/refusal.ts'

/** Reads bodies strictly: what two readers could understand differently is refused rather than guessed. */

/** The largest request body, in bytes; an upload has its own limit where it is declared. */
export const BODY_MAX_BYTES = 256 * 1024
/** Deeper nesting has no use here and costs the reader its stack. */
const DEPTH_MAX = 32
/** Fields of one form; no form of ours has a tenth of them. */
const FIELDS_MAX = 1_000

/**
 * A JSON object without duplicate keys, NUL characters or broken text; an empty body is `{}`. An array only where one may stand. Refuses
 * `invalid-request`.
 */
export const readJson = (text: string, mayBeArray = false): object => {
  if (text.trim() === '') return {}
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && !mayBeArray))
    return refuse('invalid-request', 'the body must be a JSON object')
  refuseAmbiguous(text)
  refuseUnstorable(value)
  return value
}

/** Form fields, each at most once, whatever they are called. Refuses `invalid-request`. */
export const readForm = (text: string): Record<string, string> => {
  const found = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (found.has(name)) return refuse('invalid-request', `the field ${JSON.stringify(name)} stands twice`)
    if (found.size === FIELDS_MAX) return refuse('invalid-request', `a form has at most ${FIELDS_MAX} fields`)
    found.set(name, value)
  }
  const fields = Object.fromEntries(found)
  refuseUnstorable(fields)
  return fields
}

/** Text that a database cannot hold, or that was not Unicode when it was sent, is refused at the door, wherever it stands. */
export const refuseUnstorable = (value: unknown): void => {
  if (typeof value === 'string') {
    if (UNSTORABLE.test(value) || !value.isWellFormed())
      refuse('invalid-request', 'text holds a NUL or is not valid Unicode')
  } else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      refuseUnstorable(key)
      refuseUnstorable(item)
    }
}

/** NUL, and U+FFFD, which stands where bytes that were no UTF-8 came in: two different ones would look the same from there on. */
const UNSTORABLE = /[\0\uFFFD]/

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('invalid-request', 'the body is not valid JSON')
  }
}

/** Looks at the text itself, where nothing is lost yet: nesting that would cost a reader its stack, and keys that stand twice in one object. */
const refuseAmbiguous = (text: string): void => {
  const open: Set<string>[] = []
  const enter = () => {
    open.push(new Set())
    if (open.length > DEPTH_MAX) refuse('invalid-request', `the body is nested more than ${DEPTH_MAX} levels deep`)
  }
  const leave = () => {
    open.pop()
  }
  visit(text, {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty: (name) => {
      const keys = open.at(-1)
      if (keys?.has(name)) refuse('invalid-request', `the key ${JSON.stringify(name)} stands twice in one object`)
      keys?.add(name)
    },
  })
}
