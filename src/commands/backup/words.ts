import type { BackupPart, Manifest } from '../../../adapters/store/backup/manifest.ts'
import { countText } from '../../books/replaying.ts'
import { groupedDigits } from '../../parts/part.ts'

/** How far a backup goes, for people. */
export const coverText = (manifest: Manifest): string => {
  const { log } = manifest
  const rows = (part: BackupPart) => manifest.parts.find((each) => each.part === part)?.rows ?? 0
  return [
    `It covers the log up to position ${groupedDigits(BigInt(log.position))}, ${timeText(log.at)}:`,
    `${countText(log.events, 'event')}, ${countText(rows('data-keys'), 'data key')}, ${countText(rows('pictures'), 'picture')}, ` +
      `${countText(rows('heads'), 'head')}; ${megabytes(sizeOf(manifest))}.`,
  ].join('\n')
}

/** Bytes of all files. */
export const sizeOf = ({ parts }: Manifest): number => parts.reduce((sum, { bytes }) => sum + bytes, 0)

export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 2 : 0)} MB`

export const timeText = (at: string): string => (at === '' ? 'at a time that is not known' : at.replace('T', ' '))
