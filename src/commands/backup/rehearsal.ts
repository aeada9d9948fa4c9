import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lineBooks } from '../../../adapters/audit/line-books.ts'
import type { Manifest } from '../../../adapters/store/backup/manifest.ts'
import type { LogPlace } from '../../../adapters/store/base/bytes.ts'
import { createQueries } from '../../../projections/index.ts'
import type { OpenBackup } from '../../backup/reading.ts'
import { BackupRefusal } from '../../backup/refused.ts'
import type { BackupContent } from '../../backup/verify.ts'
import { openBooks } from '../../books/books.ts'
import type { Output } from '../../console/output.ts'
import { mustFit } from '../../parts/refusal.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'
import { replay } from '../log/replay.ts'
import { examine } from '../parts/doctor.ts'
import { restoreBackup } from './restoration.ts'

type DrillReport = {
  readonly manifest: Manifest
  readonly content: BackupContent
  /** Balances of the journal that are the same in both. */
  readonly balances: number
  /** Events of the log that came after what the backup covers, and would be lost. */
  readonly eventsAfter: number
}

/** A log beside the place that serves it. */
type LiveLog = Pick<LogPlace, 'store' | 'bytes'>

const SILENT: Output = { json: true, tell: async () => {}, remark: () => {} }

/**
 * Puts a backup back into a temporary place, with databases of its own, builds every read model there from its log, and
 * compares it with the log that serves: every line up to the end of the backup, and every balance of the journal. The
 * place is removed afterwards. Rejects with BackupRefusal, or PartsUnfit.
 */
export const drillBackup = async (backup: OpenBackup, live: LiveLog, config: Config): Promise<DrillReport> => {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-drill-'))
  try {
    const there = placedIn(config, join(dir, 'data'))
    const { manifest, content } = await restoreBackup(backup, there)
    const books = openBooks(there)
    try {
      await replay(books, SILENT)
      const log = await books.log()
      await mustFit(() => examine(books, there, log))
      const [own, restored] = [await linesUpTo(live, manifest), await linesUpTo(log, manifest)]
      if (own.digest !== restored.digest) throw new BackupRefusal('books_differ', 'the log has other events there')
      const balances = await mustBalance(live, manifest, await createQueries(await books.sql()).trialBalance())
      return { manifest, content, balances, eventsAfter: await countAfter(live, manifest) }
    } finally {
      await books.close()
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** The same settings with stores of their own. */
const placedIn = (config: Config, dataDir: string): Config => {
  const [masterKey, masterKeyBefore] = openDataDir(config).knownMasterKeys()
  const own = { dataDir, databaseUrl: undefined, eventStoreUrl: undefined, logMirror: false }
  return Object.assign({}, config, own, { masterKey, masterKeyBefore })
}

/** The digest of every line that the backup covers. */
const linesUpTo = async ({ store, bytes }: LiveLog, { log }: Manifest): Promise<{ digest: string }> => {
  const hash = createHash('sha256')
  const end = BigInt(log.order)
  for await (const page of bytes.readLines(-1n, await store.head()))
    for (const { line, order } of page) if (order <= end) hash.update(line).update('\n')
  return { digest: hash.digest('hex') }
}

const mustBalance = async (
  { store }: LiveLog,
  { log }: Manifest,
  rows: readonly { readonly account: string; readonly asset: string; readonly amount: string }[],
): Promise<number> => {
  const end = BigInt(log.order)
  const own = lineBooks()
  for await (const page of store.readAll(-1n)) {
    for (const event of page) if (event.order <= end) own.add(event)
    if ((page.at(-1)?.order ?? 0n) > end) break
  }
  const left = new Map([...own.balances()].filter(([, units]) => units !== 0n))
  for (const { account, asset, amount } of rows) {
    const name = `${account} ${asset}`
    if (BigInt(amount) !== (left.get(name) ?? 0n)) throw new BackupRefusal('books_differ', `${name} has ${amount}`)
    left.delete(name)
  }
  const [missing] = left.keys()
  if (missing !== undefined) throw new BackupRefusal('books_differ', `${missing} is missing`)
  return rows.length
}

const countAfter = async ({ store, bytes }: LiveLog, { log }: Manifest): Promise<number> => {
  let events = 0
  for await (const page of bytes.readLines(-1n, await store.head()))
    events += page.filter(({ order }) => order > BigInt(log.order)).length
  return events
}
