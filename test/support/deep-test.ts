import test from 'ava'
import { DEEP } from './depth.ts'

type Title = Parameters<typeof test>[0]
type Implementation = Parameters<typeof test>[1]

/**
 * Declares a test that the deep run alone has, in a file whose other tests are run each time: one that goes through all
 * cases of something, or through the whole service for what others prove closer to it.
 */
export const deepTest = (title: Title, run: Implementation): void => {
  if (DEEP) test(title, run)
}
