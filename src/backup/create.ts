import { createHash } from 'node:crypto'
import { createReadStream, existsSync, statSync } from 'node:fs'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { dataKeyRows, type MasterKeyRow, masterKeyRow, pictureRows } from '../../adapters/postgres/vault/backup-rows.ts'
import { encrypted } from '../../adapters/store/backup/encryption.ts'
import { linesOf, textOf } from '../../adapters/store/backup/lines.ts'
import {
  type BackupPart,
  fileOf,
  type Manifest,
  type ManifestPart,
  type PartHeader,
} from '../../adapters/store/backup/manifest.ts'
import { type BackupPlace, type BackupWriter, backupName } from '../../adapters/store/backup/place.ts'
import { storedLine } from '../../adapters/store/backup/stored-line.ts'
import { type LogPlace, orderOf, type StoredBytes } from '../../adapters/store/base/bytes.ts'
import { HalfCopy, type Origin } from '../../adapters/store/base/origin.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { readSealWitness } from '../settings/seal-witness.ts'
import { BackupRefusal } from './refused.ts'

/** The installation that is backed up, which may serve meanwhile, and whom for. */
export type BackupSource = {
  readonly log: Pick<LogPlace, 'store' | 'bytes'>
  readonly sql: Sql
  /** The journal of heads. */
  readonly heads: string
  /** Written into the backup only where it is given, which somebody has to ask for by name. */
  readonly masterKey?: Buffer | undefined
  /** Public keys of `age`; whoever has the identity of one of them opens the backup. */
  readonly recipients: readonly string[]
  readonly now: () => Date
  /** Called with how far the log was read, as a position. */
  readonly watch?: (position: bigint) => void
  /** Ends the backup, which is thrown away, and rejects with its reason. */
  readonly signal?: AbortSignal
}

/**
 * Backs an installation up at one position of its log, while it serves.
 *
 * The order of the looks makes it consistent. **First the end of the journal of heads, then the end of the log, then
 * everything else.** A head is written down after the events that it covers, so that the log of the backup goes at
 * least as far as every head in it. A data key is on the disk before the first event that is sealed under it, and its
 * row is never deleted; so whatever the log holds up to its end has its key among those that are read later. Keys that
 * were made meanwhile are in it too and do no harm. The other order would lose the keys of whoever came between the
 * looks, and would bring the key back of whoever was erased between them: with this one an erased subject is erased
 * in the backup, even where its log ends before the event that says so.
 */
export const createBackup = async (source: BackupSource, place: BackupPlace): Promise<Manifest> => {
  const { sql, heads, masterKey, recipients, now, watch = () => {}, signal } = source
  const begun = now()
  const witness = readSealWitness(heads)
  const headBytes = existsSync(heads) ? statSync(heads).size : 0
  const { origin, position } = await endOf(source.log)
  const name = backupName(begun, position)
  const writer = await place.begin(name)
  try {
    const about = { backup: name, log: origin.id }
    const write = partWriter(writer, recipients, signal)
    const end = { events: 0, order: -1n, id: '', at: '' }
    const events = eventLines(source.log, position, (event, order) => {
      Object.assign(end, { events: end.events + 1, order, id: event.id, at: timeOf(event) })
      watch(event.position)
    })
    const log = await write('log', about, events)
    const master = await masterKeyRow(sql)
    const parts = [
      log,
      await write('data-keys', about, keyLines(sql, master), master),
      await write('pictures', about, jsonLines(pictureRows(sql))),
      await write('heads', about, headLines(heads, headBytes)),
      ...(masterKey ? [await write('master-key', about, oneLine(masterKey.toString('hex')))] : []),
    ]
    const { id, base } = origin
    const manifest: Manifest = {
      daybook_backup: 1,
      name,
      release: packageJson.version,
      begun_at: begun.toISOString(),
      ended_at: now().toISOString(),
      log: {
        id,
        base: String(base),
        position: String(position),
        order: String(end.order),
        last_event: end.id,
        at: end.at,
        events: end.events,
      },
      head: witness ? { size: witness.head.size, root: witness.head.root, sealed_at: witness.head.sealedAt } : null,
      parts,
    }
    await writer.finish(`${JSON.stringify(manifest, null, 2)}\n`)
    return manifest
  } catch (error) {
    await writer.abandon().catch(() => {})
    throw error
  }
}

const endOf = async ({ store }: BackupSource['log']): Promise<{ origin: Origin; position: bigint }> => {
  const origin = await store.origin().catch((error: unknown) => {
    throw error instanceof HalfCopy ? new BackupRefusal('log_half_copied') : error
  })
  const position = await store.head()
  if (!origin || position < 0n) throw new BackupRefusal('log_empty')
  return { origin, position }
}

type About = Pick<PartHeader, 'backup' | 'log'>

/** Writes a part as a stream; answers what the manifest says of it. */
const partWriter =
  (writer: BackupWriter, recipients: readonly string[], signal: AbortSignal | undefined) =>
  async (
    part: BackupPart,
    about: About,
    lines: AsyncIterable<string>,
    more: Pick<PartHeader, 'proof' | 'fingerprint'> = {},
  ): Promise<ManifestPart> => {
    const told = { rows: 0, bytes: 0 }
    const hash = createHash('sha256')
    const header: PartHeader = Object.assign({ backup: about.backup, part, log: about.log }, more)
    async function* all() {
      yield JSON.stringify(header)
      for await (const line of lines) {
        signal?.throwIfAborted()
        told.rows++
        yield line
      }
    }
    const bytes = await encrypted(textOf(all()), recipients)
    async function* measured() {
      for await (const piece of bytes) {
        hash.update(piece)
        told.bytes += piece.length
        yield piece
      }
    }
    await writer.write(fileOf(part), measured())
    return { part, bytes: told.bytes, sha256: hash.digest('hex'), rows: told.rows }
  }

async function* eventLines(
  { store, bytes }: BackupSource['log'],
  until: bigint,
  tell: (event: StoredBytes, order: bigint) => void,
): AsyncGenerator<string> {
  const { base } = (await store.origin()) ?? { base: 0n }
  for await (const page of bytes.readAll(-1n, until))
    for (const event of page) {
      tell(event, orderOf(event, base))
      yield storedLine(event)
    }
}

/** Throws when the master key was changed meanwhile, so that some keys are under the one and some under the other. */
async function* keyLines(sql: Sql, before: MasterKeyRow | undefined): AsyncGenerator<string> {
  yield* jsonLines(dataKeyRows(sql))
  if ((await masterKeyRow(sql))?.proof !== before?.proof) throw new BackupRefusal('master_key_changed')
}

async function* jsonLines(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield JSON.stringify(row)
}

async function* oneLine(line: string): AsyncGenerator<string> {
  yield line
}

/** The lines of the journal up to a place in it; a crash may have left the last one half written. */
async function* headLines(file: string, bytes: number): AsyncGenerator<string> {
  if (bytes === 0) return
  for await (const line of linesOf(ended(createReadStream(file, { end: bytes - 1 })))) if (line !== '') yield line
}

async function* ended(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces
  yield Buffer.from('\n')
}

/** When an event was decided; empty for one of another program. */
const timeOf = (event: StoredBytes): string => {
  try {
    const { at } = JSON.parse(Buffer.from(event.metadata).toString()) as { at?: unknown }
    return typeof at === 'string' ? at : ''
  } catch {
    return ''
  }
}
