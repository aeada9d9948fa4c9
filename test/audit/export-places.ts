/** Installations without a service, of which exports are written and checked. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { ExportKind } from '../../adapters/journal-export/export-head.ts'
import type { JournalFormatName } from '../../adapters/journal-export/open.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { exportLines } from '../../src/commands/audit/export.ts'
import { verifyExport } from '../../src/commands/audit/verify-export.ts'
import { exportJournal, exportTransactions, type JournalOptions } from '../../src/commands/exports/exports.ts'
import { replay } from '../../src/commands/log/replay.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openDataDir } from '../../src/settings/data-dir.ts'
import { sealWitnessIn } from '../../src/settings/seal-witness.ts'
import { wholeHistory } from '../projections/history.ts'
import { newDirectory } from '../store/open.ts'
import { inProcess } from '../support/commands.ts'
import { copyDatabase, createDatabase } from '../support/postgres.ts'
import { type SealedLog, sealedLog } from '../support/sealed-log.ts'

/** An installation without a service, its read models as far as they were replayed. */
const placeAt = (t: ExecutionContext, { dir, url }: { readonly dir: string; readonly url: string }) => {
  const files = newDirectory(t)
  const env = { DATA_DIR: dir, DATABASE_URL: url }
  const masterKey = () => openDataDir(readConfig(env)).masterKey()
  /** Does something with the log, and seals it unless told not to. */
  const change = async (act: (log: SealedLog) => Promise<unknown>, seals = true) => {
    const core = openCore(join(dir, 'events.db'))
    const log = sealedLog(t, core)
    await act(log)
    if (seals) await log.seal()
    await core.close()
    await inProcess(env, (books, out) => replay(books, out))
  }
  return {
    change,
    async write(kind: ExportKind, options: JournalOptions = {}, name = kind as string) {
      const file = join(files, name)
      await inProcess(env, (books, out) => {
        if (kind === 'log') return exportLines(books, out, { out: file, witness: sealWitnessIn(dir) })
        if (kind === 'transactions') return exportTransactions(books, out, { out: file, masterKey, ...options })
        return exportJournal(books, out, kind as JournalFormatName, { ...options, out: file })
      })
      return file
    },
    /** The results of the checks, in their order, and the words of those that are not fine. */
    async check(file: string) {
      const { answer, told } = await inProcess(env, (books, out) => verifyExport(books, out, file, masterKey))
      const { holds, checks } = told as { holds: boolean; checks: { result: string; words: string }[] }
      t.is(answer, holds)
      const words = checks.filter(({ result }) => result !== 'ok').map(({ words }) => words)
      return { results: checks.map(({ result }) => result).join(' '), words: words.join('\n') }
    },
  }
}

/** One whose log is empty. */
export const newPlace = async (t: ExecutionContext) => {
  const database = await createDatabase()
  t.teardown(() => database.drop())
  return placeAt(t, { dir: newDirectory(t), url: database.url })
}

/** A copy of the one place where a history was written, sealed and replayed, which takes longer than a check. */
export const livedPlace = async (t: ExecutionContext) => {
  lived ??= live(t)
  const [from, dir] = [await lived, newDirectory(t)]
  cpSync(from.dir, dir, { recursive: true })
  const database = await copyDatabase(from.url)
  t.teardown(() => database.drop())
  return placeAt(t, { dir, url: database.url })
}
let lived: Promise<{ dir: string; url: string; drop(): void }> | undefined

const live = async (t: ExecutionContext) => {
  const [dir, { url, drop }] = [mkdtempSync(join(tmpdir(), 'daybook-lived-')), await createDatabase()]
  await placeAt(t, { dir, url }).change(liveOneSeller)
  return { dir, url, drop }
}

/** For the end of a file that has made copies. */
export const dropLived = async () => {
  const place = await lived
  place?.drop()
  if (place) rmSync(place.dir, { recursive: true, force: true })
}

/** A log of its own, with the life of one seller. */
export const liveOneSeller = async (log: SealedLog) => {
  await log.write(1)
  await wholeHistory(log.sealing.store)
}
