import type test from 'ava'
import type { ExecutionContext } from 'ava'
import { chainNow } from './test-file.ts'

/**
 * Tests that run at the same time in a process, of one file or of two. AVA starts all of a file at once; on a busy
 * machine each would then take so long that what they wait for passes the time limits of the product.
 */
const AT_ONCE = 8

type Run = (t: ExecutionContext, ...args: readonly unknown[]) => unknown

let free = AT_ONCE
const waiting: (() => void)[] = []

const inTurn = (run: Run): Run => {
  return async (t, ...args) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run(t, ...args)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}

/** What `import test from 'ava'` is in a process of many files: the declarations of the file that is loaded now. */
export default new Proxy((() => undefined) as unknown as typeof test, {
  apply: (_, receiver, args) =>
    Reflect.apply(
      chainNow(),
      receiver,
      args.map((each: unknown) => (typeof each === 'function' ? inTurn(each as Run) : each)),
    ),
  get: (_, name) => Reflect.get(chainNow(), name),
})
