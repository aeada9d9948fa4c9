import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../../settings/config.ts'
import { type Finding, fine, type Looked, misfit } from './finding.ts'

const SETTING = 'DATA_DIR'
const BYTES_IN_GB = 1e9
/** Bytes that have to be free: with less a log that grows is soon full. */
const FREE_BYTES_MIN = BYTES_IN_GB

/** Whether there is room under DATA_DIR, on the disk of the mirror too, and whether it can be written. */
export const lookAtDisk = async ({ dataDir, logMirror }: Config): Promise<Looked> => {
  const mirror = join(dataDir, 'mirror')
  const places = [
    { what: 'disk', dir: dataDir },
    ...(logMirror && existsSync(mirror) ? [{ what: 'mirror', dir: mirror }] : []),
  ]
  return { findings: await Promise.all(places.map(({ what, dir }) => findingOf(what, dir))) }
}

const findingOf = async (what: string, dir: string): Promise<Finding> => {
  const unusable = unusableFolder(what, SETTING, dir)
  if (unusable) return unusable
  const there = nearest(dir)
  const { bavail, blocks, bsize } = await statfs(there)
  const text = `${inGb(bavail * bsize)} of ${inGb(blocks * bsize)} GB are free at ${dir}${there === dir ? '' : ', which the first start makes'}`
  return bavail * bsize < FREE_BYTES_MIN
    ? misfit(what, SETTING, text, `Make room: at least ${inGb(FREE_BYTES_MIN)} GB.`)
    : fine(what, SETTING, text)
}

/** What is wrong with a folder, which need not be there yet; undefined where this user can write to it. */
export const unusableFolder = (what: string, setting: string, dir: string): Finding | undefined => {
  const there = nearest(dir)
  if (!statSync(there).isDirectory())
    return misfit(what, setting, `${there} is no folder`, 'Name a folder, or move that file away.')
  if (isWritable(there)) return undefined
  return misfit(
    what,
    setting,
    `${there} cannot be written by this user`,
    `Let it, or set ${setting} to a folder of its own.`,
  )
}

/** The folder itself, or the nearest above it that is there. */
const nearest = (dir: string): string => (existsSync(dir) || dirname(dir) === dir ? dir : nearest(dirname(dir)))

const isWritable = (dir: string): boolean => {
  try {
    accessSync(dir, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

const inGb = (bytes: number): string => (bytes / BYTES_IN_GB).toFixed(1)
