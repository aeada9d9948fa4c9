import { z } from 'zod'
import { nearestName } from '../../../domain/kernel/nearest.ts'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { cutText, MESSAGE_MAX_BYTES, withinBytes } from '../../input/short-text.ts'
import { faultWords } from './fault-words.ts'
import { type UnknownName, unknownNames } from './unknown-names.ts'

/** Faults that one refusal names; a caller who has mended these is told the next ones. */
const FAULTS_MAX = 10
/** Characters of a field's path, and of what is wrong with it. */
const PATH_MAX = 80
const FAULT_MAX = 200

/** Names that a call may bear beside those of its schema; `any` where a protocol or a public link has to bear them. */
export type OtherNames = readonly string[] | 'any'

/**
 * What was sent, in the shape that is declared for it; without a shape nothing may be sent. Refuses `invalid-request`
 * with at most ten things that are wrong, each by the name of its field, in at most `MESSAGE_MAX_BYTES`. A name that
 * the shape does not know is one of them, at any depth: a misspelt limit is no limit.
 */
export const validInput = <S extends z.ZodType>(
  schema: S | undefined,
  value: unknown,
  others: OtherNames = [],
): z.output<S> => {
  const unknown = others === 'any' ? [] : unknownNames(schema ?? NOTHING, value, others)
  const result = schema?.safeParse(value)
  const issues = (result?.error?.issues ?? []).filter(
    ({ code }) => code !== 'unrecognized_keys' || unknown.length === 0,
  )
  if (unknown.length + issues.length > 0) throw new Refusal('invalid-request', worded(unknown, issues))
  return (schema ? result?.data : value) as z.output<S>
}

const NOTHING = z.object({})

type Issue = z.core.$ZodIssue

const worded = (unknown: readonly UnknownName[], issues: readonly Issue[]): string => {
  // Of one value, the first thing that is wrong is enough: what is wrong besides often follows from it.
  const firsts = firstOfEach(issues)
  const names = unknown.slice(0, FAULTS_MAX).map(unknownName)
  const faults = [...names, ...firsts.slice(0, FAULTS_MAX - names.length).map(fault)]
  const more = unknown.length + firsts.length - faults.length
  const told = more > 0 ? [...faults, `${more} more like these`] : faults
  return withinBytes(told.join('; '), MESSAGE_MAX_BYTES)
}

/** The name where it stands, and the known name that was most likely meant, or the names to choose from. */
const unknownName = ({ path, name, known }: UnknownName): string => {
  const near = nearestName(name, known)
  const help = near ? `. Did you mean ${near}?` : known.length === 0 ? ', leave it out' : ` (known: ${listed(known)})`
  return `${cutText([...path, name].join('.'), PATH_MAX)}: this name is not known${help}`
}

const listed = (names: readonly string[]): string => cutText(names.join(', '), FAULT_MAX)
/** The first fault of each value. There may be thousands of faults, so that each is looked at once. */
const firstOfEach = (issues: readonly Issue[]): readonly Issue[] => {
  const paths = new Set<string>()
  return issues.filter(({ path }) => {
    const at = path.join('.')
    return paths.has(at) ? false : paths.add(at)
  })
}

const fault = (issue: Issue): string => {
  const plain = told(issue)
  return `${cutText(plain.path.join('.'), PATH_MAX) || 'the request'}: ${cutText(faultWords(plain), FAULT_MAX)}`
}

/**
 * The fault that is told. When a value may have several forms, it is that of the form to which the value comes closest.
 */
const told = (issue: Issue): Issue => {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0]
  return inner && inner.path.length > 0 ? told({ ...inner, path: [...issue.path, ...inner.path] }) : issue
}
