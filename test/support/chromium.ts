/**
 * The browser that pages are looked at in: Debian's Chromium. Without its window it takes a third of the processor
 * time, so `npm test` takes the build that has none where there is one, and the deep run the one that people have.
 */

import { installed, provide } from './debian.ts'
import { DEEP } from './depth.ts'

const WHOLE = '/usr/bin/chromium'
const WITHOUT_WINDOW = '/usr/bin/chromium-headless-shell'

/** Where it is; undefined when there is none, and the tests that need it are skipped. */
export const chromiumPath = (): string | undefined => (DEEP ? undefined : installed(WITHOUT_WINDOW)) ?? installed(WHOLE)

export const provideChromium = (deep = DEEP): void => {
  if (!deep && !installed(WITHOUT_WINDOW)) provide('chromium-headless-shell', WITHOUT_WINDOW, 'a quick look at pages')
  if (deep || !installed(WITHOUT_WINDOW)) provide('chromium', WHOLE, 'everything under test/browser')
}
