import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The browser that pages are looked at in: Debian's Chromium. The test command installs it where it may. */

const PATH = '/usr/bin/chromium'
const INSTALL_MS = 400_000

/** Where it is; undefined when there is none, and the tests that need it are skipped. */
export const chromiumPath = (): string | undefined => (existsSync(PATH) ? PATH : undefined)

/** Installs it when it is missing, and says so when it cannot; what is then skipped fails in CI. */
export const provideChromium = (): void => {
  if (chromiumPath()) return
  // An index that could not be renewed in full may still know the package.
  for (const step of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']])
    try {
      aptGet(...step)
    } catch (error) {
      console.error(`Chromium could not be installed: ${String(error)}`)
    }
  if (!chromiumPath()) console.error(`Skipped: everything under test/browser, because ${PATH} is missing`)
}

const aptGet = (...args: readonly string[]) =>
  execFileSync('apt-get', ['-q', '-o', 'Acquire::Retries=3', ...args], {
    stdio: ['ignore', 2, 2],
    timeout: INSTALL_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
