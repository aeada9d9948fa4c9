/** A service and its seals: what a stop leaves, what a start looks at, and what it refuses. */
import { copyFile, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { openBooks } from '../../src/books/books.ts'
import { verifyLog } from '../../src/commands/audit/verify.ts'
import { eventually } from '../../src/demo/stage.ts'
import { PartsUnfit } from '../../src/parts/refusal.ts'
import { readConfig } from '../../src/settings/config.ts'
import { readSealWitness, sealWitnessesIn, sealWitnessIn } from '../../src/settings/seal-witness.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { shop } from '../support/sale.ts'

let app: TestApp
test.before(async () => {
  app = await startApp({ store: 'embedded', env: { SEAL_EVERY_SECONDS: '3600' } })
  await shop(app)
})
test.after.always(() => app?.stop())

const file = (name: string) => join(app.dataDir, name)

const verified = async () => {
  const values: { whole: boolean; events: number; sealed: number; unsealed_seconds: number }[] = []
  const out = {
    json: true,
    tell: async (value: unknown) => void values.push(value as (typeof values)[number]),
    remark: () => {},
  }
  const books = openBooks(readConfig(app.env))
  try {
    await verifyLog(books, out, { key: [], witness: sealWitnessIn(app.dataDir) })
    return values[0]
  } finally {
    await books.close()
  }
}

test.serial('a stop seals what is not sealed yet, and a start seals what a crash has left', async (t) => {
  await app.restart(async () => {
    const { whole, sealed = 0 } = (await verified()) ?? {}
    t.true(whole)
    const db = new DatabaseSync(file('events.db'))
    const rest = db.prepare('select type from events where position > 0 order by position').all().slice(sealed)
    // Nothing is left but the seal itself, and its key where it is the first.
    t.true(rest.length > 0 && rest.every(({ type }) => type === 'LogSealed' || type === 'SealKeyPublished'))
    db.exec("delete from events where type = 'LogSealed' and position = (select max(position) from events)")
    db.close()
  })
  // The seal of the stop is gone, as if the process had ended between the journal and the log.
  const newest = readSealWitness(sealWitnessIn(app.dataDir))
  t.like((await app.call('GET', '/readyz')).json.checks.seals, { status: 'ok', reason: null })
  await shop(app)
  await eventually('a new seal', async () => {
    const heads = [...sealWitnessesIn(sealWitnessIn(app.dataDir))]
    return heads.length > 1 && heads.every(({ head }, at) => at === 0 || head.size >= (heads[at - 1]?.head.size ?? 0))
  })
  t.true((newest?.head.size ?? 0) > 0)
})

test.serial(
  'a log that was put back from before is refused by name, with both heads, and nothing is sealed',
  async (t) => {
    const [log, older, newer] = [file('events.db'), file('older.db'), file('newer.db')]
    await app.restart(() => copyFile(log, older))
    await shop(app)
    await app.restart(() => copyFile(log, newer))
    const newest = readSealWitness(sealWitnessIn(app.dataDir))?.head
    await app.served().stop()
    const head = readSealWitness(sealWitnessIn(app.dataDir))?.head
    const journal = await readFile(sealWitnessIn(app.dataDir), 'utf8')
    await rename(log, newer)
    await copyFile(older, log)
    for (const side of ['-wal', '-shm']) await rm(`${log}${side}`, { force: true })
    const { message = '' } = (await t.throwsAsync(app.restart(), { instanceOf: PartsUnfit })) ?? {}
    const shown = `${(head?.size ?? 0).toLocaleString('en-US')} events · ${Buffer.from(head?.root ?? '', 'base64')
      .toString('hex')
      .slice(0, 12)}`
    t.true(message.includes(shown), message)
    t.regex(message, /no: the log ends before: its newest head is [\d,]+ events · [0-9a-f]{12}/)
    t.regex(message, /daybook log accept-older --reason "…"/)
    t.is(await readFile(sealWitnessIn(app.dataDir), 'utf8'), journal)
    t.true((newest?.size ?? 0) > 0)
    await rename(newer, log)
    await app.restart()
    t.like((await app.call('GET', '/readyz')).json.checks.seals, { status: 'ok' })
  },
)
