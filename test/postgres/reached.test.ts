import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { databaseTrouble, mustReach } from '../../adapters/postgres/reached.ts'
import { createStartedDatabase } from '../support/postgres.ts'

const URL_WITH_PASSWORD = 'postgres://ada:s3cret@db.example:5432/books'

test('a database that cannot be used is told by the name of its setting, with what to do, and without the password', (t) => {
  for (const [code, words] of [
    ['ECONNREFUSED', /nobody listens there \(ECONNREFUSED\)/],
    ['ENOTFOUND', /there is no such host/],
    ['CONNECT_TIMEOUT', /does not answer/],
    ['28P01', /refuses the user ada or the password/],
    ['3D000', /has no database books/],
    ['XX000', /something else/],
  ] as const) {
    const told = databaseTrouble(URL_WITH_PASSWORD, Object.assign(new Error('something else'), { code }))
    t.regex(told, words)
    t.regex(told, /^DATABASE_URL: PostgreSQL at db\.example:5432 cannot be used: .*without DATABASE_URL/)
    t.false(told.includes('s3cret'))
  }
})

test('a database that answers is reached, and one that is not there is named', async (t) => {
  const database = await createStartedDatabase()
  const good = connect(database.url, { max: 1 })
  const gone = new URL(database.url)
  gone.pathname = '/nothing'
  const [bad, closed] = [connect(gone.href, { max: 1 }), connect('postgres://127.0.0.1:1/x', { max: 1 })]
  await mustReach(good, database.url)
  await t.throwsAsync(mustReach(bad, gone.href), { message: /^DATABASE_URL: .* has no database nothing\./ })
  await t.throwsAsync(mustReach(closed, 'postgres://127.0.0.1:1/x'), {
    message: /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:1 cannot be used: nobody listens there/,
  })
  for (const sql of [good, bad, closed]) await sql.end({ timeout: 1 })
  await database.drop()
})
