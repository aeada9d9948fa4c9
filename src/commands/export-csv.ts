import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { openedCsv } from '../../adapters/opened-csv.ts'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { createVault } from '../../adapters/postgres/vault.ts'
import { createQueries, projections } from '../../projections/index.ts'
import type { Books } from '../books.ts'
import { BadSetting } from '../setting-kinds.ts'
import { BrokenPipe, Failed } from './failures.ts'
import { isBrokenPipe, type Output } from './output.ts'
import { remarkLag } from './replaying.ts'
import { mustBeBuilt } from './verify.ts'

const SQL_END_S = 5

const model = projections.find(({ name }) => name === 'transactions')

/** Streams the transactions as CSV, of one account or of all. A file is there whole or not at all, and replaces an older one only then. */
export const exportCsv = async (
  books: Books,
  out: Output,
  options: { account?: string; out?: string; masterKey: () => Buffer },
): Promise<void> => {
  const file = options.out === undefined || options.out === '-' ? undefined : resolve(options.out)
  if (out.json && !file) throw new BadSetting('--json needs --out: the CSV itself would be on stdout')
  if (file) await mustBeReplaceable(file)
  const sql = await books.sql()
  if (model) await mustBeBuilt(sql, model)
  if (options.account) await mustExist(sql, options.account)
  if (model) await remarkLag(books, sql, out, model)
  const csv = await openedCsv(createQueries(sql), () => vaultOf(books, options.masterKey), options.account)
  let bytes = 0
  const counting = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      done(null, chunk)
    },
  })
  if (!file) {
    await pipeline(csv, counting, process.stdout, { end: false }).catch((error: unknown) => {
      throw isBrokenPipe(error) ? new BrokenPipe() : error
    })
    return
  }
  const part = `${file}.${randomBytes(4).toString('hex')}.part`
  books.onClose(() => rm(part, { force: true }))
  await pipeline(csv, counting, createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
  await rename(part, file)
  await out.tell({ file, bytes }, `Wrote ${file}, ${bytes} bytes.`)
}

/** On connections of its own: that of the books is busy until the export has ended. */
const vaultOf = async (books: Books, masterKey: () => Buffer) => {
  const sql = connect(await books.databaseUrl(), { max: 1 })
  books.onClose(() => sql.end({ timeout: SQL_END_S }))
  const vault = await createVault({ sql, masterKey: masterKey() })
  books.onClose(() => vault.close())
  return vault
}

/** A rename would put a file in the place of a device or fail on a folder. */
const mustBeReplaceable = async (file: string) => {
  const found = await stat(file).catch(() => undefined)
  if (found && !found.isFile()) throw new BadSetting(`--out is not a file: ${file}`)
}

/** An account that was mistyped must not look like one that sold nothing. */
const mustExist = async (sql: Sql, account: string) => {
  const [row] = await sql`select from accounts where account_id = ${account}`
  if (!row) throw new Failed(`there is no account ${account}`)
}
