/** Backups of an installation, and the empty places that they are put back into. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { ExecutionContext } from 'ava'
import { create } from '../../src/commands/backup/create.ts'
import { restore } from '../../src/commands/backup/restore.ts'
import { verify } from '../../src/commands/backup/verify.ts'
import type { Output } from '../../src/console/output.ts'
import { type Installation, openInstallation } from '../parts/stage.ts'

/** A folder for backups, with a pair of keys; all of it goes away with the test. */
export const backupFolder = async (t: ExecutionContext) => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-backup-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  const identity = join(dir, 'identity.txt')
  const recipient = await keyPair(identity)
  return { dir, to: join(dir, 'backups'), identity, recipient }
}

/** Writes an identity; answers its public key. */
export const keyPair = async (file: string): Promise<string> => {
  const identity = await generateX25519Identity()
  writeFileSync(file, `# made for a test\n${identity}\n`)
  return identityToRecipient(identity)
}

type Folder = Awaited<ReturnType<typeof backupFolder>>

/** Backs an installation up, also one that serves; answers what the command told. */
export const backUp = async (place: Installation, { to, recipient }: Pick<Folder, 'to' | 'recipient'>) =>
  (await place.run((books, config, out) => create(books, config, out, { to, recipient: [recipient] }))).told

/** Output that keeps the last thing that was told. */
const keeping = () => {
  // biome-ignore lint/suspicious/noExplicitAny: whatever it said.
  const kept: { told: any } = { told: undefined }
  const out: Output = {
    json: true,
    tell: async (value) => {
      kept.told = value
    },
    remark: () => {},
  }
  return { kept, out }
}

/** Verifies the newest backup of a folder, or the one that is named. */
export const verified = async (place: Installation, folder: { to: string; identity?: string }, name?: string) => {
  const { kept, out } = keeping()
  await verify(place.config(), out, { name, from: folder.to, identity: folder.identity })
  return kept.told
}

/** An empty place, with the master key of another one. */
export const emptyPlace = async (
  t: ExecutionContext,
  like: Installation,
  kind: Parameters<typeof openInstallation>[0] = 'embedded',
): Promise<Installation> => {
  const place = await openInstallation(kind, { LOG_MIRROR: like.env.LOG_MIRROR ?? 'off' })
  t.teardown(() => place.stop())
  mkdirSync(dirname(place.files['master key']), { recursive: true })
  copyFileSync(like.files['master key'], place.files['master key'])
  return place
}

/** Puts the newest backup of a folder back into a place, or the one that is named. */
export const putBack = async (place: Installation, folder: { to: string; identity: string }, name?: string) => {
  const { kept, out } = keeping()
  await restore(place.config(), out, { name, from: folder.to, identity: folder.identity })
  return kept.told
}

/** What lies in a place beside its master key. */
export const filesIn = (place: Installation): readonly string[] =>
  readdirSync(dirname(place.files['master key'])).filter((name) => !['master.key', 'lock'].includes(name))
