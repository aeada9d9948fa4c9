import type { z } from 'zod'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { cutText, MESSAGE_MAX_BYTES, withinBytes } from '../../input/short-text.ts'
import { faultWords } from './fault-words.ts'

/** Faults that one refusal names; a caller who has mended these is told the next ones. */
const FAULTS_MAX = 10
/** Characters of a field's path, and of what is wrong with it. */
const PATH_MAX = 80
const FAULT_MAX = 200

/**
 * What was sent, in the shape that is declared for it, or as it is. Refuses `invalid-request` with at most ten things
 * that are wrong, each by the name of its field, in at most `MESSAGE_MAX_BYTES`.
 */
export const validInput = <S extends z.ZodType>(schema: S | undefined, value: unknown): z.output<S> => {
  if (!schema) return value as z.output<S>
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new Refusal('invalid-request', worded(result.error.issues))
}

type Issue = z.core.$ZodIssue

const worded = (issues: readonly Issue[]): string => {
  // Of one value, the first thing that is wrong is enough: what is wrong besides often follows from it.
  const firsts = issues.filter((issue, n) => n === issues.findIndex((other) => samePath(other, issue)))
  const faults = firsts.slice(0, FAULTS_MAX).map(fault)
  const more = firsts.length - faults.length
  const told = more > 0 ? [...faults, `${more} more like these`] : faults
  return withinBytes(told.join('; '), MESSAGE_MAX_BYTES)
}

const samePath = (one: Issue, other: Issue): boolean => one.path.join('.') === other.path.join('.')

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
