import type { z } from 'zod'
import { Refusal } from '../../domain/refusal.ts'

/** What was sent, in the shape that is declared for it, or as it is; refuses `invalid-request` with all that is wrong. */
export const valid = <S extends z.ZodType>(schema: S | undefined, value: unknown): z.output<S> => {
  if (!schema) return value as z.output<S>
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.') || 'the request'}: ${message}`)
  throw new Refusal('invalid-request', issues.join('; '))
}
