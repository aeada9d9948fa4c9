import { visit } from 'jsonc-parser'
import { refuse } from '../../domain/kernel/refusal.ts'
import { cutText, quotedText } from './short-text.ts'

/** Reads bodies strictly: what two readers could understand differently is refused rather than guessed. */

/** The largest request body, in bytes; an upload has its own limit where it is declared. */
export const BODY_MAX_BYTES = 256 * 1024
/** Deeper nesting has no use here and costs the reader its stack. */
const DEPTH_MAX = 32
/**
 * Items of one list, and names of one object; each that we declare has a bound of its own, which is lower or the same.
 */
export const ITEMS_MAX = 1_000
/** Objects, lists and other values of one body, all together. */
const VALUES_MAX = 10_000
/** Fields of one form; no form of ours has a tenth of them. */
const FIELDS_MAX = 1_000
/** Characters of the path to a fault, as a message shows it. */
const PATH_MAX = 80

/**
 * A JSON object without duplicate keys, NUL characters or broken text; an empty body is `{}`. An array only where one
 * may stand. Refuses `invalid-request`.
 */
export const readJson = (text: string, mayBeArray = false): object => {
  if (text.trim() === '') return {}
  refuseAmbiguous(text)
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && !mayBeArray))
    return refuse('invalid-request', 'The body has to be a JSON object.')
  refuseUnstorable(value)
  return value
}

/** Form fields, each at most once, whatever they are called. Refuses `invalid-request`. */
export const readForm = (text: string): Record<string, string> => {
  const found = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (found.has(name)) return refuse('invalid-request', `${quotedText(name)} stands twice in the form: send it once`)
    if (found.size === FIELDS_MAX)
      return refuse('invalid-request', `The form has to have at most ${FIELDS_MAX} fields.`)
    found.set(name, value)
  }
  const fields = Object.fromEntries(found)
  refuseUnstorable(fields)
  return fields
}

/**
 * Text that a database cannot hold, or that was not Unicode when it was sent, is refused at the door, wherever it
 * stands.
 */
export const refuseUnstorable = (value: unknown): void => {
  if (typeof value === 'string') {
    if (UNSTORABLE.test(value) || !value.isWellFormed())
      refuse('invalid-request', 'The text has to be valid Unicode without a NUL character.')
  } else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      refuseUnstorable(key)
      refuseUnstorable(item)
    }
}

/** NUL, and U+FFFD, which replaces bytes that are no UTF-8: two different texts would look the same from there on. */
const UNSTORABLE = /[\0\uFFFD]/

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return noJson()
  }
}

const noJson = () => refuse('invalid-request', 'The body has to be valid JSON.')

/** What is open at a place of the text: the names of an object, or how many items a list has had. */
type OpenContainer = { readonly names?: Set<string>; items: number }

/**
 * Looks at the text itself, where nothing is lost yet: refuses keys that stand twice in one object, nesting that would
 * cost a reader its stack, and more values than anybody is to walk through. It ends at the first of these, before
 * anything is made of the text.
 */
const refuseAmbiguous = (text: string): void => {
  const open: OpenContainer[] = []
  let values = 0
  const count = (pathOf: () => readonly (string | number)[]) => {
    const list = open.at(-1)
    if (++values > VALUES_MAX) refuse('invalid-request', `The body has to hold at most ${VALUES_MAX} values.`)
    if (list && !list.names && ++list.items > ITEMS_MAX)
      refuse('invalid-request', `${placeOf(pathOf().slice(0, -1))}: has to have at most ${ITEMS_MAX} items`)
  }
  const enter = (inner: OpenContainer, pathOf: () => readonly (string | number)[]) => {
    count(pathOf)
    open.push(inner)
    if (open.length > DEPTH_MAX)
      refuse('invalid-request', `The body has to be nested at most ${DEPTH_MAX} levels deep.`)
  }
  const leave = () => {
    open.pop()
  }
  visit(text, {
    onObjectBegin: (_, __, ___, ____, pathOf) => enter({ names: new Set(), items: 0 }, pathOf),
    onArrayBegin: (_, __, ___, ____, pathOf) => enter({ items: 0 }, pathOf),
    onLiteralValue: (_, __, ___, ____, _____, pathOf) => count(pathOf),
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty: (name, _, __, ___, ____, pathOf) => {
      const names = open.at(-1)?.names
      if (names?.has(name)) refuse('invalid-request', `${quotedText(name)} stands twice in one object: send it once`)
      if (names?.size === ITEMS_MAX)
        refuse('invalid-request', `${placeOf(pathOf())}: has to have at most ${ITEMS_MAX} names`)
      names?.add(name)
    },
    onError: noJson,
  })
}

const placeOf = (path: readonly (string | number)[]): string => cutText(path.join('.'), PATH_MAX) || 'the body'
