/**
 * Ledger commands on an embedded log of its own, with snapshots in PostgreSQL. Arguments: the log's file, the
 * database's URL.
 */
import { connect } from '../../adapters/postgres/connect.ts'
import { createSnapshots } from '../../adapters/postgres/snapshots.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { world } from '../../src/settings/world.ts'
import { answering } from '../answering.ts'
import { commandsOf, type Drive } from './commands.ts'
import { eventCounter } from './event-counter.ts'

const [file = '', databaseUrl = ''] = process.argv.slice(2)
const core = openCore(file)
const sql = connect(databaseUrl, { max: 2 })
const doors = createLedger(embeddedStore(core), world, await createSnapshots(sql))
const { ledger } = doors.open({ actor: 'bench', correlationId: 'bench' })
const drive = commandsOf(ledger)
const newEvents = eventCounter(core)

await answering<Drive>(
  async (question) => ({ ...(await drive(question)), events: newEvents() }),
  async () => {
    await core.close()
    await sql.end({ timeout: 1 })
  },
)
