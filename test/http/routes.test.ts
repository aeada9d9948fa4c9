import Router from '@koa/router'
import test from 'ava'
import fc from 'fast-check'
import { createRoutes } from '../../adapters/http/serving/routes.ts'
import { surfaces } from '../../src/runtime/openapi.ts'
import { cases } from '../support/depth.ts'

type Asked = { readonly path: string; readonly method: string }
type Registered = { readonly path: string; readonly methods: readonly string[] }

/** The path and parameters of the route that answers first, and what is known of the methods of a path. */
const answers = async (middleware: (ctx: never, next: () => Promise<void>) => unknown, asked: Asked) => {
  const ctx: Record<string, unknown> = { ...asked, host: 'daybook.example', request: {} }
  let passed = false
  await middleware(ctx as never, async () => {
    passed = true
  })
  const matched = (ctx.matched as { path: string; methods: string[] }[] | undefined) ?? []
  return { passed, route: ctx._matchedRoute, params: ctx.params, matched: matched.map(({ path }) => path) }
}

const both = (routes: readonly Registered[]) => {
  const own = createRoutes()
  const plain = new Router()
  for (const { path, methods } of routes) {
    const answer = () => undefined
    own.on(path, methods, answer)
    if (methods.length === 0) plain.all(path, answer)
    else plain.register(path, [...methods], [answer])
  }
  return { own: own.middleware() as never, plain: plain.routes() as never }
}

/** A path as callers may write it: with values for its parameters, in capitals, with a slash or a part too many. */
const written = (path: string): readonly string[] => {
  const filled = path.replace(/[:*]\w+/g, 'x1')
  return [filled, filled.toUpperCase(), `${filled}/`, `${filled}/more`, `/${filled}`, filled.slice(0, -1), path]
}

test('X-ERR-01 every path of the service leads to the route that one router for all of them would find', async (t) => {
  const all = surfaces().flatMap(({ endpoints }) =>
    endpoints.map(({ path, method }) => ({ path, methods: [method.toUpperCase()] })),
  )
  const { own, plain } = both(all)
  for (const path of cases([...new Set(all.map(({ path }) => path))], 2))
    for (const way of written(path))
      for (const method of ['GET', 'POST', 'HEAD', 'DELETE']) {
        const asked = { path: way, method }
        t.deepEqual(await answers(own, asked), await answers(plain, asked), `${method} ${way}`)
      }
})

const part = fc.constantFrom('a', 'b', 'A', ':x', '*rest', '{:y}', '')
const path = fc.array(part, { maxLength: 4 }).map((parts) => `/${parts.map((each) => unique(each, parts)).join('/')}`)
const unique = (each: string, parts: readonly string[]) =>
  /\w{2}|[:*]/.test(each) ? each.replace(/\w+/, (name) => `${name}${parts.indexOf(each)}`) : each

test('X-ERR-01 routes that begin alike, or with a parameter, are found as one router finds them', async (t) => {
  const routes = fc.array(fc.record({ path, methods: fc.constantFrom(['GET'], ['POST'], []) }), { maxLength: 8 })
  const asked = fc
    .array(fc.constantFrom('a', 'b', 'B', 'c', ''), { maxLength: 5 })
    .map((parts) => `/${parts.join('/')}`)
  await fc.assert(
    fc.asyncProperty(routes, asked, async (given, way) => {
      const usable = given.filter((route) => isWellFormed(route))
      const { own, plain } = both(usable)
      const call = { path: way, method: 'GET' }
      t.deepEqual(await answers(own, call), await answers(plain, call))
    }),
  )
})

/** The router refuses a path that names a parameter twice. */
const isWellFormed = (route: Registered): boolean => {
  try {
    both([route])
    return true
  } catch {
    return false
  }
}
