/**
 * Checks a sealed log once: as `daybook audit verify` does, or with the least that any check has to do. Arguments:
 * DATA_DIR, and whether its mirror is read (`on` or `off`).
 */
import { hash } from 'node:crypto'
import { lineBooks } from '../../adapters/audit/line-books.ts'
import { recordedIn } from '../../adapters/audit/line-readings.ts'
import { plainAccount, plainAsset } from '../../adapters/journal-export/names.ts'
import { type Books, openBooks } from '../../src/books/books.ts'
import { verifyLog } from '../../src/commands/audit/verify.ts'
import { readConfig } from '../../src/settings/config.ts'
import { sealWitnessIn } from '../../src/settings/seal-witness.ts'
import { answering } from '../answering.ts'
import { forgetPeak, peakMb } from '../memory.ts'

/** `ceiling`: JSON.parse and SHA-256 of each line, which is in memory already. */
export type AuditQuestion = { readonly what: 'verify' | 'ceiling' | 'balances' }
export type AuditAnswer = {
  readonly events: number
  readonly ms: number
  readonly peakMb: number
  /** Units by account and asset, as the exported journal calls them. */
  readonly balances?: readonly (readonly [name: string, units: string])[]
}

type Looked = Omit<AuditAnswer, 'peakMb'>

const [dir = '', mirror = ''] = process.argv.slice(2)
const config = readConfig({ DATA_DIR: dir, LOG_MIRROR: mirror, LOG_LEVEL: 'silent' })
/** Lines that the ceiling holds at once: they are made before its time begins. */
const HELD_LINES = 50_000

const verify = async (books: Books): Promise<Looked> => {
  const start = performance.now()
  let told = { whole: false, balanced: false, events: 0, unsealed: 0 }
  const tell = async (value: unknown) => {
    told = value as typeof told
  }
  await verifyLog(books, { json: true, tell, remark: () => {} }, { key: [], witness: sealWitnessIn(dir) })
  const ms = performance.now() - start
  if (!told.whole || !told.balanced || told.events < 2 * told.unsealed) throw new Error(JSON.stringify(told))
  return { events: told.events, ms }
}

const ceiling = async (books: Books): Promise<Looked> => {
  let held: string[] = []
  let [events, ms] = [0, 0]
  const look = () => {
    const start = performance.now()
    for (const line of held) {
      JSON.parse(line)
      hash('sha256', line, 'binary')
    }
    ms += performance.now() - start
    events += held.length
    held = []
  }
  const head = await (await books.store()).head()
  for await (const page of books.lines(-1n, head)) {
    // Each line becomes a text of its own and not a part of another, as for somebody who has read nothing else.
    held.push(...page.map(({ line }) => Buffer.from(line).toString()))
    if (held.length >= HELD_LINES) look()
  }
  look()
  return { events, ms }
}

const balances = async (books: Books): Promise<Looked> => {
  const start = performance.now()
  const sums = lineBooks()
  let events = 0
  for await (const page of books.lines(-1n, await (await books.store()).head())) {
    for (const line of page) sums.add(recordedIn(line))
    events += page.length
  }
  const named = [...sums.balances()].map(([name, units]) => {
    const [account = '', asset = ''] = name.split(' ')
    return [`${plainAccount(account)} ${plainAsset(asset)}`, String(units)] as const
  })
  return { events, ms: performance.now() - start, balances: named }
}

const looks = { verify, ceiling, balances }

await answering<AuditQuestion>(async ({ what }): Promise<AuditAnswer> => {
  forgetPeak(process.pid)
  const books = openBooks(config)
  try {
    return { ...(await looks[what](books)), peakMb: peakMb(process.pid) }
  } finally {
    await books.close()
  }
})
