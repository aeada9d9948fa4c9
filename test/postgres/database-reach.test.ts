import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { freePort } from '../../src/demo/port.ts'
import { reachDatabase } from '../../src/settings/database-reach.ts'
import { BadSetting } from '../../src/settings/setting-kinds.ts'
import { testDatabase } from '../support/postgres.ts'

test('a database that is not there, or lets nobody in, is one sentence that names DATABASE_URL and no password', async (t) => {
  const real = await testDatabase(t)
  const other = (change: Partial<URL>) => Object.assign(new URL(real.url), change).href
  const cases: readonly (readonly [url: string, says: RegExp, lasting?: boolean])[] = [
    [
      `postgres://daybook:hunter2@127.0.0.1:${await freePort()}/daybook`,
      /nobody listens at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
      false,
    ],
    [
      'postgres://daybook:hunter2@no.such.host.invalid/daybook',
      /no host is known by the name in no\.such\.host\.invalid/,
      false,
    ],
    [other({ username: 'nobody_here', password: 'hunter2' }), /does not let the user nobody_here in/],
    [other({ pathname: '/no_such_database' }), /no database no_such_database .* createdb no_such_database/],
  ]
  for (const [url, says, lasting = true] of cases) {
    const sql = connect(url, { max: 1 })
    t.teardown(() => sql.end({ timeout: 0 }))
    const refused = await t.throwsAsync(reachDatabase(sql, { url, seconds: 0 }))
    t.is(refused instanceof BadSetting, lasting)
    t.regex(String(refused?.message), /^DATABASE_URL: /)
    t.regex(String(refused?.message), says)
    t.notRegex(String(refused?.message), /hunter2/)
  }
  await t.notThrowsAsync(reachDatabase(real.sql, { url: real.url, seconds: 0 }))
})

test('a start waits for a database that does not answer yet, and says so; what cannot heal is not waited for', async (t) => {
  const real = await testDatabase(t)
  const port = await freePort()
  const url = Object.assign(new URL(real.url), { host: `127.0.0.1:${port}` }).href
  const sql = connect(url, { max: 1 })
  t.teardown(() => sql.end({ timeout: 0 }))
  const told: string[] = []
  const ended = await t.throwsAsync(reachDatabase(sql, { url, seconds: 4, tell: (message) => told.push(message) }))
  t.regex(told[0] ?? '', /^waiting for the database: DATABASE_URL: nobody listens/)
  t.regex(String(ended?.message), /waited 4 s, STARTUP_WAIT_SECONDS/)
  const none = Object.assign(new URL(real.url), { pathname: '/no_such_database' }).href
  const lost = connect(none, { max: 1 })
  t.teardown(() => lost.end({ timeout: 0 }))
  await t.throwsAsync(reachDatabase(lost, { url: none, seconds: 3_600 }), { message: /no database/ })
})
