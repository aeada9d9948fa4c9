import type { z } from 'zod'

/** What is wrong with a value, in plain words: what is expected of it, and never the wording of a library. */

type Issue = z.core.$ZodIssue

/** The words of one fault, without the name of its field. A text that the declaration gives goes first. */
export const faultWords = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return expected(issue)
    case 'too_small':
    case 'too_big':
      return bounded(issue)
    case 'invalid_value':
      return isGiven(issue) ? issue.message : `has to be ${oneOf(issue.values)}`
    case 'not_multiple_of':
      return `has to be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return isGiven(issue) ? issue.message : `nobody knows ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
    case 'invalid_key':
      return 'has a name that is not taken here'
    case 'invalid_element':
      return 'has an entry that is not taken here'
    case 'invalid_union':
      return isGiven(issue) ? issue.message : 'has none of the forms that are taken here'
    case 'invalid_format':
      return isGiven(issue)
        ? issue.message
        : `has to be ${FORMATS[issue.format] ?? 'of the form that the documentation shows'}`
    default:
      return isGiven(issue) ? issue.message : 'is not what is taken here'
  }
}

/** Whether the declaration says in its own words what is wrong; zod's own begin in one of these ways. */
const isGiven = ({ message }: Issue): boolean => !/^(Invalid|Too (big|small)|Unrecognized|Required)/.test(message)

const expected = (issue: Extract<Issue, { code: 'invalid_type' }>): string => {
  if (isGiven(issue)) return issue.message
  if (issue.input === undefined && / received undefined$/.test(issue.message))
    return `is missing: ${kindOf(issue.expected)} is expected`
  return `has to be ${kindOf(issue.expected)}`
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  tuple: 'a list',
  null: 'null',
  nan: 'a number',
  date: 'a date',
}
const kindOf = (kind: string): string => KINDS[kind] ?? 'another kind of value'

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
  datetime: 'a time as 2026-01-31T12:00:00Z',
  date: 'a date as 2026-01-31',
  json_string: 'JSON',
  base64: 'base64',
  base64url: 'base64url',
  jwt: 'a JWT',
}

type Bound = Extract<Issue, { code: 'too_small' | 'too_big' }>

const bounded = (issue: Bound): string => {
  if (isGiven(issue)) return issue.message
  const [limit, word] = issue.code === 'too_small' ? [issue.minimum, 'least'] : [issue.maximum, 'most']
  const strictly = issue.inclusive === false
  switch (issue.origin) {
    case 'string':
      return limit === 1 && word === 'least'
        ? 'must not be empty'
        : `has to have at ${word} ${counted(limit, 'character')}`
    case 'array':
    case 'set':
    case 'map':
      return `has to have at ${word} ${counted(limit, 'entry', 'entries')}`
    default:
      return strictly ? `has to be ${word === 'least' ? 'above' : 'below'} ${limit}` : `has to be at ${word} ${limit}`
  }
}

const counted = (count: number | bigint, one: string, many = `${one}s`): string =>
  `${count} ${BigInt(count) === 1n ? one : many}`

/** Values that are named; there are more in some lists than anybody reads. */
const NAMED_MAX = 12

const oneOf = (values: readonly unknown[]): string => {
  const named = values.slice(0, NAMED_MAX).map((value) => JSON.stringify(value) ?? 'left out')
  const more = values.length > NAMED_MAX ? ', …' : ''
  return values.length === 1 ? (named[0] ?? '') : `one of ${named.join(', ')}${more}`
}
