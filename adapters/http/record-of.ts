import { z } from 'zod'

/**
 * The shape of an object of any names that are as `name` says, each with a value as `item` says, and no more than `max` of them: they are counted
 * before any is looked at, as zod by itself does only with a list that has a `max`.
 */
export const recordOf = <K extends z.core.$ZodRecordKey, V extends z.ZodType>(name: K, item: V, max: number) =>
  z.preprocess(
    (value, { addIssue }) => {
      if (typeof value !== 'object' || value === null || Object.keys(value).length <= max) return value
      addIssue(`at most ${max}`)
      return z.NEVER
    },
    z.record(name, item).meta({ maxProperties: max }),
  )
