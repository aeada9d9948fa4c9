/** The OpenAPI document as somebody reads it who makes requests by it: what of a request does it not allow? */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Endpoint } from '../../../adapters/http/core/endpoint.ts'

type Parameter = { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: object }

type DescribedOperation = {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: object }>>
  }
}

export type ServedDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
}

/** A request as it is sent. In forms, queries, paths and headers everything is text; headers are in lower case. */
export type SentRequest = {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly header: Readonly<Record<string, unknown>>
  /** By its media type; undefined where there is none. */
  readonly body?: { readonly media: string; readonly value: unknown }
}

export const documentReader = (document: object) => {
  const { paths } = document as ServedDocument
  const bodies = validatorOf(document, false)
  // In paths, queries and headers a number is written as text.
  const parameters = validatorOf(document, true)

  /** What the document does not allow in a request that picks this operation. */
  return ({ method, path }: Pick<Endpoint, 'method' | 'path'>, request: SentRequest): string[] => {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method]
    if (!operation) return [`no ${method} ${path}`]
    const faults: string[] = []
    for (const { name, in: where, required, schema } of operation.parameters) {
      const at = request[where as 'path' | 'query' | 'header']
      const value = at[where === 'header' ? name.toLowerCase() : name]
      if (value === undefined && required) faults.push(`${where} ${name} is missing`)
      const fault = value === undefined ? '' : parameters(schema, value)
      if (fault) faults.push(`${where} ${name}: ${fault}`)
    }
    const unknown = Object.keys(request.query).filter(
      (name) => !operation.parameters.some((each) => each.in === 'query' && each.name === name),
    )
    faults.push(...unknown.map((name) => `query ${name} is not told of`))
    return [...faults, ...bodyFaults(operation, request, bodies)]
  }
}

type Validator = (schema: object, value: unknown) => string

/**
 * Says what is wrong with a value by a schema of the document; nothing when it is valid. Most schemas judge few values,
 * so their programs are not optimised.
 */
const validatorOf = (document: object, coerceTypes: boolean): Validator => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes, code: { optimize: false } })
  addFormats.default(ajv)
  ajv.addSchema(document, 'served')
  const compiled = new Map<object, ValidateFunction>()
  return (schema, value) => {
    // References in it lead to the whole document.
    const validate = compiled.get(schema) ?? ajv.compile(rooted(schema))
    compiled.set(schema, validate)
    return validate(value) ? '' : ajv.errorsText(validate.errors).slice(0, 300)
  }
}

const bodyFaults = ({ requestBody }: DescribedOperation, { body }: SentRequest, faultsIn: Validator): string[] => {
  if (!body) return requestBody?.required ? ['a body is missing'] : []
  const told = requestBody?.content[body.media]
  if (!told) return [`no body as ${body.media}`]
  const fault = faultsIn(told.schema, body.value)
  return fault ? [`body ${JSON.stringify(body.value).slice(0, 200)}: ${fault}`] : []
}

const rooted = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"served#/components/'))
