import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

/**
 * Programs as Debian packs them: those of PostgreSQL, which the embedded server comes without, and those of
 * accountants.
 */

export type DebianProgram = 'pgbench' | 'psql' | 'hledger' | 'ledger'

const POSTGRES = ['postgresql', 'postgresql-client']
const PACKAGES = { pgbench: POSTGRES, psql: POSTGRES, hledger: ['hledger'], ledger: ['ledger'] } as const

const INSTALL_MS = 300_000
const OUTPUT_MAX_BYTES = 10_000_000

/**
 * The path of a program; undefined when it is missing and could not be installed either. Tries to install once a run.
 */
export const debianProgram = (name: DebianProgram): string | undefined => {
  const path = `/usr/bin/${name}`
  if (!existsSync(path)) install(PACKAGES[name])
  return existsSync(path) ? path : undefined
}

/** Says which contestants are missing because a program is. */
export const sayLeftOut = (name: DebianProgram, who: string): void => {
  process.stderr.write(`left out: ${who}; ${name} is missing (apt-get install ${PACKAGES[name].join(' ')})\n`)
}

/** Runs a program to its end and answers what it printed. Rejects when it fails or takes longer than `limitMs`. */
export const runDebian = async (path: string, args: readonly string[], limitMs: number): Promise<string> => {
  const { stdout } = await promisify(execFile)(path, args, { timeout: limitMs, maxBuffer: OUTPUT_MAX_BYTES })
  return stdout
}

const tried = new Set<readonly string[]>()

const install = (packages: readonly string[]) => {
  if (tried.has(packages)) return
  tried.add(packages)
  try {
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], {
      stdio: ['ignore', 2, 2],
      timeout: INSTALL_MS,
    })
  } catch (error) {
    process.stderr.write(`${packages.join(' and ')} could not be installed: ${String(error)}\n`)
  }
}
