import test, { type ExecutionContext, type ImplementationFn, type TestFn } from 'ava'
import { DEEP } from './depth.ts'

type Declare = <Context = unknown>(title: string, run: ImplementationFn<[], Context>) => void

const declare: Declare = <Context>(title: string, run: ImplementationFn<[], Context>) => {
  if (DEEP) (test as TestFn<Context>)(title, run)
}

const serial: Declare = <Context>(title: string, run: ImplementationFn<[], Context>) => {
  if (DEEP) (test as TestFn<Context>).serial(title, run)
}

/**
 * Declares a test that the deep run alone has, in a file whose other tests are run each time: one that goes through all
 * cases of something, or through the whole service for what others prove closer to it. `serial` is that of AVA.
 */
export const deepTest: Declare & { readonly serial: Declare } = Object.assign(declare, { serial })

/** Declares what the deep run alone does when the tests of a file have ended. */
export const deepAfter = (title: string, run: (t: ExecutionContext) => void | Promise<void>): void => {
  if (DEEP) test.after(title, run)
}
