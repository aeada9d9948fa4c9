import test, { type ExecutionContext } from 'ava'
import { DEEP } from './depth.ts'

type Run = (t: ExecutionContext) => void | Promise<void>

/**
 * Declares a test that the deep run alone has, in a file whose other tests are run each time: one that goes through all
 * cases of something, or through the whole service for what others prove closer to it. `serial` is that of AVA.
 */
export const deepTest = Object.assign(
  (title: string, run: Run): void => {
    if (DEEP) test(title, run)
  },
  {
    serial: (title: string, run: Run): void => {
      if (DEEP) test.serial(title, run)
    },
  },
)

/** Declares what the deep run alone does when the tests of a file have ended. */
export const deepAfter = (title: string, run: Run): void => {
  if (DEEP) test.after(title, run)
}
