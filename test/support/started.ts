/**
 * What `npm test` makes once for all test files: a database with the tables of every read model, and nothing in them.
 */
import { connect } from '../../adapters/postgres/connect.ts'
import { createMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { projections } from '../../projections/index.ts'
import { asAdmin, STARTED } from './postgres.ts'

/** Nobody may be connected to a database that is copied, so this one is left at once. */
export async function provideStartedDatabase(server: string): Promise<void> {
  await asAdmin(server, (admin) => admin`create database ${admin(STARTED)}`)
  const url = new URL(server)
  url.pathname = `/${STARTED}`
  const sql = connect(url.href, { max: 1 })
  try {
    await prepareSchema(sql, SERVING)
    for (const projection of projections) await createMissing(sql, projection, true)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
