import test from 'ava'
import { DEEP } from './depth.ts'

type Declare = (title: Parameters<typeof test>[0], run: Parameters<typeof test>[1]) => void

/**
 * Declares a test that the deep run alone has, in a file whose other tests are run each time: one that goes through all
 * cases of something, or through the whole service for what others prove closer to it.
 */
export const deepTest: Declare & { readonly serial: Declare } = Object.assign(
  ((title, run) => {
    if (DEEP) test(title, run)
  }) satisfies Declare,
  {
    serial: ((title, run) => {
      if (DEEP) test.serial(title, run)
    }) satisfies Declare,
  },
)
