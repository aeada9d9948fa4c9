/**
 * Ledger commands over the EventStoreDB adapter, with snapshots in PostgreSQL. Arguments: the node's URL, the
 * database's URL.
 */
import { connect } from '../../adapters/postgres/connect.ts'
import { createSnapshots } from '../../adapters/postgres/snapshots.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { world } from '../../src/settings/world.ts'
import { answering } from '../answering.ts'
import { commandsOf, type Drive } from './commands.ts'

const [url = '', databaseUrl = ''] = process.argv.slice(2)
const store = eventStoreDb(url)
const sql = connect(databaseUrl, { max: 2 })
const doors = createLedger(store, world, await createSnapshots(sql))
const drive = commandsOf(doors.open({ actor: 'bench', correlationId: 'bench' }).ledger)

await answering<Drive>(drive, async () => {
  await store.close()
  await sql.end({ timeout: 1 })
})
