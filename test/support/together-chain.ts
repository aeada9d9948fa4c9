import type test from 'ava'
import { chainNow } from './test-file.ts'

/** What `import test from 'ava'` is in a process of many files: the declarations of the file that is loaded now. */
export default new Proxy((() => undefined) as unknown as typeof test, {
  apply: (_, receiver, args) => Reflect.apply(chainNow(), receiver, args),
  get: (_, name) => Reflect.get(chainNow(), name),
})
