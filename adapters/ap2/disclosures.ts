import { hasherOf } from './digest.ts'
import { rejectForgery } from './fault.ts'
import { decodedJson, isObject, JSON_DEPTH_MAX, type Json, type JsonObject } from './strict-json.ts'

/**
 * The claims of a mandate with what was disclosed in its place (RFC 9901 section 7.1), nothing twice and nothing
 * beside.
 */

type DisclosureNote = { readonly disclosed: string[]; withheld: boolean }

export type Claims = {
  readonly root: JsonObject
  /** The hash function for what is inside this mandate. */
  readonly hash: (text: string) => string
  /** Whether something was kept back of an object or array itself, not of what is inside it. */
  isWithheld(value: Json): boolean
  /** The names in an object that came from disclosures. */
  disclosedIn(value: JsonObject): readonly string[]
}

type Disclosure = { readonly parts: readonly Json[]; used: boolean }
type DisclosureState = {
  readonly disclosures: ReadonlyMap<string, Disclosure>
  readonly digests: Set<string>
  readonly notes: WeakMap<object, DisclosureNote>
}

const RESERVED: ReadonlySet<string> = new Set(['_sd', '_sd_alg', '...', '__proto__'])

export const claimsOf = (payload: JsonObject, disclosures: readonly string[]): Claims => {
  const { _sd_alg: algorithm, ...rest } = payload
  const hash = hasherOf(algorithm)
  const known = new Map(disclosures.map((text) => [hash(text), { parts: partsOf(text), used: false }]))
  if (known.size !== disclosures.length) rejectForgery('digest-repeated')
  const notes = new WeakMap<object, DisclosureNote>()
  const root = resolvedObject({ disclosures: known, digests: new Set(), notes }, rest, 1)
  if ([...known.values()].some(({ used }) => !used)) rejectForgery('disclosure-unreferenced')
  return {
    root,
    hash,
    isWithheld: (value) => isComposite(value) && notes.get(value)?.withheld === true,
    disclosedIn: (value) => notes.get(value)?.disclosed ?? [],
  }
}

/** The parts of a disclosure: `[salt, value]` for an array, `[salt, name, value]` for an object. */
const partsOf = (text: string): readonly Json[] => {
  const parts = decodedJson(text)
  const isDisclosure =
    Array.isArray(parts) && (parts.length === 2 || parts.length === 3) && typeof parts[0] === 'string'
  return isDisclosure ? parts : rejectForgery('disclosure-malformed')
}

const resolved = (given: DisclosureState, value: Json, depth: number): Json => {
  if (depth > JSON_DEPTH_MAX) rejectForgery('too-deep')
  if (Array.isArray(value)) return resolvedArray(given, value, depth)
  return isObject(value) ? resolvedObject(given, value, depth) : value
}

const resolvedArray = (given: DisclosureState, array: readonly Json[], depth: number): readonly Json[] => {
  const out: Json[] = []
  const note: DisclosureNote = { disclosed: [], withheld: false }
  for (const item of array) {
    if (!isObject(item) || !Object.hasOwn(item, '...')) {
      out.push(resolved(given, item, depth + 1))
      continue
    }
    if (Object.keys(item).length !== 1) rejectForgery('digest-malformed')
    const parts = taken(given, item['...'])
    if (!parts) note.withheld = true
    else if (parts.length !== 2) rejectForgery('disclosure-malformed')
    else out.push(resolved(given, parts[1] as Json, depth + 1))
  }
  given.notes.set(out, note)
  return out
}

/** An object with what was disclosed of it. It has no prototype, so that no name in it means anything but itself. */
const resolvedObject = (given: DisclosureState, { _sd: digests, ...open }: JsonObject, depth: number): JsonObject => {
  const out: Record<string, Json> = Object.create(null)
  const note: DisclosureNote = { disclosed: [], withheld: false }
  for (const [name, value] of Object.entries(open)) {
    if (RESERVED.has(name)) rejectForgery('name-reserved')
    out[name] = resolved(given, value, depth + 1)
  }
  if (digests !== undefined && !Array.isArray(digests)) rejectForgery('digest-malformed')
  for (const digest of (digests ?? []) as readonly Json[]) {
    const parts = taken(given, digest)
    if (!parts) {
      note.withheld = true
      continue
    }
    const [, name, value] = parts
    if (parts.length !== 3 || typeof name !== 'string') return rejectForgery('disclosure-malformed')
    if (RESERVED.has(name)) rejectForgery('name-reserved')
    if (Object.hasOwn(out, name)) rejectForgery('disclosure-overwrites')
    note.disclosed.push(name)
    out[name] = resolved(given, value as Json, depth + 1)
  }
  given.notes.set(out, note)
  return out
}

/** What was disclosed for a digest; undefined for one that was kept back, or that stands for nothing. */
const taken = ({ disclosures, digests }: DisclosureState, digest: Json | undefined): readonly Json[] | undefined => {
  if (typeof digest !== 'string') return rejectForgery('digest-malformed')
  if (digests.has(digest)) rejectForgery('digest-repeated')
  digests.add(digest)
  const disclosure = disclosures.get(digest)
  if (disclosure) disclosure.used = true
  return disclosure?.parts
}

const isComposite = (value: Json): value is readonly Json[] | JsonObject => typeof value === 'object' && value !== null
