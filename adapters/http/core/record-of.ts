import { z } from 'zod'

/**
 * The shape of an object whose names are as `name` says and whose values are as `item` says, with at most `max` of
 * them. They are counted before any is looked at; zod by itself does so only for a list that has a `max`.
 */
export const recordOf = <K extends z.core.$ZodRecordKey, V extends z.ZodType>(name: K, item: V, max: number) =>
  z.preprocess(
    (value, { addIssue }) => {
      if (typeof value !== 'object' || value === null) return value
      if (Object.keys(value).length > max) addIssue(`has to have at most ${max} names`)
      // zod would leave it out, and say nothing.
      if (Object.hasOwn(value, '__proto__')) addIssue('has a name that is not taken: leave __proto__ out')
      return value
    },
    z.record(name, item).meta({ maxProperties: max }),
  )
