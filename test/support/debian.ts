import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Programs that tests need and Debian packages: the test command installs them where it may, and what is then skipped
 * fails in CI.
 */

const INSTALL_MS = 400_000

/** Where a program is; undefined when it is missing, and the tests that need it are skipped. */
export const installed = (path: string): string | undefined => (existsSync(path) ? path : undefined)

/** Installs a program when it is missing, and says so when it cannot, with what is then skipped. */
export const provide = (debianPackage: string, path: string, skipped: string): void =>
  provideAll({ [debianPackage]: path }, skipped)

/** The same for several at once: the path of a program by its package. */
export const provideAll = (programs: Readonly<Record<string, string>>, skipped: string): void => {
  const missing = Object.keys(programs).filter((name) => !installed(programs[name] ?? ''))
  if (missing.length === 0) return
  // An index that could not be renewed in full may still know the package.
  for (const step of [['update'], ['install', '-y', '--no-install-recommends', ...missing]])
    try {
      aptGet(...step)
    } catch (error) {
      console.error(`${missing.join(', ')} could not be installed: ${String(error)}`)
    }
  for (const name of missing) {
    const path = programs[name] ?? ''
    if (!installed(path)) console.error(`Skipped: ${skipped}, because ${path} is missing`)
  }
}

const aptGet = (...args: readonly string[]) =>
  execFileSync('apt-get', ['-q', '-o', 'Acquire::Retries=3', ...args], {
    stdio: ['ignore', 2, 2],
    timeout: INSTALL_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
