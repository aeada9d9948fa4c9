import type { z } from 'zod'
import { Refusal } from '../../domain/refusal.ts'

/** What was sent, in the shape that is declared for it, or as it is; refuses `invalid-request` with all that is wrong. */
export const valid = <S extends z.ZodType>(schema: S | undefined, value: unknown): z.output<S> => {
  if (!schema) return value as z.output<S>
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues
    .map(told)
    .map(({ path, message }) => `${path.join('.') || 'the request'}: ${message}`)
  throw new Refusal('invalid-request', issues.join('; '))
}

type Issue = z.core.$ZodIssue

/** Of several forms that a value may have, what is wrong with the one that it comes closest to. */
const told = (issue: Issue): Issue => {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0]
  return inner && inner.path.length > 0 ? told({ ...inner, path: [...issue.path, ...inner.path] }) : issue
}
