import test from 'ava'
import type { Answer } from '../../src/demo/client.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { beyond } from './listed/beyond.ts'
import { missingOf } from './listed/compare.ts'
import { type Document, plain } from './listed/document.ts'
import { type Listed, listed } from './listed/endpoints.ts'

/** The service beside the documents' own list of endpoints, all 187 of it: test/golden/endpoints.json. */

let app: TestApp
let document: Document
test.before(async () => {
  app = await startApp()
  document = (await app.call('GET', '/openapi.json')).json
})
test.after.always(() => app?.stop())

test('J-GEN-08 the served OpenAPI 3.1 document has every endpoint of the list, with its fields and its errors', (t) => {
  t.like(document, { openapi: '3.1.0' })
  t.is(listed.length, 187)
  t.deepEqual(
    listed.flatMap((e) => missingOf(document, e).map((what) => `${e.id} ${e.method} ${e.path} lacks ${what}`)),
    [],
  )
})

test('J-GEN-08 its paths are those of the list, and beyond it those that are ours, for a reason each', (t) => {
  const ours = Object.keys(document.paths).map(plain)
  const theirs = new Set(listed.map(({ path }) => plain(path)))
  t.deepEqual(
    [...theirs].filter((path) => !ours.includes(path)),
    [],
  )
  const more = ours.filter((path) => !theirs.has(path))
  t.deepEqual(
    more.filter((path) => beyond.filter(([paths]) => paths.test(path)).length !== 1),
    [],
    'each has one reason',
  )
  for (const [paths, why] of beyond)
    t.true(
      more.some((path) => paths.test(path)),
      why,
    )
})

test('J-GEN-08 each reference in the document leads to a schema that says something', (t) => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  t.true(references.length > 50)
  for (const [, name = ''] of references) {
    const schema = document.components.schemas[name]
    t.true(schema !== undefined && schema.$ref === undefined, name)
  }
})

test('J-GEN-01 every path of the list is answered by an operation of its surface', async (t) => {
  const unknown: string[] = []
  for (const e of listed) {
    const answer = await called(e)
    const isOperation = answer.status !== 405 && !NO_ROUTE.has(answer.json?.message ?? answer.json?.error_description)
    if (!isOperation) unknown.push(`${e.id} ${e.method} ${e.path}: ${answer.status} ${answer.text}`)
  }
  t.deepEqual(unknown, [])
})

/** What the service says where nothing answers a path, or nothing what picks on it. */
const NO_ROUTE: ReadonlySet<unknown> = new Set(['There is nothing here.', 'No such operation.'])

/** Asked with what picks it and nothing else, by nobody. */
const called = ({ method, path, query, surface, variant }: Listed): Promise<Answer> => {
  const picks = query.flatMap(({ name, notes = 'x' }) =>
    /^[\w ]+$/.test(name) ? [[name, notes.split(/[, ]/)[0] ?? 'x']] : [],
  )
  const search = new URLSearchParams(picks.filter(([name]) => !/ /.test(name ?? '')) as [string, string][])
  const at = `${path.replace(/\{\w+\}/g, 'x')}?${search}`
  const verb = method === 'not shown' ? 'POST' : method
  if (verb === 'GET' || verb === 'DELETE') return app.call(verb, at)
  if (surface === 'json') return app.call(verb, at, { body: {} })
  const name = variant === 'surface' ? 'get-cloud-token' : (variant ?? '')
  const form =
    surface === 'merchant' ? new URLSearchParams({ function: functionOn(path, name) }) : new URLSearchParams()
  return app.call(verb, at, { headers: FORM, body: form.toString() })
}

/** Each further API of the console answers some of the functions. */
const functionOn = (path: string, name: string): string => (path === '/payment/api.php' ? 'get-transaction' : name)

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
