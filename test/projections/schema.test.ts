import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { NEXT, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { testDatabase } from '../support/postgres.ts'

test('whoever prepares a schema while others do finds it made, and none of them fails', async (t) => {
  const { url } = await testDatabase(t)
  const starting = Array.from({ length: 12 }, () => connect(url, { max: 1 }))
  t.teardown(() => Promise.all(starting.map((sql) => sql.end({ timeout: 1 }))))
  // Each has made a schema and looked for this one before, and remembers that it was not there.
  for (const sql of starting) {
    await prepareSchema(sql, SERVING)
    await sql`select to_regnamespace(${NEXT})`
  }
  await t.notThrowsAsync(Promise.all(starting.map((sql) => prepareSchema(sql, NEXT))))
})
