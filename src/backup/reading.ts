import { createHash } from 'node:crypto'
import { decrypted, WrongIdentity } from '../../adapters/store/backup/encryption.ts'
import { linesOf } from '../../adapters/store/backup/lines.ts'
import {
  type BackupPart,
  fileOf,
  headerIn,
  type Manifest,
  manifestIn,
  NEEDED_PARTS,
  type PartHeader,
} from '../../adapters/store/backup/manifest.ts'
import type { BackupPlace } from '../../adapters/store/backup/place.ts'
import { BackupRefusal } from './refused.ts'

/** One backup in its place, and what opens it. */
export type OpenBackup = {
  readonly manifest: Manifest
  /** Whether it has a part; only the master key may be missing. */
  has(part: BackupPart): boolean
  /** Compares the file of a part with the manifest. */
  check(part: BackupPart): Promise<void>
  /** What a part says of itself, and its lines; rejects with BackupRefusal at whatever is not what was written. */
  read(part: BackupPart): Promise<{ readonly header: PartHeader; readonly lines: AsyncIterable<string> }>
}

/** Finds a backup by its name; the newest one unless a name is given. Rejects with BackupRefusal. */
export const openBackup = async (
  place: BackupPlace,
  wanted: string | undefined,
  identities: readonly string[],
): Promise<OpenBackup> => {
  const name = wanted ?? (await place.list()).at(-1)
  if (name === undefined) throw new BackupRefusal('no_backup', place.name)
  const text = await place.manifest(name)
  if (text === undefined) throw new BackupRefusal('backup_not_there', `${name} in ${place.name}`)
  const manifest = manifestIn(text)
  if (manifest?.name !== name) throw new BackupRefusal('manifest_unreadable', `${name} in ${place.name}`)
  const missing = NEEDED_PARTS.find((part) => !manifest.parts.some((each) => each.part === part))
  if (missing) throw new BackupRefusal('part_missing', missing)
  const fileIn = async (part: BackupPart) => {
    const bytes = await place.read(name, fileOf(part))
    if (!bytes) throw new BackupRefusal('part_missing', fileOf(part))
    return compared(bytes, manifest, part)
  }
  return {
    manifest,
    has: (part) => manifest.parts.some((each) => each.part === part),
    async check(part) {
      for await (const _ of await fileIn(part));
    },
    async read(part) {
      const lines = linesIn(await fileIn(part), manifest, part, identities)
      const header = (await lines.next()).value as PartHeader
      return { header, lines: lines as AsyncGenerator<string> }
    },
  }
}

/** The bytes of a file, which are compared with the manifest once the last of them was taken. */
async function* compared(
  bytes: AsyncIterable<Uint8Array>,
  manifest: Manifest,
  part: BackupPart,
): AsyncGenerator<Uint8Array> {
  const told = manifest.parts.find((each) => each.part === part)
  const hash = createHash('sha256')
  let size = 0
  for await (const piece of bytes) {
    hash.update(piece)
    size += piece.length
    yield piece
  }
  if (size < (told?.bytes ?? 0)) throw new BackupRefusal('part_altered', `${fileOf(part)} is cut short`)
  if (told?.sha256 !== hash.digest('hex')) throw new BackupRefusal('part_altered', fileOf(part))
}

/** The header first, then the lines; every fault of the file becomes a refusal that names it. */
async function* linesIn(
  bytes: AsyncIterable<Uint8Array>,
  { name, log, parts }: Manifest,
  part: BackupPart,
  identities: readonly string[],
): AsyncGenerator<PartHeader | string> {
  let rows = -1
  try {
    for await (const line of linesOf(await decrypted(bytes, identities))) {
      if (rows++ >= 0) {
        yield line
        continue
      }
      const header = headerIn(line)
      if (header?.backup !== name || header.log !== log.id || header.part !== part)
        throw new BackupRefusal('other_backup', fileOf(part))
      yield header
    }
  } catch (error) {
    if (error instanceof BackupRefusal) throw error
    if (error instanceof WrongIdentity) throw new BackupRefusal('wrong_identity')
    if (isOfTheSystem(error)) throw error
    throw new BackupRefusal('part_altered', fileOf(part))
  }
  if (rows !== parts.find((each) => each.part === part)?.rows) throw new BackupRefusal('part_altered', fileOf(part))
}

/** A disk or a network that does not answer says nothing of the backup. */
const isOfTheSystem = (error: unknown): boolean => {
  const { code, status } = error as { code?: unknown; status?: unknown }
  return (typeof code === 'string' && /^E[A-Z]+$/.test(code)) || typeof status === 'number'
}
