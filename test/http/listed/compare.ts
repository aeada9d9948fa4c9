/** What of an endpoint of the list the served document does not tell. */
import {
  alternativesOf,
  type Document,
  type Json,
  mayLack,
  type Operation,
  operationAt,
  requiredIn,
  under,
} from './document.ts'
import { answered, asked, type Listed, sent } from './endpoints.ts'

const TAGS = { json: 'agent', auth: 'auth', merchant: 'pay' } as const
/** Served at the pay host by the surface of the JSON API, whose doors they are. */
const DOORS = ['/checkout/{enc}', '/id/{enc}']

export const missingOf = (document: Document, e: Listed): readonly string[] => {
  // RFC 7009 and the sign-out of OpenID Connect, where the list says no method.
  const method = e.method === 'not shown' ? 'POST' : e.method
  const operation = operationAt(document, method, e.path)
  if (!operation) return [`${method} ${e.path}`]
  const tag = DOORS.includes(e.path) ? 'agent' : TAGS[e.surface]
  return [
    ...(operation.tags.includes(tag) ? [] : [`on the surface ${tag}`]),
    ...missingKey(operation, e),
    ...missingQuery(operation, e),
    ...missingBody(document, operation, e),
    ...missingAnswer(document, operation, e),
    ...missingErrors(operation, e),
  ]
}

const missingKey = ({ security = [{}] }: Operation, { auth }: Listed): readonly string[] => {
  const needs = /key/i.test(auth) && !/Bearer|none/.test(auth)
  const open = security.some((way) => Object.keys(way).length === 0)
  if (needs) return security.some((way) => 'apiKey' in way) ? [] : ['the key']
  return auth.startsWith('none') && !open ? ['being public'] : []
}

const missingQuery = ({ parameters }: Operation, e: Listed): readonly string[] =>
  asked(e)
    .filter((name) => !parameters.some((each) => each.in === 'query' && each.name === name))
    .map((name) => `?${name}`)

/** One alternative of what may be sent has all of the fields, and cannot do without those that are required. */
const missingBody = (document: Document, { requestBody }: Operation, e: Listed): readonly string[] => {
  const fields = sent(e)
  if (e.requestFields.some(({ name }) => name === 'array body'))
    return alternativesOf(document, requestBody?.content).some(({ type }) => type === 'array') ? [] : ['an array']
  if (fields.length === 0) return []
  const tries = alternativesOf(document, requestBody?.content).filter((body) => isFunction(document, body, e))
  // Where a field of the body picks what is done, the list names the fields of all that can be done.
  const picked = fields.some(({ name }) => name === 'action')
  const taken = picked ? fields.filter(({ name, required }) => required || !reaches(document, tries, name)) : fields
  const lacks = tries.map((body) => taken.flatMap((field) => lackOf(document, body, field)))
  return lacks.toSorted((a, b) => a.length - b.length)[0] ?? ['a body']
}

/** On the console the field `function` tells what is asked for. */
const isFunction = (document: Document, body: Json, { surface, variant }: Listed): boolean => {
  const functions = under(document, [body], 'function')
  return surface !== 'merchant' || variant === 'surface' || functions.some(({ const: name }) => name === variant)
}

const lackOf = (document: Document, body: Json, { name, required }: { name: string; required: boolean }) => {
  if (!reaches(document, [body], name)) return [`body ${name}`]
  return required && !requiredIn(document, body).includes(name) ? [`body ${name} as required`] : []
}

const reaches = (document: Document, from: readonly Json[], path: string): boolean =>
  path.split('.').reduce((schemas, name) => under(document, schemas, name), from).length > 0

const missingAnswer = (document: Document, { responses }: Operation, e: Listed): readonly string[] => {
  const status = typeof e.responseStatus === 'number' ? String(e.responseStatus) : '200'
  const at = (code: string) => alternativesOf(document, responses[code]?.content)
  const has = (field: string): boolean => {
    const [, code, rest] = /^(\d{3})(?: (.+))?$/.exec(field) ?? []
    if (code !== undefined)
      return responses[code] !== undefined && (rest === undefined || reaches(document, at(code), rest))
    const media = /^media (.+)$/.exec(field)?.[1]
    if (media !== undefined) return responses['200']?.content?.[media] !== undefined
    return reaches(document, at(status), field)
  }
  return answered(e)
    .filter((field) => !has(field))
    .map((field) => `answer ${field}`)
}

/**
 * A stated code stands in the description of its status; where the list has only one of the two, that one is looked
 * for.
 */
const missingErrors = ({ responses }: Operation, e: Listed): readonly string[] =>
  e.errors
    .filter(({ status, code }) => {
      const told = Object.entries(responses).filter(([each]) =>
        typeof status === 'number'
          ? each === String(status)
          : status === 'redirect'
            ? /^30[23]$/.test(each)
            : each >= '400',
      )
      return !told.some(
        ([each, { description }]) => each < '400' || code === null || description.split(/[,;] /).includes(code),
      )
    })
    .map(({ status, code }) => `error ${status} ${code ?? ''}`)

/** Fields of an answer that the list names and that some answers lack. */
export const lackingIn = (document: Document, e: Listed): readonly string[] => {
  const operation = operationAt(document, e.method === 'not shown' ? 'POST' : e.method, e.path)
  const status = typeof e.responseStatus === 'number' ? String(e.responseStatus) : '200'
  const schemas = alternativesOf(document, operation?.responses[status]?.content)
  return answered(e).filter((field) => !/^(\d{3}|media )/.test(field) && mayLack(document, schemas, field))
}
