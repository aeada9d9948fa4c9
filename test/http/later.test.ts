import test from 'ava'
import type { Endpoint } from '../../adapters/http/core/endpoint.ts'
import { picksOf } from '../../adapters/http/core/endpoint.ts'
import { createRoutes } from '../../adapters/http/serving/routes.ts'
import { surfaces } from '../../src/runtime/openapi.ts'
import { servedSurfaces } from '../../src/runtime/surfaces.ts'

const nameOf = ({ method, path, page, when = {} }: Endpoint): string =>
  [method, path, page ?? '', ...picksOf({ when })].join(' ')
const namesOf = (endpoints: readonly Endpoint[]) => endpoints.map(nameOf).sort()

/** Whether a path begins with one or two parts, as the routes compare them. */
const begins = (path: string, under: readonly string[]): boolean => {
  const [, first = '', second = ''] = path.split('/')
  return under.includes(first) || under.includes(`${first}/${second}`)
}

test('N-175 what is loaded by the first call is all under its own beginnings, and together all that is documented', async (t) => {
  const whole = surfaces()
  for (const { name, endpoints, later = [] } of servedSurfaces()) {
    const loaded = await Promise.all(later.map(async ({ under, load }) => ({ under, endpoints: await load() })))
    const documented = whole.find((surface) => surface.name === name)?.endpoints ?? []
    t.deepEqual(namesOf([...endpoints, ...loaded.flatMap((part) => part.endpoints)]), namesOf(documented), name)
    for (const part of loaded) {
      const strays = part.endpoints.filter(({ path }) => !begins(path, part.under))
      t.deepEqual(namesOf(strays), [], `${name}: they would never be loaded`)
      const hidden = documented.filter((e) => begins(e.path, part.under) && !part.endpoints.includes(e))
      const own = new Set(namesOf(part.endpoints))
      t.deepEqual(
        namesOf(hidden).filter((each) => !own.has(each)),
        [],
        `${name}: they would wait for others`,
      )
    }
  }
})

type Called = { readonly route: unknown; readonly passed: boolean }

const call = async (middleware: ReturnType<ReturnType<typeof createRoutes>['middleware']>, path: string) => {
  const ctx: Record<string, unknown> = { path, method: 'GET', host: 'daybook.example', request: {} }
  let passed = false
  await middleware(ctx as never, async () => {
    passed = true
  })
  return { route: ctx._matchedRoute, passed } satisfies Called
}

test('N-175 the first call of a path loads its routes once, however many come at once; a failed load is tried again', async (t) => {
  const routes = createRoutes()
  let loads = 0
  routes.on('/a/b', ['GET'], () => undefined)
  routes.later(['late', 'a/late'], async () => {
    loads++
    await Promise.resolve()
    if (loads === 1) throw new Error('not this time')
    routes.on('/late/:id', ['GET'], () => undefined)
    routes.on('/a/late', ['GET'], () => undefined)
  })
  const middleware = routes.middleware()
  t.deepEqual(await call(middleware, '/a/b'), { route: '/a/b', passed: false })
  t.deepEqual(await call(middleware, '/a/c'), { route: undefined, passed: true })
  t.is(loads, 0, 'nothing is loaded for what is there, or nowhere')
  await t.throwsAsync(call(middleware, '/late/1'), { message: 'not this time' })
  const both = await Promise.all([call(middleware, '/Late/1'), call(middleware, '/a/late')])
  t.deepEqual(
    both.map(({ route }) => route),
    ['/late/:id', '/a/late'],
  )
  t.deepEqual(await call(middleware, '/a/b'), { route: '/a/b', passed: false })
  t.is(loads, 2)
})
