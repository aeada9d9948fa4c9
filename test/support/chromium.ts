/** The browser that pages are looked at in: Debian's Chromium. */

import { installed, provide } from './debian.ts'

const PATH = '/usr/bin/chromium'

/** Where it is; undefined when there is none, and the tests that need it are skipped. */
export const chromiumPath = (): string | undefined => installed(PATH)

export const provideChromium = (): void => provide('chromium', PATH, 'everything under test/browser')
