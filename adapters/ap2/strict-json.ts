import { rejectForgery } from './fault.ts'

/** JSON in base64url that can be read in one way only: another reader of the same token has to see the same in it. */

/** Levels of objects and arrays inside each other. */
export const JSON_DEPTH_MAX = 32

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

/** The bytes of base64url text, only from the one way to write them without padding. */
export const decodedBytes = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url')
  return text !== '' && bytes.toString('base64url') === text ? bytes : rejectForgery('not-base64url')
}

/** Refuses what is not UTF-8, what is not JSON, names that stand twice in an object, and what is too deep. */
export const decodedJson = (text: string): Json => {
  const bytes = decodedBytes(text)
  const { written, value } = parsed(bytes)
  checkStructure(written)
  return value
}

export const decodedObject = (text: string): JsonObject => {
  const value = decodedJson(text)
  return isObject(value) ? value : rejectForgery('not-json')
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parsed = (bytes: Buffer): { written: string; value: Json } => {
  try {
    const written = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { written, value: JSON.parse(written) }
  } catch {
    return rejectForgery('not-json')
  }
}

/** Checks the names and the depth of text that is known to be JSON, without recursion. */
const checkStructure = (written: string): void => {
  const open: (Set<string> | undefined)[] = []
  let text: string | undefined
  for (const [token] of written.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') {
      if (open.push(token === '{' ? new Set() : undefined) > JSON_DEPTH_MAX) rejectForgery('too-deep')
    } else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const name: string = JSON.parse(text ?? '""')
      const names = open.at(-1)
      if (names?.has(name)) rejectForgery('name-repeated')
      names?.add(name)
    } else text = token
  }
}
