import { z } from 'zod'

/**
 * The shape of an object of any names that are as `name` says, each with a value as `item` says, and no more than `max`
 * of them: they are counted before any is looked at, as zod by itself does only with a list that has a `max`.
 */
export const recordOf = <K extends z.core.$ZodRecordKey, V extends z.ZodType>(name: K, item: V, max: number) =>
  z.preprocess(
    (value, { addIssue }) => {
      if (typeof value !== 'object' || value === null) return value
      if (Object.keys(value).length > max) addIssue(`at most ${max}`)
      // zod would leave it away, and say nothing.
      if (Object.hasOwn(value, '__proto__')) addIssue('__proto__ is no name')
      return value
    },
    z.record(name, item).meta({ maxProperties: max }),
  )
