import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { noted } from './children.ts'
import { temporaryFolder } from './folder.ts'
import { ROOT } from './stage.ts'

/** A commit of this repository in a folder of its own, ready to be started. */
export type Checkout = {
  /** The commit's whole name. */
  readonly commit: string
  readonly root: string
  remove(): Promise<void>
}

const GIT_MS = 60_000
const INSTALL_MS = 300_000

/**
 * Unpacks a commit into a temporary folder. It shares the packages of this version when both lock files are equal, and
 * else installs its own. Rejects when git does not know the commit. The repository itself is only read.
 */
export const checkOut = async (name: string): Promise<Checkout> => {
  const commit = await run('git', ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]).catch(
    () => {
      throw new Error(`git knows no commit ${name} here`)
    },
  )
  const { dir, remove } = await temporaryFolder('daybook-checkout-')
  try {
    const root = join(dir, 'tree')
    await mkdir(root)
    await run('git', ['archive', '--format=tar', `--output=${join(dir, 'tree.tar')}`, commit])
    await run('tar', ['-xf', join(dir, 'tree.tar'), '-C', root])
    await providePackages(root)
    return { commit, root, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

const providePackages = async (root: string): Promise<void> => {
  const [ours, theirs] = await Promise.all([ROOT, root].map((folder) => readFile(join(folder, 'package-lock.json'))))
  if (ours && theirs?.equals(ours)) return symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'dir')
  process.stderr.write('installing the packages of the other commit\n')
  await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, timeout: INSTALL_MS })
}

const run = async (program: string, args: readonly string[], options: { cwd?: string; timeout?: number } = {}) => {
  const running = promisify(execFile)(program, args, { cwd: ROOT, timeout: GIT_MS, ...options })
  noted(running.child)
  return (await running).stdout.trim()
}
