import Router, { type RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'

/**
 * All paths of the service. The router asks each of its routes in turn whether a path is its own, which for some five
 * hundred routes was a twelfth of what a call costs; so those that begin alike have a router of their own.
 */
export type Routes = {
  /** Answers a path by handlers in turn; a GET answers HEAD as well. Without methods, every method is answered. */
  on(path: string, methods: readonly string[], ...handlers: readonly RouterMiddleware[]): void
  /**
   * Has `load` add the routes of all paths that begin with one of these, one or two parts each, when the first of them
   * is called. Where it rejects, that call fails, and the next one tries again.
   */
  later(under: readonly string[], load: () => Promise<void>): void
  /** What answers the calls. A path that is added after it, and not by what was said to come later, is not found. */
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
  const awaited = new Map<string, () => Promise<void>>()
  return {
    on(path, methods, ...handlers) {
      routes.push({ path, methods, handlers, start: startOf(path) })
    },
    later(under, load) {
      const once = onlyOnce(load)
      for (const start of under) awaited.set(start, once)
    },
    middleware() {
      let routers = byStart(routes)
      const elsewhere = new Router().routes()
      const read = async (load: () => Promise<void>) => {
        await load()
        for (const [start, other] of awaited) if (other === load) awaited.delete(start)
        routers = byStart(routes)
      }
      return async (ctx, next) => {
        const [first, second] = segments(ctx.path.toLowerCase())
        const unread = awaited.size > 0 && (awaited.get(first) ?? awaited.get(`${first}/${second}`))
        if (unread) await read(unread)
        const router =
          routers.get(`${first}/${second}`) ?? routers.get(`${first}/${OPEN}`) ?? routers.get(OPEN) ?? elsewhere
        return await router(ctx as never, next)
      }
    },
    allowedMethods: () => new Router().allowedMethods() as Middleware,
  }
}

/** Those who ask while it goes on wait for the same; one that has failed is begun again by the next. */
const onlyOnce = (load: () => Promise<void>): (() => Promise<void>) => {
  let loading: Promise<void> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
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
