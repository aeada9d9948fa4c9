import Router, { type RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'

/**
 * All paths of the service. The router asks each of its routes in turn whether a path is its own, which for some five
 * hundred routes was a twelfth of what a call costs; so those that begin alike have a router of their own.
 */
export type Routes = {
  /** Answers a path by handlers in turn; a GET answers HEAD as well. Without methods, every method is answered. */
  on(path: string, methods: readonly string[], ...handlers: readonly RouterMiddleware[]): void
  /** What answers the calls. A path that is added later is not found. */
  middleware(): Middleware
  /** Says which methods a path has, where a call came by another one. */
  allowedMethods(): Middleware
}

type Route = {
  readonly path: string
  readonly methods: readonly string[]
  readonly handlers: readonly RouterMiddleware[]
  readonly start: Start
}

/** The first two parts of a path; `OPEN` from the first one on that is no plain text. */
type Start = readonly [first: string, second: string]

const OPEN = '*'

export const createRoutes = (): Routes => {
  const routes: Route[] = []
  return {
    on(path, methods, ...handlers) {
      routes.push({ path, methods, handlers, start: startOf(path) })
    },
    middleware() {
      const routers = byStart(routes)
      const elsewhere = new Router().routes()
      return (ctx, next) => {
        const [first, second] = segments(ctx.path.toLowerCase())
        const router =
          routers.get(`${first}/${second}`) ?? routers.get(`${first}/${OPEN}`) ?? routers.get(OPEN) ?? elsewhere
        return router(ctx as never, next)
      }
    },
    allowedMethods: () => new Router().allowedMethods() as Middleware,
  }
}

/** A router for each start that a path may have, with every route that such a path can be meant for, in their order. */
const byStart = (routes: readonly Route[]): ReadonlyMap<string, Middleware> => {
  const made = new Map<string, Middleware>()
  for (const { start } of routes) {
    const [first] = start
    for (const [name, like] of [
      [start.join('/'), start],
      [`${first}/${OPEN}`, [first, OPEN]],
      [OPEN, [OPEN, OPEN]],
    ] as const)
      if (!made.has(name)) made.set(name, routerOf(routes.filter((route) => isMeant(route.start, like))))
  }
  return made
}

const isMeant = (of: Start, like: readonly [string, string]): boolean =>
  of.every((part, n) => part === OPEN || part === like[n])

const routerOf = (routes: readonly Route[]): Middleware => {
  const router = new Router()
  for (const { path, methods, handlers } of routes)
    if (methods.length === 0) router.all(path, ...handlers)
    else router.register(path, [...methods], [...handlers])
  return router.routes() as Middleware
}

/** The router takes capitals for small letters, and so does this. */
const startOf = (path: string): Start => {
  const [first, second] = segments(path.toLowerCase())
  return isOpen(first) ? [OPEN, OPEN] : [first, isOpen(second) ? OPEN : second]
}

const isOpen = (part: string): boolean => /[:*{}]/.test(part)

const segments = (path: string): Start => {
  const [, first = '', second = ''] = path.split('/', 3)
  return [first, second]
}
