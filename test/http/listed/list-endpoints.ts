/** The lists of all surfaces, as the declarations have them: a new one is in here without anybody adding it. */
import { labelOf, type Operation, allOperations as operations, type Shape, shapeOf } from '../tenants/declared.ts'

export type ListEndpoint = { readonly label: string; readonly e: Operation; readonly fields: readonly string[] }

/** The fields of an answer that are lists, and the form of what is in them. */
const listsIn = (shape: Shape, defs: Shape['$defs'] = shape.$defs): readonly (readonly [string, Shape])[] =>
  Object.entries(followed(shape, defs).properties ?? {}).flatMap(([name, each]) => {
    const field = followed(each, defs)
    return field.type === 'array' ? [[name, followed(field.items ?? {}, defs)] as const] : []
  })

const followed = (shape: Shape, defs: Shape['$defs']): Shape => {
  const name = /^#\/\$defs\/(.+)$/.exec(shape.$ref ?? '')?.[1]
  return name === undefined ? shape : followed(defs?.[name] ?? {}, defs)
}

const reads = ({ method, when = {} }: Operation): boolean =>
  method === 'get' ||
  /^(get|download|check)-/.test(String(when.function)) ||
  when.act === 'list' ||
  when.path === 'search'

/** Calls that answer a list of records, and files of them; a list of words (scopes, options) is none. */
export const listEndpoints: readonly ListEndpoint[] = operations.flatMap((e) => {
  if (!reads(e) && e.path !== '/catalog/search') return []
  // What members see has the names of its page; test/http/dashboard walks it.
  if (e.auth === 'member') return []
  if (e.produces === 'text/csv') return [{ label: labelOf(e), e, fields: [] }]
  const lists = listsIn(shapeOf(e.returns, 'output'))
  const fields = lists.filter(([, item]) => item.properties !== undefined || item.type === undefined)
  return fields.length > 0 ? [{ label: labelOf(e), e, fields: fields.map(([name]) => name) }] : []
})

/** Whether what is listed says of itself that it is a test. */
export const marksTests = ({ e }: ListEndpoint): boolean =>
  e.produces === 'text/csv' ||
  listsIn(shapeOf(e.returns, 'output')).some(
    ([, { properties = {} }]) => 'test' in properties || 'is_test' in properties,
  )
